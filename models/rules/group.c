/* group.c: the rule `group`: generic fusion by classes of operators and post-dominators, as TVM does it.
 *
 * Chen et al., OSDI 2018, section 3, and TVM's graph_partitioner.cc: ops are element-wise, broadcast, injective, reductions, "complex
 * out-fusable" (a convolution or product, whose output may be worked on), or opaque. Every op is joined with its immediate
 * post-dominator when all ops on the paths between them are of classes that allow it; first around convolutions and products, then for
 * injective ops. What it finds is applied, and listed in plans, as `fuse`. */
#include <string.h>

#include "models/rules/fuse.h"

typedef enum { ELEMENTWISE, BROADCAST, INJECTIVE, REDUCE, OUT_FUSABLE, OPAQUE } op_class;

/* One op on its way into a group; `parent`, `next` are places in topological order. */
typedef struct {
  ho_op op;
  op_class class;
  int32_t parent; /* immediate post-dominator, -1 */
  int32_t depth;
  op_class edge; /* the worst class on the edges to the post-dominator */
  int32_t group; /* union-find */
  int32_t size;
  op_class group_class;
} node;

typedef struct {
  const ho_workgraph *w;
  int32_t n;
  node *node;     /* in topological order */
  int32_t *place; /* of each op */
  int32_t *stack, *seen, stamp;
} grouping;

/* ---- classes --------------------------------------------------------------------------------------------------------- */

static gboolean same_size_inputs(const ho_workgraph *w, ho_op o) {
  int64_t bytes = w->tensor[w->op[o].out.item[0]].info.bytes;
  for (int32_t i = 0; i < w->op[o].in.n; i++)
    if (w->tensor[w->op[o].in.item[i]].info.bytes != bytes) return FALSE;
  return TRUE;
}

static op_class class_of(const ho_workgraph *w, ho_op o) {
  static const char *const no_gather[] = {"nms", "nonzero", "compress", "unique", NULL};
  const ho_op_info *x = &w->op[o].info;
  if (w->op[o].out.n != 1 || g_str_has_suffix(x->kind, "grad") || ho_kind_is_host_copy(x->kind)) return OPAQUE;
  if (ho_is_pointwise(w, o)) return same_size_inputs(w, o) ? ELEMENTWISE : BROADCAST;
  switch (x->family) {
    case HO_FAMILY_DATA:
      return INJECTIVE;
    case HO_FAMILY_GATHER:
      return ho_is_one_of(w, o, no_gather) ? OPAQUE : INJECTIVE;
    case HO_FAMILY_REDUCE:
      return REDUCE;
    case HO_FAMILY_CONV:
    case HO_FAMILY_DEPTHWISE:
    case HO_FAMILY_GEMM:
    case HO_FAMILY_POOL:
      return OUT_FUSABLE;
    default:
      return OPAQUE;
  }
}

/* How a reader uses a tensor: a broadcast op is element-wise in the operand that has its output's size. */
static op_class edge_class(const grouping *g, ho_tensor t, const node *reader) {
  if (reader->class != BROADCAST) return reader->class;
  ho_tensor out = g->w->op[reader->op].out.item[0];
  return g->w->tensor[t].info.bytes == g->w->tensor[out].info.bytes ? ELEMENTWISE : BROADCAST;
}

/* ---- post-dominators ------------------------------------------------------------------------------------------------- */

/* The least common ancestor of a and b in the tree so far; -1. The classes of the edges passed are gathered in *edge. */
static int32_t common(const grouping *g, int32_t a, int32_t b, op_class *edge) {
  while (a != b) {
    if (a < 0 || b < 0) return -1;
    int32_t *lower = g->node[a].depth >= g->node[b].depth ? &a : &b;
    *edge = MAX(*edge, g->node[*lower].edge);
    *lower = g->node[*lower].parent;
  }
  return a;
}

static void find_post_dominator(const grouping *g, node *x) {
  const ho_row *out = &g->w->op[x->op].out;
  *x = (node){.op = x->op, .class = x->class, .parent = -1, .depth = 1, .edge = OPAQUE};
  if (out->n != 1 || g->w->tensor[out->item[0]].info.is_output || g->w->tensor[out->item[0]].use.n == 0) return;
  const ho_row *use = &g->w->tensor[out->item[0]].use;
  int32_t parent = g->place[use->item[0]];
  op_class edge = ELEMENTWISE;
  for (int32_t i = 0; i < use->n; i++) {
    int32_t reader = g->place[use->item[i]];
    edge = MAX(edge, edge_class(g, out->item[0], &g->node[reader]));
    parent = common(g, parent, reader, &edge);
  }
  if (parent < 0) return;
  x->parent = parent;
  x->depth = g->node[parent].depth + 1;
  x->edge = edge;
}

/* ---- groups ---------------------------------------------------------------------------------------------------------- */

static int32_t root(const grouping *g, int32_t i) {
  while (g->node[i].group != i) i = g->node[i].group = g->node[g->node[i].group].group;
  return i;
}

static gboolean always(op_class c, gboolean is_sink) {
  (void)c, (void)is_sink;
  return TRUE;
}
static gboolean at_most_broadcast(op_class c, gboolean is_sink) {
  (void)is_sink;
  return c <= BROADCAST;
}
static gboolean at_most_injective(op_class c, gboolean is_sink) {
  (void)is_sink;
  return c <= INJECTIVE;
}
static gboolean injective_into_any(op_class c, gboolean is_sink) {
  return c <= INJECTIVE || (is_sink && (c == REDUCE || c == OUT_FUSABLE));
}

