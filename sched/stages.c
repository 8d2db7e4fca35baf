/* stages.c: see stages.h. */
#include "sched/stages.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/ideals.h"

double ho_stages_load(const ho_stages *p, const uint8_t *in, int32_t type) {
  double load = 0, bytes = 0;
  for (int32_t u = 0; u < p->n_units; u++) {
    if (!in[u]) continue;
    load += p->seconds[(int64_t)u * p->n_types + type];
    bytes += p->bytes[u];
  }
  for (int32_t x = 0; x < p->n_messages; x++) {
    int inside = 0, outside = 0;
    for (int32_t i = p->use_start[x]; i < p->use_start[x + 1]; i++) *(in[p->use[i]] ? &inside : &outside) = 1;
    int64_t k = (int64_t)x * p->n_types + type;
    if (in[p->from[x]] ? outside : inside) load += in[p->from[x]] ? p->cost_out[k] : p->cost_in[k];
  }
  return bytes <= p->capacity[type] ? load : INFINITY;
}

/* The stage that grows unit by unit while the walk goes down the ideals. */
typedef struct {
  const ho_stages *p;
  int32_t *touch_start, *touch; /* by unit: messages that it makes or reads */
  uint8_t *made_inside;         /* by message */
  int32_t *read_inside;         /* by message: units that read it */
  int32_t depth;
  double *seconds, *cost; /* [depth * n_types + type] */
  int32_t *forbidden;     /* the same: units that cannot run there */
  double *bytes;          /* by depth */
} stage;

static void list_touches(stage *s) {
  const ho_stages *p = s->p;
  s->touch_start = g_new0(int32_t, (size_t)p->n_units + 2);
  for (int32_t x = 0; x < p->n_messages; x++) {
    s->touch_start[p->from[x] + 1]++;
    for (int32_t i = p->use_start[x]; i < p->use_start[x + 1]; i++) s->touch_start[p->use[i] + 1]++;
  }
  for (int32_t u = 0; u < p->n_units; u++) s->touch_start[u + 1] += s->touch_start[u];
  s->touch = g_new(int32_t, (size_t)s->touch_start[p->n_units] + 1);
  g_autofree int32_t *at = g_memdup2(s->touch_start, sizeof(int32_t) * ((size_t)p->n_units + 1));
  for (int32_t x = 0; x < p->n_messages; x++) {
    s->touch[at[p->from[x]]++] = x;
    for (int32_t i = p->use_start[x]; i < p->use_start[x + 1]; i++) s->touch[at[p->use[i]]++] = x;
  }
}

static void stage_init(stage *s, const ho_stages *p) {
  size_t cells = ((size_t)p->n_units + 2) * (size_t)p->n_types;
  *s = (stage){.p = p};
  list_touches(s);
  s->made_inside = g_new0(uint8_t, (size_t)p->n_messages + 1);
  s->read_inside = g_new0(int32_t, (size_t)p->n_messages + 1);
  s->seconds = g_new0(double, cells);
  s->cost = g_new0(double, cells);
  s->forbidden = g_new0(int32_t, cells);
  s->bytes = g_new0(double, (size_t)p->n_units + 2);
}

static void stage_clear(stage *s) {
  g_free(s->touch_start);
  g_free(s->touch);
  g_free(s->made_inside);
  g_free(s->read_inside);
  g_free(s->seconds);
  g_free(s->cost);
  g_free(s->forbidden);
  g_free(s->bytes);
}

/* Cost of message x at the border of the stage as it is; 0: it does not cross. */
static double border_cost(const stage *s, int32_t x, int32_t type) {
  const ho_stages *p = s->p;
  int32_t readers = p->use_start[x + 1] - p->use_start[x];
  if (s->made_inside[x]) return s->read_inside[x] < readers ? p->cost_out[(int64_t)x * p->n_types + type] : 0;
  return s->read_inside[x] > 0 ? p->cost_in[(int64_t)x * p->n_types + type] : 0;
}

