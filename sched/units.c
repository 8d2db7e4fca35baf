/* units.c: see units.h. */
#include "sched/units.h"

#include <glib.h>
#include <string.h>

/* The layer's number, or a fresh one for an op without. Returns how many there are. */
static int32_t number_layers(const ho_graph *g, ho_units_kind kind, int32_t *of) {
  g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);
  int32_t n = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    const char *layer = kind == HO_UNITS_LAYERS ? g->op[o].layer : NULL;
    int32_t known = layer ? GPOINTER_TO_INT(g_hash_table_lookup(by_name, layer)) : 0;
    of[o] = known ? known - 1 : n++;
    if (layer && !known) g_hash_table_insert(by_name, (gpointer)layer, GINT_TO_POINTER(of[o] + 1));
  }
  return n;
}

static void mark_forward(const ho_graph *g, const int32_t *of, uint8_t *forward) {
  for (ho_op o = 0; o < g->n_ops; o++) forward[of[o]] |= g->op[o].phase == HO_PHASE_FORWARD;
}

/* Ops of units without a forward op join their first producer's. */
static void join_producers(const ho_graph *g, int32_t *of, const uint8_t *forward) {
  for (int32_t k = 0; k < g->n_ops; k++) {
    ho_op o = g->topo[k];
    if (forward[of[o]]) continue;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
      ho_op p = g->tensor[g->in[i]].producer;
      if (p < 0) continue;
      of[o] = of[p];
      break;
    }
  }
}

/* Calls `pair` for all data between units that orders them. */
static void each_order(const ho_graph *g, const int32_t *of, const uint8_t *forward,
                       void (*pair)(void *data, int32_t a, int32_t b), void *data) {
  for (ho_op o = 0; o < g->n_ops; o++)
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
      ho_op p = g->tensor[g->in[i]].producer;
      if (p < 0 || of[p] == of[o]) continue;
      int both = g->op[p].phase == HO_PHASE_FORWARD && g->op[o].phase == HO_PHASE_FORWARD;
      if (both || !forward[of[p]] || !forward[of[o]]) pair(data, of[p], of[o]);
    }
}

/* --- circles: Tarjan's strongly connected components, without recursion ------------------------------------------------------- */
typedef struct {
  GArray **next; /* by unit: those after it */
} successors;

static void add_successor(void *data, int32_t a, int32_t b) {
  successors *s = data;
  if (!s->next[a]) s->next[a] = g_array_new(FALSE, FALSE, sizeof(int32_t));
  g_array_append_val(s->next[a], b);
}

typedef struct {
  int32_t *index, *low, *stack, *path;
  guint *at; /* by unit on the path: the successor to look at next */
  uint8_t *on_stack;
  int32_t *component;
  int32_t counter, n_stack, n_path, n_components;
} tarjan;

static void enter(tarjan *t, int32_t u) {
  t->index[u] = t->low[u] = ++t->counter;
  t->stack[t->n_stack++] = u;
  t->on_stack[u] = 1;
  t->path[t->n_path++] = u;
  t->at[u] = 0;
}

static void leave(tarjan *t, int32_t u) {
  t->n_path--;
  if (t->n_path > 0) t->low[t->path[t->n_path - 1]] = MIN(t->low[t->path[t->n_path - 1]], t->low[u]);
  if (t->low[u] != t->index[u]) return;
  for (int32_t v = -1; v != u;) {
    v = t->stack[--t->n_stack];
    t->on_stack[v] = 0;
    t->component[v] = t->n_components;
  }
  t->n_components++;
}

static void visit(tarjan *t, const successors *s, int32_t root) {
  enter(t, root);
  while (t->n_path > 0) {
    int32_t u = t->path[t->n_path - 1];
    if (!s->next[u] || t->at[u] == s->next[u]->len) {
      leave(t, u);
      continue;
    }
    int32_t v = g_array_index(s->next[u], int32_t, t->at[u]++);
    if (!t->index[v])
      enter(t, v);
    else if (t->on_stack[v])
      t->low[u] = MIN(t->low[u], t->index[v]);
  }
}

/* Units in a circle get one number. */
static void merge_circles(const ho_graph *g, int32_t n, int32_t *of, const uint8_t *forward) {
  size_t size = (size_t)n + 1;
  g_autofree GArray **next = g_new0(GArray *, size);
  g_autofree int32_t *index = g_new0(int32_t, size), *low = g_new0(int32_t, size), *stack = g_new0(int32_t, size),
                     *path = g_new0(int32_t, size), *component = g_new0(int32_t, size);
  g_autofree guint *at = g_new0(guint, size);
  g_autofree uint8_t *on_stack = g_new0(uint8_t, size);
  successors s = {next};
  each_order(g, of, forward, add_successor, &s);
  tarjan t = {.index = index, .low = low, .stack = stack, .path = path, .at = at, .on_stack = on_stack, .component = component};
  for (int32_t u = 0; u < n; u++)
    if (!index[u]) visit(&t, &s, u);
  for (int32_t u = 0; u < n; u++)
    if (next[u]) g_array_free(next[u], TRUE);
  for (ho_op o = 0; o < g->n_ops; o++) of[o] = component[of[o]];
}

