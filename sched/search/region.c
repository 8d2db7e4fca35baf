/* region.c: see region.h. */
#include "sched/search/region.h"

#include <string.h>

#include "base/fmath.h"

void ho_region_init(ho_region *r) {
  *r = (ho_region){0};
}

void ho_region_clear(ho_region *r) {
  g_free(r->op);
  g_free(r->inside);
}

static void begin(ho_region *r, const ho_stage *x) {
  int32_t n = ho_stage_ops(x);
  if (n > r->room) {
    r->room = n;
    r->op = g_renew(ho_op, r->op, (size_t)n);
    r->inside = g_renew(uint8_t, r->inside, (size_t)n);
  }
  memset(r->inside, 0, (size_t)n);
  r->n = 0;
}

static void add(ho_region *r, ho_op o) {
  if (r->inside[o]) return;
  r->inside[o] = 1;
  r->op[r->n++] = o;
}

/* 1 … half of the ops, log-uniform. */
static int32_t draw_size(const ho_stage *x, ho_stream *s) {
  double most = MAX(1, ho_stage_ops(x) / 2);
  return CLAMP((int32_t)ho_exp(ho_stream_uniform(s) * ho_log(most + 1)), 1, (int32_t)most);
}

static ho_op draw_op(const ho_stage *x, ho_stream *s) {
  return (ho_op)ho_stream_below(s, (uint64_t)ho_stage_ops(x));
}

void ho_region_one(ho_region *r, const ho_stage *x, ho_op o) {
  begin(r, x);
  add(r, o);
}

void ho_region_stretch(ho_region *r, const ho_stage *x, ho_stream *s) {
  begin(r, x);
  int32_t size = draw_size(x, s), from = (int32_t)ho_stream_below(s, (uint64_t)(ho_stage_ops(x) - size + 1));
  for (int32_t i = from; i < from + size; i++) add(r, x->problem.graph->topo[i]);
}

void ho_region_around(ho_region *r, const ho_stage *x, ho_op o, ho_stream *s) {
  const ho_graph *g = x->problem.graph;
  begin(r, x);
  int32_t size = draw_size(x, s);
  add(r, o);
  for (int32_t k = 0; k < r->n && r->n < size; k++) {
    ho_op at = r->op[k];
    for (int32_t i = g->in_start[at]; i < g->in_start[at + 1] && r->n < size; i++)
      if (g->tensor[g->in[i]].producer >= 0) add(r, g->tensor[g->in[i]].producer);
    for (int32_t i = g->out_start[at]; i < g->out_start[at + 1]; i++)
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1] && r->n < size; u++) add(r, g->use[u]);
  }
}

void ho_region_family(ho_region *r, const ho_stage *x, ho_family f) {
  begin(r, x);
  for (ho_op o = 0; o < ho_stage_ops(x); o++)
    if (x->problem.graph->op[o].family == f) add(r, o);
}

void ho_region_device(ho_region *r, const ho_solution *a, ho_device d) {
  begin(r, a->stage);
  for (ho_op o = 0; o < a->n; o++)
    if (a->device[o] == d) add(r, o);
}

void ho_region_layer(ho_region *r, const ho_stage *x, ho_op o) {
  const ho_graph *g = x->problem.graph;
  begin(r, x);
  add(r, o);
  for (ho_op k = 0; g->op[o].layer && k < g->n_ops; k++)
    if (g->op[k].layer && strcmp(g->op[k].layer, g->op[o].layer) == 0) add(r, k);
}

void ho_region_all(ho_region *r, const ho_stage *x) {
  begin(r, x);
  for (ho_op o = 0; o < ho_stage_ops(x); o++) add(r, o);
}

void ho_region_draw(ho_region *r, const ho_solution *a, ho_stream *s) {
  const ho_stage *x = a->stage;
  ho_op o = draw_op(x, s);
  switch (ho_stream_below(s, 8)) {
    case 0:
    case 1:
      ho_region_stretch(r, x, s);
      break;
    case 2:
    case 3:
      ho_region_around(r, x, o, s);
      break;
    case 4:
      ho_region_family(r, x, x->problem.graph->op[o].family);
      break;
    case 5:
      ho_region_layer(r, x, o);
      break;
    case 6:
      ho_region_device(r, a, a->device[o]);
      break;
    default:
      ho_region_one(r, x, o);
  }
}