static void count_unit(stage *s, int32_t unit, int32_t by) {
  for (int32_t i = s->touch_start[unit]; i < s->touch_start[unit + 1]; i++) {
    int32_t x = s->touch[i];
    if (s->p->from[x] == unit)
      s->made_inside[x] = by > 0;
    else
      s->read_inside[x] += by;
  }
}

static void add_border(const stage *s, int32_t unit, double sign, double *cost) {
  for (int32_t i = s->touch_start[unit]; i < s->touch_start[unit + 1]; i++)
    for (int32_t t = 0; t < s->p->n_types; t++) cost[t] += sign * border_cost(s, s->touch[i], t);
}

static void push(stage *s, int32_t unit) {
  int32_t n = s->p->n_types;
  size_t here = (size_t)s->depth * (size_t)n, there = here + (size_t)n;
  memcpy(s->cost + there, s->cost + here, sizeof(double) * (size_t)n);
  add_border(s, unit, -1, s->cost + there);
  count_unit(s, unit, 1);
  add_border(s, unit, 1, s->cost + there);
  for (int32_t t = 0; t < n; t++) {
    double seconds = s->p->seconds[(int64_t)unit * n + t];
    s->seconds[there + (size_t)t] = s->seconds[here + (size_t)t] + (isfinite(seconds) ? seconds : 0);
    s->forbidden[there + (size_t)t] = s->forbidden[here + (size_t)t] + !isfinite(seconds);
  }
  s->bytes[s->depth + 1] = s->bytes[s->depth] + s->p->bytes[unit];
  s->depth++;
}

static void pop(stage *s, int32_t unit) {
  count_unit(s, unit, -1);
  s->depth--;
}

static double load_on(const stage *s, int32_t type) {
  size_t k = (size_t)s->depth * (size_t)s->p->n_types + (size_t)type;
  if (s->forbidden[k] || s->bytes[s->depth] > s->p->capacity[type]) return INFINITY;
  return s->seconds[k] + s->cost[k];
}

/* --- the programme ---------------------------------------------------------------------------------------------------------- */
typedef struct {
  const ho_stages *p;
  const ho_ideals *ideals;
  stage stage;
  int32_t n_used;    /* combinations of devices in use */
  int32_t *stride;   /* by type: of its number in a combination */
  double *least;     /* [ideal * n_used + combination]: least greatest load with these devices */
  int32_t *from;     /* the same: the ideal before the last stage; -1: the last device is empty */
  int8_t *last_type; /* the same */
  int32_t *seen;     /* by ideal: the one whose walk saw it last */
} programme;

static int32_t number_of(const programme *w, int32_t used, int32_t type) {
  return used / w->stride[type] % (w->p->devices[type] + 1);
}

/* The stage between `sub` and `ideal` is on one more device of each type in turn. */
static void relax(programme *w, int32_t ideal, int32_t sub) {
  for (int32_t t = 0; t < w->p->n_types; t++) {
    double load = load_on(&w->stage, t);
    if (!isfinite(load)) continue;
    for (int32_t used = 0; used < w->n_used; used++) {
      if (number_of(w, used, t) == 0) continue;
      int64_t k = (int64_t)ideal * w->n_used + used;
      double value = fmax(load, w->least[(int64_t)sub * w->n_used + used - w->stride[t]]);
      if (!(value < w->least[k])) continue;
      w->least[k] = value;
      w->from[k] = sub;
      w->last_type[k] = (int8_t)t;
    }
  }
}