/* --- order ------------------------------------------------------------------------------------------------------------------------ */
typedef struct {
  GArray *before, *after;
  GHashTable *seen;
} pairs;

static void add_pair(void *data, int32_t a, int32_t b) {
  pairs *p = data;
  gint64 key = (gint64)a << 32 | b;
  if (a == b || g_hash_table_contains(p->seen, &key)) return;
  g_hash_table_add(p->seen, g_memdup2(&key, sizeof key));
  g_array_append_val(p->before, a);
  g_array_append_val(p->after, b);
}

/* Numbers units anew in a topological order, breadth first from those that hold the lowest ops. */
static void renumber(const ho_graph *g, ho_units *x, int32_t n) {
  size_t size = (size_t)n + 2;
  g_autofree int32_t *missing = g_new0(int32_t, size), *to = g_new(int32_t, size), *start = g_new0(int32_t, size),
                     *out = g_new(int32_t, (size_t)x->n_orders + 1), *queue = g_new(int32_t, size);
  for (int32_t u = 0; u < n; u++) to[u] = -1;
  for (int32_t i = 0; i < x->n_orders; i++) {
    missing[x->after[i]]++;
    start[x->before[i] + 1]++;
  }
  for (int32_t u = 0; u < n; u++) start[u + 1] += start[u];
  g_autofree int32_t *at = g_memdup2(start, sizeof(int32_t) * size);
  for (int32_t i = 0; i < x->n_orders; i++) out[at[x->before[i]]++] = x->after[i];
  int32_t n_queue = 0;
  for (ho_op o = 0; o < g->n_ops; o++) { /* by their lowest op; missing -1: queued */
    int32_t u = x->of[o];
    if (missing[u] == 0) {
      queue[n_queue++] = u;
      missing[u] = -1;
    }
  }
  for (int32_t i = 0; i < n_queue; i++) {
    to[queue[i]] = i;
    for (int32_t k = start[queue[i]]; k < start[queue[i] + 1]; k++)
      if (--missing[out[k]] == 0) queue[n_queue++] = out[k];
  }
  x->n = n_queue; /* numbers that no op has any more are left out */
  for (ho_op o = 0; o < g->n_ops; o++) x->of[o] = to[x->of[o]];
  for (int32_t i = 0; i < x->n_orders; i++) {
    x->before[i] = to[x->before[i]];
    x->after[i] = to[x->after[i]];
  }
}

ho_units *ho_units_new(const ho_graph *g, ho_units_kind kind) {
  ho_units *x = g_new0(ho_units, 1);
  x->of = g_new(int32_t, (size_t)g->n_ops + 1);
  int32_t n = number_layers(g, kind, x->of);
  g_autofree uint8_t *forward = g_new0(uint8_t, (size_t)n + 1);
  mark_forward(g, x->of, forward);
  if (kind == HO_UNITS_LAYERS) join_producers(g, x->of, forward);
  merge_circles(g, n, x->of, forward);
  memset(forward, 0, (size_t)n);
  mark_forward(g, x->of, forward);
  pairs p = {g_array_new(FALSE, FALSE, sizeof(int32_t)), g_array_new(FALSE, FALSE, sizeof(int32_t)),
             g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
  each_order(g, x->of, forward, add_pair, &p);
  x->n_orders = (int32_t)p.before->len;
  x->before = (int32_t *)(void *)g_array_free(p.before, FALSE);
  x->after = (int32_t *)(void *)g_array_free(p.after, FALSE);
  g_hash_table_destroy(p.seen);
  renumber(g, x, n);
  return x;
}

void ho_units_free(ho_units *x) {
  if (!x) return;
  g_free(x->of);
  g_free(x->before);
  g_free(x->after);
  g_free(x);
}

void ho_units_to_chain(ho_units *x, int32_t n_ops, const double *weight, int32_t most) {
  g_autofree int32_t *to = g_new(int32_t, (size_t)x->n + 1);
  double total = 0, sum = 0;
  int32_t n = 0, piece = -1;
  for (int32_t u = 0; u < x->n; u++) total += weight[u];
  for (int32_t u = 0; u < x->n; u++) {
    int32_t here = x->n <= most ? u : MIN(most - 1, (int32_t)(total > 0 ? sum / total * most : (double)u / x->n * most));
    if (here != piece) n++;
    piece = here;
    to[u] = n - 1;
    sum += weight[u];
  }
  for (ho_op o = 0; o < n_ops; o++) x->of[o] = to[x->of[o]];
  x->n = n;
  x->n_orders = n > 0 ? n - 1 : 0;
  x->before = g_renew(int32_t, x->before, (size_t)n + 1);
  x->after = g_renew(int32_t, x->after, (size_t)n + 1);
  for (int32_t i = 0; i < x->n_orders; i++) {
    x->before[i] = i;
    x->after[i] = i + 1;
  }
}
