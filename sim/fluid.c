/* fluid.c: see fluid.h. */
#include "sim/fluid.h"

#include <assert.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sim/pairing.h"

typedef struct {
  int32_t n_uses, n_flows;
  int32_t solved_flows; /* n_flows when it was last solved: unchanged means its rate still holds */
  int32_t first;        /* root of the heap of flows, -1 */
  double weight, cap;
  double cap_level; /* at which it has its cap */
  double rate;      /* progress/s of each flow since `since` */
  double progress;  /* V at time `since` */
  double since;     /* s */
  double due;       /* s: end of its first flow; INFINITY when empty */
  int32_t slot;     /* place in `active`, -1 */
  int32_t mark;     /* last component it was put into */
} class_t;

typedef struct {
  int32_t resource;
  int32_t place; /* in the resource's list of active classes, -1 */
  double use;
} use_t;

typedef struct {
  double capacity;
  double free;   /* while solving: what frozen classes leave */
  double demand; /* while solving: growth of the load per unit of level */
  double full;   /* while solving: the level at which it is full */
  int32_t n_users;
  int32_t mark;
} resource_t;

typedef struct {
  int32_t class_index, use_index;
} user_t;

struct ho_fluid {
  int32_t n_resources, n_classes, max_uses, max_flows;
  resource_t *resource;
  class_t *class_;
  use_t *use;                /* [class * max_uses + i] */
  user_t *user;              /* active classes of a resource: [resource * n_classes + i] */
  ho_pairing *flow;          /* key: V of the class at which it is done; order: in which flows started */
  int32_t n_active, *active; /* classes with flows */
  int32_t n_dirty, *dirty;   /* classes whose number of flows changed */
  uint8_t *is_dirty;
  int32_t n_changed, *changed;
  int32_t n_comp, *comp; /* classes of the component that is being solved */
  int32_t n_res, *res;   /* its resources */
  int32_t *pair;         /* scratch of the heap's two-pass removal */
  int32_t stamp;
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
  f->user = g_new(user_t, (size_t)n_resources * (size_t)n_classes + 1);
  f->active = g_new(int32_t, n_classes);
  f->dirty = g_new(int32_t, n_classes);
  f->is_dirty = g_new0(uint8_t, n_classes);
  f->changed = g_new(int32_t, n_classes);
  f->comp = g_new(int32_t, n_classes);
  f->res = g_new(int32_t, n_resources);
  ho_fluid_grow(f, max_flows);
  ho_fluid_reset(f);
  return f;
}

void ho_fluid_free(ho_fluid *f) {
  if (!f) return;
  g_free(f->resource);
  g_free(f->class_);
  g_free(f->use);
  g_free(f->user);
  g_free(f->flow);
  g_free(f->active);
  g_free(f->dirty);
  g_free(f->is_dirty);
  g_free(f->changed);
  g_free(f->comp);
  g_free(f->res);
  g_free(f->pair);
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
    k->n_flows = k->solved_flows = 0;
    k->first = k->slot = -1;
    k->rate = k->progress = k->since = 0;
    k->due = INFINITY;
    k->mark = 0;
  }
  for (int32_t r = 0; r < f->n_resources; r++) f->resource[r].n_users = f->resource[r].mark = 0;
  memset(f->is_dirty, 0, (size_t)f->n_classes);
  f->n_active = f->n_dirty = f->n_changed = 0;
  f->stamp = 0;
  f->order = 0;
}

/* ---- activity lists -------------------------------------------------------------------------------------------------------- */

static use_t *uses_of(const ho_fluid *f, int32_t c) {
  return &f->use[(size_t)c * (size_t)f->max_uses];
}
static user_t *users_of(const ho_fluid *f, int32_t r) {
  return &f->user[(size_t)r * (size_t)f->n_classes];
}

static void touch(ho_fluid *f, int32_t c) {
  if (f->is_dirty[c]) return;
  f->is_dirty[c] = 1;
  f->dirty[f->n_dirty++] = c;
}

static void activate(ho_fluid *f, int32_t c) {
  class_t *k = &f->class_[c];
  k->slot = f->n_active;
  f->active[f->n_active++] = c;
  use_t *u = uses_of(f, c);
  for (int32_t i = 0; i < k->n_uses; i++) {
    resource_t *r = &f->resource[u[i].resource];
    u[i].place = r->n_users;
    users_of(f, u[i].resource)[r->n_users++] = (user_t){c, i};
  }
}

