/* fluid.c: see fluid.h. */
#include "sim/fluid.h"

#include <assert.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sim/pairing.h"

typedef struct {
  int32_t resource;
  double use;
} use_t;

typedef struct {
  int32_t n_uses, n_flows;
  int32_t solved_flows; /* n_flows when it was last solved: unchanged means its rate still holds */
  int32_t first;        /* root of the heap of flows, -1 */
  int32_t component;
  int8_t listed; /* among the live classes of its component */
  double weight, cap;
  double cap_level; /* at which it has its cap */
  double rate;      /* progress/s of each flow since `since` */
  double progress;  /* V at time `since` */
  double since;     /* s */
  double due;       /* s: end of its first flow; INFINITY when empty */
} class_t;

typedef struct {
  double capacity;
  double free;   /* while solving: what frozen classes leave */
  double demand; /* while solving: growth of the load per unit of level */
  double full;   /* while solving: the level at which it is full */
} resource_t;

typedef struct {
  int32_t first_class, n_live; /* live[first_class … + n_live): classes with flows, or emptied since the last solution */
  int32_t first_resource, n_resources;
  int32_t next; /* class whose flow ends next, -1 */
  double due;
  int8_t touched;
} component_t;

struct ho_fluid {
  int32_t n_resources, n_classes, n_components, max_uses, max_flows;
  resource_t *resource;
  class_t *class_;
  use_t *use; /* [class * max_uses + i] */
  component_t *component;
  int32_t *live;         /* classes by component */
  int32_t *member;       /* resources by component */
  ho_pairing *flow;      /* key: V of the class at which it is done; order: in which flows started */
  int32_t *pair;         /* scratch of the heap */
  int8_t *stops;         /* by open class, in one round of the filling */
  int32_t n_open, *open; /* classes that are being filled */
  int32_t n_touched, *touched;
  int32_t n_changed, *changed;
  int64_t order;
};

ho_fluid *ho_fluid_new(int32_t n_resources, const double *capacity, int32_t n_classes, int32_t max_uses, int32_t max_flows) {
  ho_fluid *f = g_new0(ho_fluid, 1);
  f->n_resources = n_resources;
  f->n_classes = n_classes;
  f->max_uses = max_uses;
  f->resource = g_new0(resource_t, n_resources);
  for (int32_t r = 0; r < n_resources; r++) {
    assert(capacity[r] > 0);
    f->resource[r].capacity = capacity[r];
  }
  f->class_ = g_new0(class_t, n_classes);
  f->use = g_new0(use_t, (size_t)n_classes * (size_t)max_uses);
  f->component = g_new0(component_t, n_classes);
  f->live = g_new(int32_t, n_classes);
  f->member = g_new(int32_t, n_resources);
  f->open = g_new(int32_t, n_classes);
  f->stops = g_new(int8_t, n_classes);
  f->touched = g_new(int32_t, n_classes);
  f->changed = g_new(int32_t, n_classes);
  ho_fluid_grow(f, max_flows);
  ho_fluid_reset(f);
  return f;
}

void ho_fluid_free(ho_fluid *f) {
  if (!f) return;
  void *all[] = {f->resource, f->class_, f->use,  f->component, f->live,    f->member,
                 f->flow,     f->pair,   f->open, f->stops,     f->touched, f->changed};
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) g_free(all[i]);
  g_free(f);
}

void ho_fluid_grow(ho_fluid *f, int32_t max_flows) {
  if (f->flow && max_flows <= f->max_flows) return;
  f->max_flows = max_flows;
  f->flow = g_renew(ho_pairing, f->flow, max_flows + 1);
  f->pair = g_renew(int32_t, f->pair, max_flows + 1);
}

void ho_fluid_reset(ho_fluid *f) {
  for (int32_t c = 0; c < f->n_classes; c++) {
    class_t *k = &f->class_[c];
    k->n_flows = k->solved_flows = k->listed = 0;
    k->first = -1;
    k->rate = k->progress = k->since = 0;
    k->due = INFINITY;
  }
  for (int32_t i = 0; i < f->n_components; i++) {
    component_t *m = &f->component[i];
    m->n_live = m->touched = 0;
    m->next = -1;
    m->due = INFINITY;
  }
  f->n_touched = f->n_changed = 0;
  f->order = 0;
}

static use_t *uses_of(const ho_fluid *f, int32_t c) {
  return &f->use[(size_t)c * (size_t)f->max_uses];
}

static void touch(ho_fluid *f, int32_t component) {
  if (f->component[component].touched) return;
  f->component[component].touched = 1;
  f->touched[f->n_touched++] = component;
}

void ho_fluid_define(ho_fluid *f, int32_t c, int32_t n, const int32_t *res, const double *use, double weight, double cap) {
  class_t *k = &f->class_[c];
  assert(k->n_flows == 0 && n <= f->max_uses && weight > 0 && cap > 0);
  k->n_uses = n;
  k->weight = weight;
  k->cap = cap;
  k->cap_level = cap / weight;
  k->solved_flows = -1;
  for (int32_t i = 0; i < n; i++) {
    assert(use[i] > 0);
    uses_of(f, c)[i] = (use_t){.resource = res[i], .use = use[i]};
  }
}

