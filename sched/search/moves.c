/* moves.c: see moves.h. */
#include "sched/search/moves.h"

#include "sched/search/rewriting.h"

#define LEAST 0.02          /* probability of a kind that brings nothing */
#define LEAST_REWRITE 0.002 /* the same of a kind that makes a new graph, which takes as long as a hundred evaluations */
#define MEMORY 0.02         /* weight of the last child in a kind's quality */

struct ho_mover {
  const ho_problem *q;
  ho_move_setup setup;
  ho_stream *s;
  ho_region region;
  int8_t precision[HO_N_PRECISIONS + 1]; /* wishes that can be made, HO_DTYPE_NONE the first */
  int32_t n_precisions, n_points;        /* points: the most that a device has */
  int possible[HO_N_MOVES];
  double quality[HO_N_MOVES];
};

static int is_rewriting(ho_move k) {
  return k == HO_MOVE_ADD || k == HO_MOVE_DROP || k == HO_MOVE_SHARES;
}

static void find_wishes(ho_mover *m) {
  const ho_platform *p = m->q->platform;
  uint32_t precisions = 0;
  for (ho_device d = 0; d < p->n_devices; d++) {
    precisions |= p->device[d].precisions;
    m->n_points = MAX(m->n_points, p->device[d].n_points);
  }
  m->precision[m->n_precisions++] = HO_DTYPE_NONE;
  for (int k = 0; k < HO_N_PRECISIONS; k++)
    if (precisions >> k & 1) m->precision[m->n_precisions++] = (int8_t)k;
}

ho_mover *ho_mover_new(const ho_problem *q, const ho_move_setup *setup, ho_stream *s) {
  ho_mover *m = g_new0(ho_mover, 1);
  m->q = q;
  m->setup = *setup;
  m->s = s;
  ho_region_init(&m->region);
  find_wishes(m);
  for (int k = 0; k < HO_N_MOVES; k++) {
    m->possible[k] = 1;
    m->quality[k] = is_rewriting((ho_move)k) ? 0.1 : 0.5;
  }
  int several = q->platform->n_devices > 1;
  for (int k = HO_MOVE_PLACE; k <= HO_MOVE_EVACUATE; k++) m->possible[k] = several;
  if (!setup->regions) {
    const ho_move large[] = {HO_MOVE_PLACE, HO_MOVE_CUT, HO_MOVE_EVACUATE, HO_MOVE_SHIFT, HO_MOVE_RESET, HO_MOVE_CROSS};
    for (size_t i = 0; i < G_N_ELEMENTS(large); i++) m->possible[large[i]] = 0;
  }
  m->possible[HO_MOVE_PRECISION] = setup->precision && m->n_precisions > 1;
  m->possible[HO_MOVE_POINT] = setup->points && m->n_points > 1;
  for (int k = HO_MOVE_ADD; k <= HO_MOVE_SHARES; k++) m->possible[k] = setup->rewrites;
  return m;
}

void ho_mover_free(ho_mover *m) {
  if (!m) return;
  ho_region_clear(&m->region);
  g_free(m);
}

/* --- which ------------------------------------------------------------------------------------------------------------------------- */
static ho_move draw_kind(ho_mover *m, int may_rewrite) {
  double weight[HO_N_MOVES], sum = 0;
  for (int k = 0; k < HO_N_MOVES; k++) {
    int rewriting = is_rewriting((ho_move)k);
    weight[k] = 0;
    if (!m->possible[k] || (rewriting && !may_rewrite)) continue;
    weight[k] = rewriting ? LEAST_REWRITE + LEAST * m->quality[k] : LEAST + m->quality[k];
    sum += weight[k];
  }
  double at = ho_stream_uniform(m->s) * sum;
  int last = HO_MOVE_ORDER; /* always possible */
  for (int k = 0; k < HO_N_MOVES; k++) {
    if (weight[k] == 0) continue;
    last = k;
    if (at < weight[k]) break;
    at -= weight[k];
  }
  return (ho_move)last;
}

void ho_mover_credit(ho_mover *m, ho_move kind, int success) {
  m->quality[kind] += MEMORY * ((success ? 1 : 0) - m->quality[kind]);
}

/* --- places ------------------------------------------------------------------------------------------------------------------------ */
static ho_op draw_op(ho_mover *m, const ho_solution *a) {
  return (ho_op)ho_stream_below(m->s, (uint64_t)a->n);
}

static int16_t draw_device(ho_mover *m) {
  return (int16_t)ho_stream_below(m->s, (uint64_t)m->q->platform->n_devices);
}

/* The region's ops go to d where they can. */
static int place_region(ho_mover *m, ho_solution *a, int16_t d) {
  int changed = 0;
  for (int32_t i = 0; i < m->region.n; i++) {
    ho_op o = m->region.op[i];
    if (a->device[o] == d || ho_space_allowed(a->stage->space, o, d) != d) continue;
    a->device[o] = d;
    changed = 1;
  }
  return changed;
}

static int place_one(ho_mover *m, ho_solution *a) {
  const ho_space *v = a->stage->space;
  ho_op o = draw_op(m, a);
  int32_t n = ho_space_choices(v, o);
  if (n < 2) return 0;
  int16_t d = v->device[v->start[o] + (int32_t)ho_stream_below(m->s, (uint64_t)n - 1)];
  a->device[o] = d != a->device[o] ? d : v->device[v->start[o] + n - 1];
  return 1;
}

