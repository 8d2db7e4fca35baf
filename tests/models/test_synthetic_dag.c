/* test_synthetic_dag.c: the task graphs of papers on list scheduling have their structure, and costs their parameters.
 *
 * Counts are those of the papers: (m² + m - 2)/2 tasks of Gaussian elimination and 2m - 1 + m·log2(m) of the FFT (Topcuoglu, Hariri, Wu 2002,
 * section 5.2); n³, 2n³ and 4n³ units of b³/3 FLOP of Cholesky, LU and QR (Bouwmeester et al. 2011), whatever the tiling. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"

static const char *const structures[] = {"random-dag", "out-tree", "in-tree", "gaussian-elimination", "fft", "laplace",
                                         "cholesky",   "lu",       "qr"};

static int32_t critical_path(const ho_graph *g) {
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  return s->critical_path_ops;
}

/* Producers among an op's inputs. */
static int32_t predecessors(const ho_graph *g, ho_op o) {
  int32_t n = 0;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) n += g->tensor[g->in[i]].producer >= 0;
  return n;
}

static int32_t successors(const ho_graph *g, ho_op o) {
  int32_t n = 0;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) n += g->use_start[g->out[i] + 1] - g->use_start[g->out[i]];
  return n;
}

static void expect_failure(const char *spec, const char *part) {
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_load(spec, NULL, NULL, &error), "%s", spec);
  cr_expect_not_null(strstr(error->message, part), "'%s' is not in: %s", part, error->message);
}

/* ---- structure --------------------------------------------------------------------------------------------------------- */

Test(synthetic_dag, applications_have_the_tasks_of_their_papers) {
  static const struct {
    const char *spec;
    int32_t tasks, edges, longest;
  } expected[] = {
      {"gaussian-elimination:size=5", 14, 19, 8},
      {"gaussian-elimination:size=20", 209, 379, 38},
      {"fft:size=4", 15, 22, 5},
      {"fft:size=32", 223, 382, 11},
      {"laplace:size=4", 16, 24, 7},
      {"laplace:size=10", 100, 180, 19},
      {"cholesky:size=4", 20, 30, 10},
      {"cholesky:size=5", 35, 60, 13},
      {"lu:size=4", 30, 54, 10},
      {"qr:size=3", 14, 21, 7},
      {"cholesky:size=1", 1, 0, 1},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_autoptr(ho_graph) g = built_in(expected[i].spec);
    cr_expect_eq(g->n_ops, expected[i].tasks, "%s: %d tasks", expected[i].spec, g->n_ops);
    cr_expect_eq(g->n_edges, expected[i].edges, "%s: %d edges", expected[i].spec, g->n_edges);
    cr_expect_eq(critical_path(g), expected[i].longest, "%s: %d", expected[i].spec, critical_path(g));
  }
}

/* The same graph as StarPU's trace of a Cholesky factorisation of five tiles has: kinds and edges between them. */
Test(synthetic_dag, cholesky_is_the_graph_of_a_runtime_system) {
  g_autofree char *file = shared_file("cases/cholesky_mirage_9cpu_T5/graph.json");
  g_autoptr(ho_graph) theirs = built_in(file), ours = built_in("cholesky:size=5");
  const ho_graph *const both[] = {theirs, ours};
  int edges[2][4][4] = {{{0}}};
  static const char *const kinds[] = {"potrf", "trsm", "syrk", "gemm"};
  for (int w = 0; w < 2; w++)
    for (ho_tensor t = 0; t < both[w]->n_tensors; t++) {
      const ho_graph *g = both[w];
      if (g->tensor[t].producer < 0) continue;
      for (int32_t u = g->use_start[t]; u < g->use_start[t + 1]; u++)
        for (int a = 0; a < 4; a++)
          for (int b = 0; b < 4; b++)
            edges[w][a][b] +=
                strcmp(g->op[g->tensor[t].producer].kind, kinds[a]) == 0 && strcmp(g->op[g->use[u]].kind, kinds[b]) == 0;
    }
  cr_assert_eq(memcmp(edges[0], edges[1], sizeof edges[0]), 0);
  cr_assert_eq(theirs->n_ops, ours->n_ops);
}