typedef gboolean (*condition)(op_class c, gboolean is_sink);

/* Visits all ops on paths from `from` (left out) to its post-dominator; counts members of other groups, or joins them. FALSE: one of them
 * does not meet the condition. */
static gboolean walk(grouping *g, int32_t from, condition fits, gboolean join, int32_t *members) {
  int32_t sink = g->node[from].parent, depth = 0;
  g->stamp++;
  g->stack[depth++] = from;
  while (depth > 0) {
    int32_t i = g->stack[--depth];
    if (i != from && !fits(g->node[root(g, i)].group_class, i == sink)) return FALSE;
    if (i != from && root(g, i) != root(g, from)) {
      int32_t a = root(g, from), b = root(g, i);
      *members += g->node[b].size;
      if (join) { /* into the sink's side: the heavier class is that of the group */
        g->node[a].group = b;
        g->node[b].size += g->node[a].size;
        g->node[b].group_class = MAX(g->node[b].group_class, g->node[a].group_class);
      }
    }
    if (i == sink) continue;
    const ho_row *out = &g->w->op[g->node[i].op].out;
    for (int32_t k = 0; k < out->n; k++) {
      const ho_row *use = &g->w->tensor[out->item[k]].use;
      for (int32_t j = 0; j < use->n; j++) {
        int32_t r = g->place[use->item[j]];
        if (g->seen[r] == g->stamp) continue;
        g->seen[r] = g->stamp;
        g->stack[depth++] = r;
      }
    }
  }
  return TRUE;
}

static void try_to_join(grouping *g, int32_t i, condition fits) {
  int32_t members = g->node[root(g, i)].size;
  if (walk(g, i, fits, FALSE, &members) && members <= HO_REWRITE_MAX_OPS) walk(g, i, always, TRUE, &members);
}

static void join(grouping *g, int32_t i, int phase) {
  const node *x = &g->node[i];
  op_class c = g->node[root(g, i)].group_class;
  if (x->parent < 0 || c == OPAQUE || root(g, i) == root(g, x->parent)) return;
  if (c == OUT_FUSABLE) {
    if (phase == 0 && x->edge == ELEMENTWISE) try_to_join(g, i, at_most_broadcast);
  } else if (c <= BROADCAST) {
    if (x->edge <= INJECTIVE || x->edge == REDUCE) try_to_join(g, i, injective_into_any);
  } else if (c == INJECTIVE) {
    if (phase == 1) try_to_join(g, i, at_most_injective);
  }
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

static int by_level(const void *a, const void *b, void *data) {
  const ho_workgraph *w = data;
  ho_op x = ((const node *)a)->op, y = ((const node *)b)->op;
  if (w->op[x].level != w->op[y].level) return w->op[x].level < w->op[y].level ? -1 : 1;
  return x < y ? -1 : x > y;
}

static void prepare(grouping *g) {
  const ho_workgraph *w = g->w;
  for (ho_op o = 0; o < w->n_ops; o++)
    if (w->op[o].alive) g->node[g->n++] = (node){.op = o, .class = class_of(w, o)};
  g_qsort_with_data(g->node, g->n, sizeof *g->node, by_level, (gpointer)w);
  for (int32_t i = 0; i < g->n; i++) g->place[g->node[i].op] = i;
  for (int32_t i = g->n - 1; i >= 0; i--) {
    find_post_dominator(g, &g->node[i]);
    g->node[i].group = i;
    g->node[i].size = 1;
    g->node[i].group_class = g->node[i].class;
  }
}

/* Reports every group of two or more in the order of its last op. */
static void report(grouping *g, ho_op near, ho_found found, void *data) {
  g_autofree ho_group *group = g_new(ho_group, 1);
  g_autofree int32_t *first = g_new(int32_t, g->n + 1), *next = g_new(int32_t, g->n + 1);
  for (int32_t i = 0; i < g->n; i++) first[i] = -1;
  for (int32_t i = g->n - 1; i >= 0; i--) {
    next[i] = first[root(g, i)];
    first[root(g, i)] = i;
  }
  for (int32_t r = 0; r < g->n; r++) {
    group->n = 0;
    for (int32_t i = first[r]; i >= 0; i = next[i]) ho_group_add(group, g->node[i].op);
    if (group->n < 2 || (near >= 0 && !ho_group_has(group, near))) continue;
    if (ho_fuse_report(g->w, group, "group", found, data) == HO_FIND_ENOUGH) return;
  }
}

static void find(const ho_workgraph *w, ho_op near, ho_found found, void *data) {
  grouping g = {.w = w,
                .node = g_new(node, (size_t)w->n_ops + 1),
                .place = g_new(int32_t, (size_t)w->n_ops + 1),
                .stack = g_new(int32_t, (size_t)w->n_ops + 1),
                .seen = g_new0(int32_t, (size_t)w->n_ops + 1)};
  prepare(&g);
  for (int phase = 0; phase < 2; phase++)
    for (int32_t i = 0; i < g.n; i++) join(&g, i, phase);
  report(&g, near, found, data);
  g_free(g.node);
  g_free(g.place);
  g_free(g.stack);
  g_free(g.seen);
}

const ho_rewrite_rule ho_rewrite_rule_group = {
    .name = "group",
    .summary = "fuse generically, by classes of operators and post-dominators; plans list it as fuse",
    .source = "Chen et al., TVM, OSDI 2018, section 3; graph_partitioner.cc",
    .shrinks = 1,
    .find = find,
    .apply = ho_fuse_apply,
};
