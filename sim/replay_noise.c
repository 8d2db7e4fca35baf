/* replay_noise.c: the factors that noise gives to kernels and transfers; see replay_state.h. */
#include <math.h>

#include "base/stream.h"
#include "sim/replay_state.h"
#include "sim/variant.h"

/* FNV-1a, avalanched: names, not indices, key the noise, so that it follows an op through rewritten graphs. */
uint64_t ho_replay_hash(const char *s) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
  return ho_mix(h, 0);
}

double ho_replay_noise(const ho_replay *r, uint64_t what, uint64_t where) {
  if (!(r->options.noise > 0)) return 1;
  ho_stream s = ho_stream_small(ho_mix(ho_mix(r->noise_key, what), where));
  return ho_stream_lognormal(&s, r->options.noise);
}

/* The noise of an op. One of a rewritten graph has that of the ops of the original graph that it stands for, each weighted by the time it
 * would take here: so that plans with and without rewrites meet the same noise. What only glues parts together has its own. */
double ho_replay_kernel_noise(const ho_replay *r, ho_op o, ho_device d) {
  const ho_variant *v = r->q->variant;
  if (!(r->options.noise > 0) || !v || v->graph->origin_start[o] == v->graph->origin_start[o + 1])
    return ho_replay_noise(r, r->op_hash[o], r->device_hash[d]);
  const ho_graph *g = v->graph;
  double sum = 0, weights = 0, plain = 0;
  int32_t n = g->origin_start[o + 1] - g->origin_start[o];
  for (int32_t i = g->origin_start[o]; i < g->origin_start[o + 1]; i++) {
    const ho_origin *part = &g->origin[i];
    double factor = ho_replay_noise(r, ho_replay_hash(v->base->op[part->op].name), r->device_hash[d]);
    double time = ho_cost_time(v->base_cost, part->op, d) * (part->to - part->from);
    if (n == 1) return factor;
    if (isfinite(time)) {
      sum += time * factor;
      weights += time;
    }
    plain += factor;
  }
  return weights > 0 ? sum / weights : plain / n;
}