Test(synthetic_dag, factorisations_do_the_work_of_the_whole_matrix) {
  static const struct {
    const char *spec, *kind;
    double total; /* over the work of one op of this kind */
  } expected[] = {{"cholesky:size=7", "potrf", 343}, {"lu:size=7", "getrf", 343}, {"qr:size=7", "geqrt", 343}};
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_autoptr(ho_graph) g = built_in(expected[i].spec);
    double total = 0, one = 0;
    for (ho_op o = 0; o < g->n_ops; o++) {
      total += g->op[o].flops;
      if (strcmp(g->op[o].kind, expected[i].kind) == 0) one = g->op[o].flops;
    }
    cr_expect_float_eq(total / one, expected[i].total, 1e-9, "%s: %g", expected[i].spec, total / one);
  }
}

/* "Each path from the start task to any exit task is a critical path." */
Test(synthetic_dag, all_paths_of_an_fft_cost_the_same) {
  g_autoptr(ho_graph) g = built_in("fft:size=16,ccr=2,seed=3,devices=3");
  g_autofree double *end = g_new0(double, g->n_ops);
  double last = -1;
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    double start = -1;
    for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++) {
      const ho_tensor_info *t = &g->tensor[g->in[k]];
      double arrival = end[t->producer] + (double)t->bytes / 1e10;
      if (start >= 0) cr_assert_float_eq(arrival, start, 1e-12);
      start = arrival;
    }
    end[o] = MAX(start, 0) + g->op[o].times[1].seconds;
    if (successors(g, o) > 0) continue;
    if (last >= 0) cr_assert_float_eq(end[o], last, 1e-12);
    last = end[o];
  }
}

Test(synthetic_dag, trees_are_trees) {
  for (int32_t n = 1; n < 30; n++)
    for (int32_t degree = 1; degree < 5; degree++) {
      g_autofree char *out = g_strdup_printf("out-tree:ops=%d,degree=%d", n, degree),
                      *in = g_strdup_printf("in-tree:ops=%d,degree=%d", n, degree);
      g_autoptr(ho_graph) g = built_in(out), h = built_in(in);
      cr_assert_eq(g->n_ops, n);
      cr_assert_eq(h->n_ops, n);
      for (ho_op o = 0; o < n; o++) {
        cr_assert_eq(predecessors(g, o), o > 0);
        cr_assert_leq(successors(g, o), degree);
        cr_assert_eq(successors(h, o), o < n - 1);
        cr_assert_leq(predecessors(h, o), degree);
      }
      cr_assert_eq(critical_path(g), critical_path(h));
    }
}

Test(synthetic_dag, a_random_graph_has_its_shape) {
  static const double alphas[] = {0.5, 1, 2};
  for (size_t i = 0; i < G_N_ELEMENTS(alphas); i++) {
    g_autofree char *spec = g_strdup_printf("random-dag:ops=40000,alpha=%g,out_degree=4", alphas[i]);
    g_autoptr(ho_graph) g = built_in(spec);
    double height = critical_path(g);
    cr_expect_float_eq(height / (200 / alphas[i]), 1, 0.15, "alpha %g: %g levels", alphas[i], height);
    cr_expect_float_eq((double)g->n_edges / g->n_ops, 4, 0.25, "alpha %g: %g", alphas[i], (double)g->n_edges / g->n_ops);
  }
}

Test(synthetic_dag, ops_choose_the_largest_size) {
  g_autoptr(ho_graph) cholesky = built_in("cholesky:ops=34");
  g_autoptr(ho_graph) fft = built_in("fft:ops=1000");
  cr_assert_eq(cholesky->n_ops, 20);
  cr_assert_eq(fft->n_ops, 511);
  for (size_t i = 0; i < G_N_ELEMENTS(structures); i++) {
    g_autofree char *spec = g_strconcat(structures[i], ":ops=500", NULL);
    g_autoptr(ho_graph) g = built_in(spec);
    cr_expect(g->n_ops > 200 && g->n_ops <= 500, "%s: %d", structures[i], g->n_ops);
  }
}

/* ---- costs ------------------------------------------------------------------------------------------------------------- */