/* Goes from an ideal down to all that it holds, each once, the stage being the difference. */
static void walk_down(programme *w, int32_t ideal, int32_t *edge_of) {
  const ho_ideals *x = w->ideals;
  int32_t depth = 0;
  edge_of[0] = x->first[ideal];
  while (depth >= 0) {
    int32_t e = edge_of[depth];
    if (e < 0) {
      if (--depth >= 0) {
        pop(&w->stage, x->unit[edge_of[depth]]);
        edge_of[depth] = x->next[edge_of[depth]];
      }
      continue;
    }
    int32_t less = x->less[e];
    if (w->seen[less] == ideal) {
      edge_of[depth] = x->next[e];
      continue;
    }
    w->seen[less] = ideal;
    push(&w->stage, x->unit[e]);
    relax(w, ideal, less);
    edge_of[++depth] = x->first[less];
  }
}

/* A device may stay empty. */
static void leave_empty(programme *w, int32_t ideal) {
  for (int32_t used = 0; used < w->n_used; used++)
    for (int32_t t = 0; t < w->p->n_types; t++) {
      if (number_of(w, used, t) == 0) continue;
      int64_t k = (int64_t)ideal * w->n_used + used;
      if (!(w->least[k - w->stride[t]] < w->least[k])) continue;
      w->least[k] = w->least[k - w->stride[t]];
      w->from[k] = -1;
      w->last_type[k] = (int8_t)t;
    }
}

/* From the whole back to the empty set. The units of a stage are on any way down between its ideals. */
static void trace_back(const programme *w, int32_t *type, int32_t *number) {
  int32_t ideal = w->ideals->n - 1, used = w->n_used - 1;
  while (ideal > 0) {
    int64_t k = (int64_t)ideal * w->n_used + used;
    int32_t t = w->last_type[k], sub = w->from[k];
    if (sub >= 0) {
      /* all units of `ideal` belong to this stage until earlier stages claim theirs */
      g_autofree uint8_t *visited = g_new0(uint8_t, (size_t)w->ideals->n);
      g_autofree int32_t *queue = g_new(int32_t, (size_t)w->ideals->n);
      int32_t n = 0;
      queue[n++] = ideal;
      for (int32_t i = 0; i < n; i++)
        for (int32_t e = w->ideals->first[queue[i]]; e >= 0; e = w->ideals->next[e]) {
          type[w->ideals->unit[e]] = t;
          number[w->ideals->unit[e]] = number_of(w, used, t) - 1;
          if (visited[w->ideals->less[e]]) continue;
          visited[w->ideals->less[e]] = 1;
          queue[n++] = w->ideals->less[e];
        }
      ideal = sub;
    }
    used -= w->stride[t];
  }
}

double ho_stages_solve(const ho_stages *p, int32_t most, int32_t *type, int32_t *number) {
  ho_ideals *ideals = ho_ideals_new(p->n_units, p->n_orders, p->before, p->after, most);
  if (!ideals) return -1;
  programme w = {.p = p, .ideals = ideals, .n_used = 1};
  w.stride = g_new(int32_t, (size_t)p->n_types + 1);
  for (int32_t t = 0; t < p->n_types; t++) {
    w.stride[t] = w.n_used;
    w.n_used *= p->devices[t] + 1;
  }
  size_t cells = (size_t)ideals->n * (size_t)w.n_used;
  w.least = g_new(double, cells);
  w.from = g_new(int32_t, cells);
  w.last_type = g_new0(int8_t, cells);
  w.seen = g_new0(int32_t, (size_t)ideals->n + 1);
  g_autofree int32_t *edge_of = g_new(int32_t, (size_t)p->n_units + 2);
  stage_init(&w.stage, p);
  for (size_t k = 0; k < cells; k++) {
    w.least[k] = k < (size_t)w.n_used ? 0 : INFINITY;
    w.from[k] = -1;
  }
  for (int32_t i = 1; i < ideals->n; i++) {
    walk_down(&w, i, edge_of);
    leave_empty(&w, i);
  }
  double load = w.least[cells - 1];
  if (isfinite(load)) trace_back(&w, type, number);
  stage_clear(&w.stage);
  g_free(w.stride);
  g_free(w.least);
  g_free(w.from);
  g_free(w.last_type);
  g_free(w.seen);
  ho_ideals_free(ideals);
  return load;
}