/* ---- components ---------------------------------------------------------------------------------------------------------------- */

static int32_t leader(int32_t *up, int32_t i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

void ho_fluid_connect(ho_fluid *f) {
  int32_t n = f->n_resources + f->n_classes; /* resources, then classes: a class without resources is a component of its own */
  g_autofree int32_t *up = g_new(int32_t, (size_t)n + 1);
  g_autofree int32_t *number = g_new(int32_t, (size_t)n + 1);
  for (int32_t i = 0; i < n; i++) up[i] = i, number[i] = -1;
  for (int32_t c = 0; c < f->n_classes; c++)
    for (int32_t i = 0; i < f->class_[c].n_uses; i++) up[leader(up, f->n_resources + c)] = leader(up, uses_of(f, c)[i].resource);
  f->n_components = 0;
  for (int32_t c = 0; c < f->n_classes; c++) {
    int32_t *mine = &number[leader(up, f->n_resources + c)];
    if (*mine < 0) *mine = f->n_components++;
    f->class_[c].component = *mine;
  }
  int32_t classes = 0, resources = 0;
  for (int32_t m = 0; m < f->n_components; m++) {
    f->component[m] = (component_t){.first_class = classes, .first_resource = resources, .next = -1, .due = INFINITY};
    for (int32_t c = 0; c < f->n_classes; c++) classes += f->class_[c].component == m;
    for (int32_t r = 0; r < f->n_resources; r++)
      if (number[leader(up, r)] == m) f->member[resources++] = r;
    f->component[m].n_resources = resources - f->component[m].first_resource;
  }
}

/* ---- starting and ending ------------------------------------------------------------------------------------------------------- */

static void advance(class_t *k, double now) {
  if (k->since != now) {
    k->progress += k->rate * (now - k->since);
    k->since = now;
  }
}

static void set_due(const ho_fluid *f, class_t *k) {
  if (k->first < 0)
    k->due = INFINITY;
  else {
    double left = f->flow[k->first].key - k->progress;
    k->due = left <= 0 ? k->since : k->rate > 0 ? k->since + left / k->rate : INFINITY;
  }
}

static void set_next(ho_fluid *f, component_t *m) {
  m->next = -1;
  m->due = INFINITY;
  for (int32_t i = 0; i < m->n_live; i++) {
    int32_t c = f->live[m->first_class + i];
    double due = f->class_[c].due;
    if (due < m->due || (due == m->due && due < INFINITY && c < m->next)) {
      m->due = due;
      m->next = c;
    }
  }
}

void ho_fluid_start(ho_fluid *f, double now, int32_t c, double work, int32_t id) {
  assert(id >= 0 && id < f->max_flows && work >= 0);
  class_t *k = &f->class_[c];
  component_t *m = &f->component[k->component];
  if (k->n_flows == 0) {
    k->progress = 0; /* an empty class forgets: V stays small, and so does its rounding */
    k->since = now;
    if (!k->listed) f->live[m->first_class + m->n_live++] = c;
    k->listed = 1;
  } else
    advance(k, now);
  k->first = ho_pairing_push(f->flow, k->first, id, k->progress + work, f->order++);
  k->n_flows++;
  set_due(f, k);
  touch(f, k->component);
}

int32_t ho_fluid_finish(ho_fluid *f, double now, int32_t c) {
  assert(f->class_[c].due <= now);
  return ho_fluid_end(f, now, c);
}

int32_t ho_fluid_end(ho_fluid *f, double now, int32_t c) {
  class_t *k = &f->class_[c];
  assert(k->n_flows > 0);
  int32_t id = k->first;
  k->progress = f->flow[id].key; /* exactly: flows with the same end are due at the same instant */
  k->since = now;
  k->first = ho_pairing_pop(f->flow, id, f->pair);
  k->n_flows--;
  set_due(f, k);
  set_next(f, &f->component[k->component]);
  touch(f, k->component);
  return id;
}

int32_t ho_fluid_next(const ho_fluid *f, double *time) {
  int32_t best = -1;
  double t = INFINITY;
  for (int32_t i = 0; i < f->n_components; i++) {
    const component_t *m = &f->component[i];
    if (m->due < t || (m->due == t && t < INFINITY && m->next < best)) {
      t = m->due;
      best = m->next;
    }
  }
  *time = t;
  return best;
}

/* ---- rates --------------------------------------------------------------------------------------------------------------------- */

static void set_rate(ho_fluid *f, int32_t c, double rate, double now) {
  class_t *k = &f->class_[c];
  k->solved_flows = k->n_flows;
  if (rate == k->rate) return;
  advance(k, now);
  k->rate = rate;
  set_due(f, k);
  f->changed[f->n_changed++] = c;
}

/* Takes open class i out of the filling at its rate at this level. */
static void freeze(ho_fluid *f, int32_t i, double level, int last, double now) {
  int32_t c = f->open[i];
  const class_t *k = &f->class_[c];
  const use_t *u = uses_of(f, c);
  double rate = k->weight * level;
  if (rate >= k->cap * (1 - 1e-12)) rate = k->cap; /* alone means alone, to the last bit */
  for (int32_t j = 0; j < k->n_uses && !last; j++) f->resource[u[j].resource].free -= k->n_flows * rate * u[j].use;
  set_rate(f, c, rate, now);
  f->open[i] = f->open[--f->n_open];
}

/* The level at which the next resource is full or the next class at its cap. The demand is summed anew each time: what subtracting leaves
 * of a sum of unlike weights is rounding. */
static double next_level(ho_fluid *f, const component_t *m) {
  const int32_t *member = &f->member[m->first_resource];
  double next = INFINITY;
  for (int32_t i = 0; i < m->n_resources; i++) f->resource[member[i]].demand = 0;
  for (int32_t i = 0; i < f->n_open; i++) {
    const class_t *k = &f->class_[f->open[i]];
    const use_t *u = uses_of(f, f->open[i]);
    double growth = k->n_flows * k->weight;
    for (int32_t j = 0; j < k->n_uses; j++) f->resource[u[j].resource].demand += growth * u[j].use;
    if (k->cap_level < next) next = k->cap_level;
  }
  for (int32_t i = 0; i < m->n_resources; i++) {
    resource_t *r = &f->resource[member[i]];
    r->full = r->demand > 0 ? r->free / r->demand : INFINITY;
    if (r->full < next) next = r->full;
  }
  return next;
}

static int must_stop(const ho_fluid *f, const class_t *k, const use_t *u, double level) {
  if (k->cap_level <= level) return 1;
  for (int32_t j = 0; j < k->n_uses; j++)
    if (f->resource[u[j].resource].full <= level) return 1;
  return 0;
}

static void fill(ho_fluid *f, const component_t *m, double now) {
  double level = 0;
  while (f->n_open > 0) {
    double next = next_level(f, m);
    if (next > level) level = next; /* rounding may put a nearly full resource a hair below */
    int32_t before = f->n_open, stopping = 0;
    for (int32_t i = 0; i < f->n_open; i++)
      stopping += f->stops[i] = (int8_t)must_stop(f, &f->class_[f->open[i]], uses_of(f, f->open[i]), level);
    int last = stopping == f->n_open; /* nobody is left who would care what is free */
    for (int32_t i = f->n_open - 1; i >= 0; i--)
      if (f->stops[i]) freeze(f, i, level, last, now);
    assert(f->n_open < before);
    if (f->n_open == before) break;
  }
}

/* Opens the live classes of a component, and drops those that have emptied. 0: nothing changed since the last solution. */
static int open_live(ho_fluid *f, component_t *m) {
  int32_t *live = &f->live[m->first_class], kept = 0, news = 0;
  f->n_open = 0;
  for (int32_t i = 0; i < m->n_live; i++) {
    class_t *k = &f->class_[live[i]];
    news |= k->n_flows != k->solved_flows;
    if (k->n_flows > 0) {
      f->open[f->n_open++] = live[kept++] = live[i];
      continue;
    }
    k->listed = 0;
    k->solved_flows = 0;
    k->rate = 0;
  }
  m->n_live = kept;
  return news;
}

void ho_fluid_settle(ho_fluid *f, double now) {
  f->n_changed = 0;
  for (int32_t i = 0; i < f->n_touched; i++) {
    component_t *m = &f->component[f->touched[i]];
    m->touched = 0;
    if (open_live(f, m)) { /* else one left and another came: the rates hold */
      for (int32_t j = 0; j < m->n_resources; j++)
        f->resource[f->member[m->first_resource + j]].free = f->resource[f->member[m->first_resource + j]].capacity;
      fill(f, m, now);
    }
    set_next(f, m);
  }
  f->n_touched = 0;
}

double ho_fluid_rate(const ho_fluid *f, int32_t c) {
  return f->class_[c].rate;
}
int32_t ho_fluid_count(const ho_fluid *f, int32_t c) {
  return f->class_[c].n_flows;
}

double ho_fluid_load(const ho_fluid *f, int32_t r) {
  double load = 0;
  for (int32_t c = 0; c < f->n_classes; c++)
    for (int32_t i = 0; i < f->class_[c].n_uses; i++)
      if (uses_of(f, c)[i].resource == r) load += f->class_[c].n_flows * f->class_[c].rate * uses_of(f, c)[i].use;
  return load;
}

int32_t ho_fluid_changed(const ho_fluid *f, const int32_t **classes) {
  *classes = f->changed;
  return f->n_changed;
}