static void deactivate(ho_fluid *f, int32_t c) {
  class_t *k = &f->class_[c];
  int32_t last = f->active[--f->n_active];
  f->active[k->slot] = last;
  f->class_[last].slot = k->slot;
  k->slot = -1;
  use_t *u = uses_of(f, c);
  for (int32_t i = 0; i < k->n_uses; i++) {
    user_t *list = users_of(f, u[i].resource);
    user_t moved = list[--f->resource[u[i].resource].n_users];
    list[u[i].place] = moved;
    uses_of(f, moved.class_index)[moved.use_index].place = u[i].place;
    u[i].place = -1;
  }
}

/* Takes a class off the lists before it was retired, so that it can be defined anew: those it shared with are solved again. */
static void withdraw(ho_fluid *f, int32_t c) {
  class_t *k = &f->class_[c];
  const use_t *u = uses_of(f, c);
  for (int32_t i = 0; i < k->n_uses; i++) {
    const user_t *list = users_of(f, u[i].resource);
    for (int32_t j = 0; j < f->resource[u[i].resource].n_users; j++) {
      int32_t other = list[j].class_index;
      if (other == c) continue;
      f->class_[other].solved_flows = -1;
      touch(f, other);
    }
  }
  deactivate(f, c);
  k->solved_flows = 0;
  k->rate = 0;
}

void ho_fluid_define(ho_fluid *f, int32_t c, int32_t n, const int32_t *res, const double *use, double weight, double cap) {
  class_t *k = &f->class_[c];
  assert(k->n_flows == 0 && n <= f->max_uses && weight > 0 && cap > 0);
  if (k->slot >= 0) withdraw(f, c);
  k->n_uses = n;
  k->weight = weight;
  k->cap = cap;
  k->cap_level = cap / weight;
  for (int32_t i = 0; i < n; i++) {
    assert(use[i] > 0);
    f->use[(size_t)c * (size_t)f->max_uses + (size_t)i] = (use_t){.resource = res[i], .place = -1, .use = use[i]};
  }
}

/* ---- starting and ending ----------------------------------------------------------------------------------------------------- */

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

void ho_fluid_start(ho_fluid *f, double now, int32_t c, double work, int32_t id) {
  assert(id >= 0 && id < f->max_flows && work >= 0);
  class_t *k = &f->class_[c];
  if (k->n_flows == 0) {
    k->progress = 0; /* an empty class forgets: V stays small, and so does its rounding */
    k->since = now;
    if (k->slot < 0) activate(f, c);
  } else
    advance(k, now);
  k->first = ho_pairing_push(f->flow, k->first, id, k->progress + work, f->order++);
  k->n_flows++;
  set_due(f, k);
  touch(f, c);
}

int32_t ho_fluid_finish(ho_fluid *f, double now, int32_t c) {
  class_t *k = &f->class_[c];
  assert(k->n_flows > 0 && k->due <= now);
  int32_t id = k->first;
  k->progress = f->flow[id].key; /* exactly: flows with the same end are due at the same instant */
  k->since = now;
  k->first = ho_pairing_pop(f->flow, id, f->pair);
  k->n_flows--;
  set_due(f, k);
  touch(f, c);
  return id;
}

int32_t ho_fluid_next(const ho_fluid *f, double *time) {
  int32_t best = -1;
  double t = INFINITY;
  for (int32_t i = 0; i < f->n_active; i++) {
    int32_t c = f->active[i];
    double due = f->class_[c].due;
    if (due < t || (due == t && c < best)) {
      t = due;
      best = c;
    }
  }
  *time = t;
  return best;
}

/* ---- rates ------------------------------------------------------------------------------------------------------------------- */

static void gather(ho_fluid *f, int32_t c) {
  class_t *k = &f->class_[c];
  if (k->mark == f->stamp) return;
  k->mark = f->stamp;
  f->comp[f->n_comp++] = c;
}

/* The active classes connected with class c by resources, and those resources, into comp and res. */
static void component_of(ho_fluid *f, int32_t c) {
  f->n_comp = f->n_res = 0;
  gather(f, c);
  for (int32_t head = 0; head < f->n_comp; head++) {
    int32_t k = f->comp[head];
    const use_t *u = uses_of(f, k);
    for (int32_t i = 0; i < f->class_[k].n_uses; i++) {
      resource_t *r = &f->resource[u[i].resource];
      if (r->mark == f->stamp) continue;
      r->mark = f->stamp;
      r->free = r->capacity;
      r->demand = 0;
      f->res[f->n_res++] = u[i].resource;
      const user_t *list = users_of(f, u[i].resource);
      for (int32_t j = 0; j < r->n_users; j++) gather(f, list[j].class_index);
    }
  }
}

static void set_rate(ho_fluid *f, int32_t c, double rate, double now) {
  class_t *k = &f->class_[c];
  k->solved_flows = k->n_flows;
  if (rate == k->rate) return;
  advance(k, now);
  k->rate = rate;
  set_due(f, k);
  f->changed[f->n_changed++] = c;
}

