/* synthetic_random.c: the random task graphs of Topcuoglu, Hariri, Wu (TPDS 2002, section 5.1), and trees; costs are those of
 * synthetic_dag.h. */
#include "models/synthetic.h"
#include "models/synthetic_dag.h"

#define OPS \
  { "ops", HO_OPTION_INT, "100", 1, 1000000, NULL, "number of tasks" }

static const ho_option random_options[] = {
    OPS,
    {"alpha", HO_OPTION_DOUBLE, "1", 0.001, 1000, NULL, "shape: a level has alpha·sqrt(ops) tasks on average"},
    {"out_degree", HO_OPTION_INT, "3", 1, 1000000, NULL, "successors of a task, on the next level"},
    HO_DAG_COST_OPTIONS};

static const ho_option tree_options[] = {
    OPS, {"degree", HO_OPTION_INT, "2", 1, 1000000, NULL, "tasks that a task branches to, or joins"}, HO_DAG_COST_OPTIONS};

static ho_op numbered_task(ho_dag *d, int32_t i) {
  char name[24];
  g_snprintf(name, sizeof name, "op%d", i);
  return ho_dag_task(d, name, "generic", 0, HO_DAG_NO_CLASS);
}

/* ---- random graphs ---------------------------------------------------------------------------------------------------- */

typedef struct {
  ho_dag *dag;
  int32_t start, n;           /* the level that has successors */
  int32_t next_start, next_n; /* the one that they are on */
  int32_t out_degree;
  int32_t *draw;  /* permutation of the next level */
  guint8 *joined; /* tasks of the next level that have a predecessor */
} levels;

/* Each task has out_degree different successors, or all there are; a task that got no predecessor takes one at random, so that
 * it is on the level where it is. */
static void join_levels(const levels *l) {
  ho_stream *s = ho_dag_stream(l->dag);
  int32_t degree = MIN(l->out_degree, l->next_n);
  for (int32_t k = 0; k < l->next_n; k++) l->draw[k] = k, l->joined[k] = 0;
  for (int32_t i = 0; i < l->n; i++)
    for (int32_t k = 0; k < degree; k++) {
      int32_t at = k + (int32_t)ho_stream_below(s, (uint64_t)(l->next_n - k)), drawn = l->draw[at];
      l->draw[at] = l->draw[k];
      l->draw[k] = drawn;
      l->joined[drawn] = 1;
      ho_dag_edge(l->dag, l->start + i, l->next_start + drawn, HO_DAG_NO_CLASS);
    }
  for (int32_t k = 0; k < l->next_n; k++)
    if (!l->joined[k])
      ho_dag_edge(l->dag, l->start + (ho_op)ho_stream_below(s, (uint64_t)l->n), l->next_start + k, HO_DAG_NO_CLASS);
}

/* Widths are uniform from 1 to 2·alpha·sqrt(ops) - 1 until all tasks have a place, so that the height is sqrt(ops)/alpha on
 * average. */
static ho_graph *build_random(const char *name, const ho_options *options, GError **error) {
  int32_t n = (int32_t)ho_options_int(options, "ops");
  double width = ho_options_double(options, "alpha") * sqrt(n);
  int64_t most = MAX(1, (int64_t)floor(2 * width - 0.5));
  ho_dag *d = ho_dag_new(name, options, error);
  if (!d) return NULL;
  levels l = {.dag = d, .out_degree = (int32_t)ho_options_int(options, "out_degree")};
  l.draw = g_new(int32_t, n);
  l.joined = g_new(guint8, n);
  while (l.next_start + l.next_n < n) {
    l.start = l.next_start;
    l.n = l.next_n;
    l.next_start += l.next_n;
    l.next_n = (int32_t)MIN(1 + (int64_t)ho_stream_below(ho_dag_stream(d), (uint64_t)most), (int64_t)n - l.next_start);
    for (int32_t i = 0; i < l.next_n; i++) numbered_task(d, l.next_start + i);
    if (l.n > 0) join_levels(&l);
  }
  g_free(l.draw);
  g_free(l.joined);
  return ho_dag_finish(d, error);
}

/* ---- trees ------------------------------------------------------------------------------------------------------------ */

static ho_graph *build_out_tree(const char *name, const ho_options *options, GError **error) {
  int32_t n = (int32_t)ho_options_int(options, "ops"), degree = (int32_t)ho_options_int(options, "degree");
  ho_dag *d = ho_dag_new(name, options, error);
  for (int32_t i = 0; d && i < n; i++) {
    numbered_task(d, i);
    if (i > 0) ho_dag_edge(d, (i - 1) / degree, i, HO_DAG_NO_CLASS);
  }
  return d ? ho_dag_finish(d, error) : NULL;
}

/* The same tree with its edges turned: the last task is the root. */
static ho_graph *build_in_tree(const char *name, const ho_options *options, GError **error) {
  int32_t n = (int32_t)ho_options_int(options, "ops"), degree = (int32_t)ho_options_int(options, "degree");
  ho_dag *d = ho_dag_new(name, options, error);
  for (int32_t i = 0; d && i < n; i++) numbered_task(d, i);
  for (int32_t i = 0; d && i + 1 < n; i++) ho_dag_edge(d, i, n - 1 - (n - 2 - i) / degree, HO_DAG_NO_CLASS);
  return d ? ho_dag_finish(d, error) : NULL;
}

const ho_model_builder ho_model_random_dag = {.name = "random-dag",
                                              .summary = "random task graph by ops, alpha, out_degree, ccr and beta",
                                              .source = "Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002, section 5.1",
                                              .options = random_options,
                                              .build = build_random};
const ho_model_builder ho_model_out_tree = {.name = "out-tree",
                                            .summary = "tree whose tasks branch from one root",
                                            .source = "costs as in Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002",
                                            .options = tree_options,
                                            .build = build_out_tree};
const ho_model_builder ho_model_in_tree = {.name = "in-tree",
                                           .summary = "tree whose tasks join into one root",
                                           .source = "costs as in Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002",
                                           .options = tree_options,
                                           .build = build_in_tree};
