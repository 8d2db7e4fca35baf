/* random_scene.c: see random_scene.h. */
#include "random_scene.h"

#include <math.h>

static const char *pick(ho_stream *s, const char *const *names, int n) {
  return names[ho_stream_below(s, (uint64_t)n)];
}

static int coin(ho_stream *s, int one_in) {
  return ho_stream_below(s, (uint64_t)one_in) == 0;
}

static void add_device(GString *y, ho_stream *s, int d, int memory) {
  static const char *const launches[] = {"async", "sync", "graph"}, *const sharing[] = {"exclusive", "spatial"};
  g_string_append_printf(y,
                         "  - {name: d%d, kind: gpu, memory: m%d, peak: {fp32: %d, fp16: %d}, efficiency: {default: 0.5, memory: "
                         "0.8}, saturation: 100, "
                         "launch: {mode: %s, host: %d, device: %d}, streams: %d, sharing: %s, copy_engines: %d, ",
                         d, memory, 100 + (int)ho_stream_below(s, 400), 600, pick(s, launches, 3), (int)ho_stream_below(s, 2),
                         (int)ho_stream_below(s, 2), 1 + (int)ho_stream_below(s, 3), pick(s, sharing, 2),
                         (int)ho_stream_below(s, 3));
  if (coin(s, 3))
    g_string_append(y, "power: {idle: 5, peak: 100}, ");
  else
    g_string_append_printf(y, "power: {idle: 5, busy: 20, peak: %s, per_flop: {fp32: 0.01, fp16: 0.005}, per_byte: 0.02}, ",
                           coin(s, 2) ? "23" : "1000");
  g_string_append(y, "points: [{name: eco, speed: 0.5, power: 0.4}]}\n");
}

static char *random_platform(ho_stream *s, int tight) {
  static const char *const contention[] = {"fair", "fair", "serial", "none"}, *const duplex[] = {"full", "half", "fat"};
  GString *y = g_string_new("format: heteroopt-platform/1\nname: p\nmemories:\n");
  int n = 2 + (int)ho_stream_below(s, 3), d = 0;
  for (int m = 0; m < n; m++)
    g_string_append_printf(y, "  - {name: m%d, capacity: %s, bandwidth: 200}\n", m, tight ? "1500" : "1e12");
  g_string_append(y, "switches: [root]\ndevices:\n");
  for (int m = 0; m < n; m++)
    for (int k = 1 + (int)ho_stream_below(s, 2); k > 0; k--) add_device(y, s, d++, m);
  g_string_append(y, "links:\n");
  for (int m = 0; m < n; m++)
    g_string_append_printf(y, "  - {name: l%d, ends: [m%d, root], bandwidth: %d, latency: %d, duplex: %s, energy: 0.5}\n", m, m,
                           20 + (int)ho_stream_below(s, 100), (int)ho_stream_below(s, 2), pick(s, duplex, 3));
  if (n > 2 && coin(s, 2)) g_string_append(y, "peer_to_peer: [[m1, m2]]\n");
  g_string_append_printf(y, "contention: %s\ndispatchers: %s\n", pick(s, contention, 4), coin(s, 3) ? "one" : "per_device");
  return g_string_free(y, FALSE);
}

static char *random_graph(ho_stream *s) {
  int n = 5 + (int)ho_stream_below(s, 36);
  GString *ops = g_string_new(""), *tensors = g_string_new("");
  for (int i = 0; i < n; i++) {
    const char *comma = i ? "," : "";
    if (coin(s, 3))
      g_string_append_printf(ops, "%s{\"name\":\"o%d\",\"kind\":\"k%d\",\"time\":{\"d0\":%d,\"d1\":%d,\"d2\":%d}}", comma, i,
                             i % 3, (int)ho_stream_below(s, 5), 1 + (int)ho_stream_below(s, 5), 2);
    else
      g_string_append_printf(ops, "%s{\"name\":\"o%d\",\"kind\":\"k%d\",\"flops\":%d,\"parallelism\":%d,\"workspace\":%d%s}",
                             comma, i, i % 3, (int)ho_stream_below(s, 1000), 1 + (int)ho_stream_below(s, 200),
                             (int)ho_stream_below(s, 30), coin(s, 6) ? ",\"release\":3" : "");
    g_string_append_printf(tensors, "%s{\"name\":\"t%d\",\"shape\":[%d],\"producer\":\"o%d\",\"consumers\":[", comma, i,
                           (int)ho_stream_below(s, 40), i);
    int used = 0;
    for (int j = i + 1; j < n && j < i + 8; j++)
      if (coin(s, 3)) g_string_append_printf(tensors, "%s\"o%d\"", used++ ? "," : "", j);
    g_string_append(tensors, "]}");
    if (coin(s, 5))
      g_string_append_printf(tensors, ",{\"name\":\"w%d\",\"shape\":[%d],\"role\":\"weight\",\"consumers\":[\"o%d\"]}", i,
                             (int)ho_stream_below(s, 20), i);
    if (coin(s, 6))
      g_string_append_printf(tensors, ",{\"name\":\"i%d\",\"shape\":[%d],\"consumers\":[\"o%d\"]}", i,
                             (int)ho_stream_below(s, 20), i);
  }
  char *all =
      g_strdup_printf("{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[%s],\"tensors\":[%s]}", ops->str, tensors->str);
  g_string_free(ops, TRUE);
  g_string_free(tensors, TRUE);
  return all;
}

scene *random_scene(ho_stream *s, int tight) {
  g_autofree char *platform = random_platform(s, tight);
  g_autofree char *graph = random_graph(s);
  return scene_new(platform, graph);
}

static ho_entry random_entry(const scene *c, ho_stream *s, ho_op o, int copy) {
  ho_entry e = {.op = o, .copy = (int16_t)copy, .precision = HO_DTYPE_NONE};
  do e.device = (int16_t)ho_stream_below(s, (uint64_t)c->platform->n_devices);
  while (!ho_cost_can_run(c->cost, o, e.device));
  e.stream = (int16_t)ho_stream_below(s, (uint64_t)c->platform->device[e.device].streams);
  if (coin(s, 4) && c->graph->op[o].n_times < 0) e.precision = HO_FP16;
  if (coin(s, 4)) e.point = 1;
  if (coin(s, 8)) e.not_before = 4;
  return e;
}

ho_plan *random_plan(const scene *c, ho_stream *s) {
  const ho_graph *g = c->graph;
  ho_plan *plan = ho_plan_new(g->n_ops);
  g_autofree int32_t *missing = g_new0(int32_t, (size_t)g->n_ops + 1);
  g_autofree int32_t *ready = g_new(int32_t, (size_t)g->n_ops + 1);
  int32_t n = 0, at = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++) missing[o] += g->tensor[g->in[j]].producer >= 0;
    if (missing[o] == 0) ready[n++] = o;
  }
  while (n > 0) {
    int32_t k = (int32_t)ho_stream_below(s, (uint64_t)n);
    ho_op o = ready[k];
    ready[k] = ready[--n];
    plan->entry[at++] = random_entry(c, s, o, 0);
    if (coin(s, 10)) {
      plan->entry = g_renew(ho_entry, plan->entry, (size_t)++plan->n + 1);
      plan->entry[at++] = random_entry(c, s, o, 1);
    }
    for (int32_t j = g->out_start[o]; j < g->out_start[o + 1]; j++)
      for (int32_t u = g->use_start[g->out[j]]; u < g->use_start[g->out[j] + 1]; u++)
        if (--missing[g->use[u]] == 0) ready[n++] = g->use[u];
  }
  return plan;
}