/* Takes class i of the component out of the filling at its final rate. */
static void freeze(ho_fluid *f, int32_t i, double rate, double now) {
  int32_t c = f->comp[i];
  const class_t *k = &f->class_[c];
  const use_t *u = uses_of(f, c);
  for (int32_t j = 0; j < k->n_uses; j++) f->resource[u[j].resource].free -= k->n_flows * rate * u[j].use;
  set_rate(f, c, rate, now);
  f->comp[i] = f->comp[--f->n_comp];
}

/* The level at which the next resource is full or the next class at its cap. The demand is summed anew each time: what subtracting leaves
 * of a sum of unlike weights is rounding. */
static double next_level(ho_fluid *f) {
  double next = INFINITY;
  for (int32_t i = 0; i < f->n_res; i++) f->resource[f->res[i]].demand = 0;
  for (int32_t i = 0; i < f->n_comp; i++) {
    const class_t *k = &f->class_[f->comp[i]];
    const use_t *u = uses_of(f, f->comp[i]);
    double growth = k->n_flows * k->weight;
    for (int32_t j = 0; j < k->n_uses; j++) f->resource[u[j].resource].demand += growth * u[j].use;
    if (k->cap_level < next) next = k->cap_level;
  }
  for (int32_t i = 0; i < f->n_res; i++) {
    resource_t *r = &f->resource[f->res[i]];
    r->full = r->demand > 0 ? r->free / r->demand : INFINITY;
    if (r->full < next) next = r->full;
  }
  return next;
}

static void solve(ho_fluid *f, double now) {
  double level = 0;
  while (f->n_comp > 0) {
    double next = next_level(f);
    if (next > level) level = next; /* rounding may put a nearly full resource a hair below */
    int32_t left = f->n_comp;
    for (int32_t i = f->n_comp - 1; i >= 0; i--) {
      int32_t c = f->comp[i];
      const class_t *k = &f->class_[c];
      const use_t *u = uses_of(f, c);
      int stop = k->cap_level <= level || k->n_flows == 0;
      double rate = stop ? k->cap : k->weight * level;
      for (int32_t j = 0; j < k->n_uses && !stop; j++) stop = f->resource[u[j].resource].full <= level;
      if (stop)
        freeze(f, i,
               k->n_flows == 0                ? 0
               : rate >= k->cap * (1 - 1e-12) ? k->cap
                                              : rate,
               now); /* alone means alone, to the last bit */
    }
    assert(f->n_comp < left);
    if (f->n_comp == left) break;
  }
}

/* Takes an emptied class off the lists; unless its component was solved already, the others there share what it leaves. */
static void retire(ho_fluid *f, int32_t c, double now) {
  class_t *k = &f->class_[c];
  if (k->slot < 0) return; /* withdrawn */
  int solved = k->mark == f->stamp;
  if (!solved) component_of(f, c);
  deactivate(f, c);
  k->solved_flows = 0;
  k->rate = 0;
  if (solved) return;
  f->comp[0] = f->comp[--f->n_comp]; /* c is the first of its own component */
  solve(f, now);
}

void ho_fluid_settle(ho_fluid *f, double now) {
  f->n_changed = 0;
  if (f->n_dirty == 0) return;
  f->stamp++;
  for (int32_t i = 0; i < f->n_dirty; i++) {
    const class_t *k = &f->class_[f->dirty[i]];
    /* One left and another came: the rates hold. */
    if (k->n_flows == 0 || k->n_flows == k->solved_flows || k->mark == f->stamp) continue;
    component_of(f, f->dirty[i]);
    solve(f, now);
  }
  for (int32_t i = 0; i < f->n_dirty; i++) {
    int32_t c = f->dirty[i];
    f->is_dirty[c] = 0;
    if (f->class_[c].n_flows == 0) retire(f, c, now);
  }
  f->n_dirty = 0;
}

double ho_fluid_rate(const ho_fluid *f, int32_t c) {
  return f->class_[c].rate;
}
int32_t ho_fluid_count(const ho_fluid *f, int32_t c) {
  return f->class_[c].n_flows;
}

double ho_fluid_load(const ho_fluid *f, int32_t r) {
  double load = 0;
  const user_t *list = users_of(f, r);
  for (int32_t j = 0; j < f->resource[r].n_users; j++) {
    const class_t *k = &f->class_[list[j].class_index];
    load += k->n_flows * k->rate * uses_of(f, list[j].class_index)[list[j].use_index].use;
  }
  return load;
}

int32_t ho_fluid_changed(const ho_fluid *f, const int32_t **classes) {
  *classes = f->changed;
  return f->n_changed;
}