/* Looks from a drawn op on for an edge between devices; the piece around one of its ends takes the other end's device. */
static int move_cut(ho_mover *m, ho_solution *a) {
  const ho_graph *g = a->stage->problem.graph;
  ho_op first = draw_op(m, a);
  for (int32_t k = 0; k < a->n; k++) {
    ho_op o = (first + k) % a->n;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
      ho_op p = g->tensor[g->in[i]].producer;
      if (p < 0 || a->device[p] == a->device[o]) continue;
      int back = (int)ho_stream_below(m->s, 2);
      ho_op from = back ? p : o;
      int16_t d = a->device[back ? o : p], old = a->device[from];
      ho_region_around(&m->region, a->stage, from, m->s);
      int32_t kept = 0; /* only what is on the same side goes over */
      for (int32_t r = 0; r < m->region.n; r++)
        if (a->device[m->region.op[r]] == old) m->region.op[kept++] = m->region.op[r];
      m->region.n = kept;
      return place_region(m, a, d);
    }
  }
  return 0;
}

static int evacuate(ho_mover *m, ho_solution *a) {
  ho_region_device(&m->region, a, a->device[draw_op(m, a)]);
  return place_region(m, a, draw_device(m));
}

/* --- order ------------------------------------------------------------------------------------------------------------------------- */
static int order_one(ho_mover *m, ho_solution *a) {
  ho_op o = draw_op(m, a), other = draw_op(m, a);
  if (o == other) return 0;
  a->priority[o] = a->priority[other] + (ho_stream_uniform(m->s) - 0.5) * 2 / a->n;
  return 1;
}

static int shift_region(ho_mover *m, ho_solution *a) {
  double by = 0.2 * ho_stream_normal(m->s);
  ho_region_draw(&m->region, a, m->s);
  for (int32_t i = 0; i < m->region.n; i++) a->priority[m->region.op[i]] += by;
  return 1;
}

static int reset_order(ho_mover *m, ho_solution *a) {
  switch (ho_stream_below(m->s, 3)) {
    case 0:
      ho_priority_topological(a->stage->problem.graph, a->priority);
      break;
    case 1:
      ho_priority_depth_first(a->stage->problem.graph, a->priority);
      break;
    default:
      a->streams = !a->streams;
  }
  return 1;
}

/* --- wishes ------------------------------------------------------------------------------------------------------------------------ */
/* A region for wishes: everything now and then, since uniform wishes are the corners of the front. */
static void draw_wide(ho_mover *m, const ho_solution *a) {
  if (!m->setup.regions)
    ho_region_one(&m->region, a->stage, draw_op(m, a));
  else if (ho_stream_below(m->s, 6) == 0)
    ho_region_all(&m->region, a->stage);
  else
    ho_region_draw(&m->region, a, m->s);
}

static int wish(ho_mover *m, int8_t *of, int8_t value) {
  int changed = 0;
  for (int32_t i = 0; i < m->region.n; i++) {
    changed |= of[m->region.op[i]] != value;
    of[m->region.op[i]] = value;
  }
  return changed;
}

static int change_precision(ho_mover *m, ho_solution *a) {
  draw_wide(m, a);
  return wish(m, a->precision, m->precision[ho_stream_below(m->s, (uint64_t)m->n_precisions)]);
}

static int change_point(ho_mover *m, ho_solution *a) {
  draw_wide(m, a);
  return wish(m, a->point, (int8_t)ho_stream_below(m->s, (uint64_t)m->n_points));
}

/* --- others ------------------------------------------------------------------------------------------------------------------------- */
static int cross(ho_mover *m, ho_solution *a, const ho_solution *mate) {
  ho_solution *other = ho_solution_carry(mate, a->stage);
  ho_region_draw(&m->region, a, m->s);
  int changed = 0;
  for (int32_t i = 0; i < m->region.n; i++) {
    ho_op o = m->region.op[i];
    changed |= a->device[o] != other->device[o] || a->precision[o] != other->precision[o] || a->point[o] != other->point[o] ||
               a->priority[o] != other->priority[o];
    a->device[o] = other->device[o];
    a->precision[o] = other->precision[o];
    a->point[o] = other->point[o];
    a->priority[o] = other->priority[o];
  }
  ho_solution_free(other);
  return changed;
}

static int apply(ho_mover *m, ho_move kind, ho_solution *a, const ho_solution *mate) {
  switch (kind) {
    case HO_MOVE_PLACE:
      ho_region_draw(&m->region, a, m->s);
      return place_region(m, a, draw_device(m));
    case HO_MOVE_PLACE_ONE:
      return place_one(m, a);
    case HO_MOVE_CUT:
      return move_cut(m, a);
    case HO_MOVE_EVACUATE:
      return evacuate(m, a);
    case HO_MOVE_ORDER:
      return order_one(m, a);
    case HO_MOVE_SHIFT:
      return shift_region(m, a);
    case HO_MOVE_RESET:
      return reset_order(m, a);
    case HO_MOVE_PRECISION:
      return change_precision(m, a);
    case HO_MOVE_POINT:
      return change_point(m, a);
    default:
      return cross(m, a, mate);
  }
}

ho_solution *ho_mover_child(ho_mover *m, const ho_solution *a, const ho_solution *mate, int may_rewrite, ho_move *kind) {
  *kind = draw_kind(m, may_rewrite);
  switch (*kind) {
    case HO_MOVE_ADD:
      return ho_rewriting_add(a, m->s);
    case HO_MOVE_DROP:
      return ho_rewriting_drop(a, m->s);
    case HO_MOVE_SHARES:
      return ho_rewriting_shares(a, m->s);
    default:
      break;
  }
  ho_solution *child = ho_solution_copy(a);
  if (apply(m, *kind, child, mate)) return child;
  ho_solution_free(child);
  return NULL;
}