/* Means over a task's times are its mean, of which those over tasks are `seconds`; so are those of edges times ccr. */
Test(synthetic_dag, costs_have_the_mean_the_ccr_and_the_spread_of_the_options) {
  g_autoptr(ho_graph) g = built_in("random-dag:ops=20000,ccr=0.5,beta=0.5,devices=2,seconds=0.01");
  double sum = 0, moved = 0, least = 2, most = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    double a = g->op[o].times[0].seconds, b = g->op[o].times[1].seconds;
    cr_assert_leq(MAX(a, b), 0.02 * 1.25);
    sum += (a + b) / 2;
    least = MIN(least, a / b);
    most = MAX(most, a / b);
  }
  for (ho_tensor t = 0; t < g->n_tensors; t++) moved += (double)g->tensor[t].bytes / 1e10;
  cr_assert_float_eq(sum / g->n_ops, 0.01, 0.0002);
  cr_assert_float_eq(moved / g->n_tensors / 0.01, 0.5, 0.01);
  cr_assert(least >= 0.75 / 1.25 && most <= 1.25 / 0.75);
  cr_assert(least < 0.63 && most > 1.6, "and both ends are reached: %g %g", least, most);
}

Test(synthetic_dag, a_homogeneous_graph_costs_the_same_everywhere) {
  g_autoptr(ho_graph) g = built_in("qr:beta=0,devices=3");
  for (ho_op o = 0; o < g->n_ops; o++)
    for (int32_t k = 1; k < 3; k++) cr_assert_eq(g->op[o].times[k].seconds, g->op[o].times[0].seconds);
}

Test(synthetic_dag, one_kernel_has_one_time_per_device) {
  g_autoptr(ho_graph) g = built_in("cholesky:size=6,devices=cpu+gpu0");
  cr_assert_eq(g->n_time_devices, 2);
  cr_assert_str_eq(g->time_devices[0], "cpu");
  cr_assert_str_eq(g->time_devices[1], "gpu0");
  for (ho_op o = 0; o < g->n_ops; o++)
    for (ho_op p = 0; p < o; p++)
      if (strcmp(g->op[o].kind, g->op[p].kind) == 0) cr_assert_eq(g->op[o].times[0].seconds, g->op[p].times[0].seconds);
}

/* Times are around those at 1 TFLOP/s. */
Test(synthetic_dag, layered_graphs_have_times_too) {
  g_autoptr(ho_graph) g = built_in("layered:ops=2000,devices=d0+d1,beta=0.2"), h = built_in("fork-join:ops=50,devices=4");
  cr_assert_eq(h->n_time_devices, 4);
  double least = 2, most = 0;
  for (ho_op o = 0; o < g->n_ops; o++)
    for (int32_t k = 0; k < 2; k++) {
      double ratio = g->op[o].times[k].seconds * 1e12 / g->op[o].flops;
      least = MIN(least, ratio);
      most = MAX(most, ratio);
    }
  cr_assert(least >= 0.9 && least < 0.902 && most <= 1.1 && most > 1.098, "%g %g", least, most);
}

Test(synthetic_dag, devices_and_beta_change_times_alone) {
  static const char *const names[] = {"layered", "random-dag"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *without = g_strconcat(names[i], ":ops=300", NULL), *with = g_strconcat(without, ",devices=3,beta=0.7", NULL);
    g_autoptr(ho_graph) a = built_in(without), b = built_in(with);
    cr_assert_eq(a->n_tensors, b->n_tensors);
    for (ho_tensor t = 0; t < a->n_tensors; t++) {
      cr_assert_str_eq(a->tensor[t].name, b->tensor[t].name);
      cr_assert_eq(a->tensor[t].bytes, b->tensor[t].bytes);
    }
  }
}

Test(synthetic_dag, seeds_are_all_that_differs) {
  for (size_t i = 0; i < G_N_ELEMENTS(structures); i++) {
    g_autofree char *spec = g_strconcat(structures[i], ":devices=2,seed=1", NULL),
                    *other = g_strconcat(structures[i], ":devices=2,seed=2", NULL);
    g_autoptr(ho_graph) a = built_in(spec), b = built_in(spec), c = built_in(other);
    cr_expect_str_eq(a->digest, b->digest, "%s", structures[i]);
    cr_expect_str_neq(a->digest, c->digest, "%s", structures[i]);
  }
}

Test(synthetic_dag, what_makes_no_sense_is_one_line_of_error) {
  expect_failure("fft:size=12", "expected a power of two");
  expect_failure("laplace:size=1001", "expected at most 1000000");
  expect_failure("fft:ops=2", "expected at most 2");
  expect_failure("lu:devices=cpu+cpu", "different names");
  expect_failure("lu:devices=", "different names");
  expect_failure("lu:devices=99999999999999999999", "at most 1024");
  expect_failure("out-tree:ccr=1e4,seconds=1e9", "bytes together");
}
