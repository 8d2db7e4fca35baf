/* synthetic_apps.c: task graphs of algorithms, as papers on list scheduling use them: Gaussian elimination, the fast Fourier transform, a
 * solver of Laplace's equation, and tiled Cholesky, LU and QR factorisations. Their shape follows from one size; costs are those of
 * synthetic_dag.h.
 *
 * Tiled kernels have weights in units of b³/3 FLOP, b the edge of a tile: potrf 1, trsm 3, syrk 3, gemm 6, getrf 2; geqrt 4, unmqr 6, tsqrt 6,
 * tsmqr 12 (Bouwmeester, Jacquelin, Langou, Robert, SC 2011). Ops of one kernel cost the same. */
#include <string.h>

#include "base/error.h"
#include "models/synthetic.h"
#include "models/synthetic_dag.h"

#define MOST_OPS 1000000

typedef struct {
  const char *name;
  int64_t first;                  /* the smallest size */
  gboolean doubles;               /* sizes are powers of two */
  int64_t (*count)(int64_t size); /* of tasks */
  void (*describe)(ho_dag *d, int32_t size);
} application;

static ho_op task(ho_dag *d, const char *kind, double weight, int32_t task_class, const int32_t *at, int n) {
  g_autoptr(GString) name = g_string_new(kind);
  for (int i = 0; i < n; i++) g_string_append_printf(name, "%c%d", i ? '.' : '_', at[i]);
  return ho_dag_task(d, name->str, kind, weight, task_class);
}

/* ---- Gaussian elimination --------------------------------------------------------------------------------------------- */

static int64_t count_gauss(int64_t m) {
  return (m * m + m - 2) / 2;
}

/* Step k finds the pivot of column k, with which each column after it is updated; the next step begins with the first of these. */
static void describe_gauss(ho_dag *d, int32_t m) {
  g_autofree ho_op *column = g_new(ho_op, m); /* the last task that changed it */
  for (int32_t k = 0; k + 1 < m; k++) {
    ho_op pivot = task(d, "pivot", 0, HO_DAG_NO_CLASS, &k, 1);
    if (k > 0) ho_dag_edge(d, column[k], pivot, HO_DAG_NO_CLASS);
    for (int32_t j = k + 1; j < m; j++) {
      ho_op update = task(d, "update", 0, HO_DAG_NO_CLASS, (const int32_t[]){k, j}, 2);
      ho_dag_edge(d, pivot, update, HO_DAG_NO_CLASS);
      if (k > 0) ho_dag_edge(d, column[j], update, HO_DAG_NO_CLASS);
      column[j] = update;
    }
  }
}

/* ---- fast Fourier transform ------------------------------------------------------------------------------------------- */

static int32_t log2_of(int64_t m) {
  int32_t n = 0;
  while (m > 1) m /= 2, n++;
  return n;
}

static int64_t count_fft(int64_t m) {
  return 2 * m - 1 + m * log2_of(m);
}

/* A binary tree of recursive calls, then a butterfly. Tasks of one level cost the same, and edges between two levels do. */
static void describe_fft(ho_dag *d, int32_t m) {
  int32_t depth = log2_of(m);
  ho_op first = 0; /* of the level */
  for (int32_t level = 0; level <= depth; level++) {
    int32_t width = 1 << level;
    ho_op before = first - width / 2;
    for (int32_t i = 0; i < width; i++) {
      ho_op o = task(d, "call", 0, level, (const int32_t[]){level, i}, 2);
      if (level > 0) ho_dag_edge(d, before + i / 2, o, level);
    }
    first += width;
  }
  for (int32_t stage = 1; stage <= depth; stage++, first += m)
    for (int32_t i = 0; i < m; i++) {
      int32_t level = depth + stage, other = i ^ (1 << (stage - 1));
      ho_op o = task(d, "butterfly", 0, level, (const int32_t[]){stage, i}, 2);
      ho_dag_edge(d, first - m + MIN(i, other), o, level);
      ho_dag_edge(d, first - m + MAX(i, other), o, level);
    }
}

/* ---- Laplace ---------------------------------------------------------------------------------------------------------- */

static int64_t count_laplace(int64_t n) {
  return n * n;
}

/* A grid swept from one corner: each point needs the one above and the one to the left. */
static void describe_laplace(ho_dag *d, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      ho_op o = task(d, "point", 0, HO_DAG_NO_CLASS, (const int32_t[]){i, j}, 2);
      if (i > 0) ho_dag_edge(d, o - n, o, HO_DAG_NO_CLASS);
      if (j > 0) ho_dag_edge(d, o - 1, o, HO_DAG_NO_CLASS);
    }
}

/* ---- tiled factorisations ---------------------------------------------------------------------------------------------- */

typedef struct {
  const char *kind;
  double weight;
} kernel;

enum { POTRF, TRSM, SYRK, GEMM, GETRF, GEQRT, UNMQR, TSQRT, TSMQR };
static const kernel kernels[] = {
    [POTRF] = {"potrf", 1}, [TRSM] = {"trsm", 3},   [SYRK] = {"syrk", 3},   [GEMM] = {"gemm", 6},   [GETRF] = {"getrf", 2},
    [GEQRT] = {"geqrt", 4}, [UNMQR] = {"unmqr", 6}, [TSQRT] = {"tsqrt", 6}, [TSMQR] = {"tsmqr", 12}};

/* A matrix of tiles, each with the task that wrote it last; -1: it is as it was given. */
typedef struct {
  ho_dag *dag;
  int32_t n;
  ho_op *writer;
} tiles;

static ho_op *tile(const tiles *t, int32_t i, int32_t j) {
  return &t->writer[i * t->n + j];
}

static void reads(const tiles *t, ho_op o, ho_op writer) {
  if (writer >= 0) ho_dag_edge(t->dag, writer, o, 0);
}

static void changes(const tiles *t, ho_op o, int32_t i, int32_t j) {
  reads(t, o, *tile(t, i, j));
  *tile(t, i, j) = o;
}

static ho_op apply(const tiles *t, int k, int32_t a, int32_t b, int32_t c) {
  const int32_t at[] = {a, b, c};
  return task(t->dag, kernels[k].kind, kernels[k].weight, k, at, c >= 0 ? 3 : b >= 0 ? 2 : 1);
}

static tiles whole_matrix(ho_dag *d, int32_t n) {
  tiles t = {d, n, g_new(ho_op, (gsize)n * (gsize)n)};
  for (int32_t i = 0; i < n * n; i++) t.writer[i] = -1;
  return t;
}

static int64_t count_cholesky(int64_t n) {
  return n * (n + 1) * (n + 2) / 6;
}

static void describe_cholesky(ho_dag *d, int32_t n) {
  tiles t = whole_matrix(d, n);
  for (int32_t k = 0; k < n; k++) {
    changes(&t, apply(&t, POTRF, k, -1, -1), k, k);
    for (int32_t i = k + 1; i < n; i++) {
      ho_op o = apply(&t, TRSM, i, k, -1);
      reads(&t, o, *tile(&t, k, k));
      changes(&t, o, i, k);
    }
    for (int32_t i = k + 1; i < n; i++)
      for (int32_t j = k + 1; j <= i; j++) {
        ho_op o = i == j ? apply(&t, SYRK, i, k, -1) : apply(&t, GEMM, i, j, k);
        reads(&t, o, *tile(&t, i, k));
        if (i != j) reads(&t, o, *tile(&t, j, k));
        changes(&t, o, i, j);
      }
  }
  g_free(t.writer);
}

static int64_t count_squares(int64_t n) {
  return n * (n + 1) * (2 * n + 1) / 6;
}

/* Without pivoting. */
static void describe_lu(ho_dag *d, int32_t n) {
  tiles t = whole_matrix(d, n);
  for (int32_t k = 0; k < n; k++) {
    changes(&t, apply(&t, GETRF, k, -1, -1), k, k);
    for (int32_t side = 0; side < 2; side++)
      for (int32_t i = k + 1; i < n; i++) {
        int32_t a = side ? k : i, b = side ? i : k;
        ho_op o = apply(&t, TRSM, a, b, -1);
        reads(&t, o, *tile(&t, k, k));
        changes(&t, o, a, b);
      }
    for (int32_t i = k + 1; i < n; i++)
      for (int32_t j = k + 1; j < n; j++) {
        ho_op o = apply(&t, GEMM, i, j, k);
        reads(&t, o, *tile(&t, i, k));
        reads(&t, o, *tile(&t, k, j));
        changes(&t, o, i, j);
      }
  }
  g_free(t.writer);
}

/* Tiles of a column are eliminated one after the other (flat tree). Reflectors lie below the diagonal, R above it, and so a task that reads
 * reflectors does not wait for those that change R. */
static void describe_qr(ho_dag *d, int32_t n) {
  tiles t = whole_matrix(d, n);
  for (int32_t k = 0; k < n; k++) {
    ho_op diagonal = apply(&t, GEQRT, k, -1, -1);
    changes(&t, diagonal, k, k);
    for (int32_t j = k + 1; j < n; j++) {
      ho_op o = apply(&t, UNMQR, k, j, -1);
      reads(&t, o, diagonal);
      changes(&t, o, k, j);
    }
    for (int32_t i = k + 1; i < n; i++) {
      ho_op elimination = apply(&t, TSQRT, i, k, -1);
      changes(&t, elimination, k, k);
      changes(&t, elimination, i, k);
      for (int32_t j = k + 1; j < n; j++) {
        ho_op o = apply(&t, TSMQR, i, j, k);
        reads(&t, o, elimination);
        changes(&t, o, k, j);
        changes(&t, o, i, j);
      }
    }
  }
  g_free(t.writer);
}

/* ---- all of them ------------------------------------------------------------------------------------------------------- */

static const application applications[] = {
    {"gaussian-elimination", 2, FALSE, count_gauss, describe_gauss},
    {"fft", 2, TRUE, count_fft, describe_fft},
    {"laplace", 1, FALSE, count_laplace, describe_laplace},
    {"cholesky", 1, FALSE, count_cholesky, describe_cholesky},
    {"lu", 1, FALSE, count_squares, describe_lu},
    {"qr", 1, FALSE, count_squares, describe_qr},
};

static int64_t after(const application *a, int64_t size) {
  return a->doubles ? 2 * size : size + 1;
}

/* The size that was asked for, by itself or as the largest with at most so many tasks; 0 and an error when there is none. */
static int64_t size_of(const application *a, const ho_options *options, GError **error) {
  int64_t size = ho_options_int(options, "size"), ops = ho_options_int(options, "ops"), most = ops > 0 ? ops : MOST_OPS;
  if (ops > 0) size = a->first;
  if (a->count(size) > most) {
    ho_fail(error, HO_ERROR_INPUT,
            "%s: size %" G_GINT64_FORMAT " has %" G_GINT64_FORMAT " tasks: expected at most %" G_GINT64_FORMAT, a->name, size,
            a->count(size), most);
    return 0;
  }
  if (a->doubles && (size & (size - 1))) {
    ho_fail(error, HO_ERROR_INPUT, "%s: size is %" G_GINT64_FORMAT ": expected a power of two", a->name, size);
    return 0;
  }
  while (ops > 0 && a->count(after(a, size)) <= most) size = after(a, size);
  return size;
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  const application *a = applications;
  while (strcmp(a->name, name) != 0) a++;
  int64_t size = size_of(a, options, error);
  ho_dag *d = size > 0 ? ho_dag_new(name, options, error) : NULL;
  if (!d) return NULL;
  a->describe(d, (int32_t)size);
  return ho_dag_finish(d, error);
}

#define SIZE(INITIAL, LEAST, HELP)                                                                                          \
  {"size", HO_OPTION_INT, INITIAL, LEAST, 100000, NULL, HELP}, {                                                            \
    "ops", HO_OPTION_INT, "0", 0, MOST_OPS, NULL, "in place of size: the largest graph with at most so many tasks; 0: size" \
  }

static const ho_option gauss_options[] = {SIZE("10", 2, "rows of the matrix, m: (m² + m - 2)/2 tasks"), HO_DAG_COST_OPTIONS};
static const ho_option fft_options[] = {SIZE("16", 2, "points, a power of two, m: 2m - 1 + m·log2(m) tasks"),
                                        HO_DAG_COST_OPTIONS};
static const ho_option laplace_options[] = {SIZE("10", 1, "rows of the grid, n: n² tasks"), HO_DAG_COST_OPTIONS};
static const ho_option cholesky_options[] = {SIZE("8", 1, "rows of tiles, n: n(n + 1)(n + 2)/6 tasks"), HO_DAG_COST_OPTIONS};
static const ho_option squares_options[] = {SIZE("6", 1, "rows of tiles, n: n(n + 1)(2n + 1)/6 tasks"), HO_DAG_COST_OPTIONS};

const ho_model_builder ho_model_gaussian_elimination = {.name = "gaussian-elimination",
                                                        .summary = "task graph of Gaussian elimination, column by column",
                                                        .source = "Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002, section 5.2",
                                                        .options = gauss_options,
                                                        .build = build};
const ho_model_builder ho_model_fft = {.name = "fft",
                                       .summary = "task graph of the fast Fourier transform",
                                       .source = "Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002, section 5.2",
                                       .options = fft_options,
                                       .build = build};
const ho_model_builder ho_model_laplace = {.name = "laplace",
                                           .summary = "task graph of a solver of Laplace's equation: a swept grid",
                                           .source = "Wu & Gajski, IEEE TPDS 1(3), 1990",
                                           .options = laplace_options,
                                           .build = build};
const ho_model_builder ho_model_cholesky = {.name = "cholesky",
                                            .summary = "tiled Cholesky factorisation",
                                            .source = "Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35(1), 2009",
                                            .options = cholesky_options,
                                            .build = build};
const ho_model_builder ho_model_lu = {.name = "lu",
                                      .summary = "tiled LU factorisation without pivoting",
                                      .source = "Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35(1), 2009",
                                      .options = squares_options,
                                      .build = build};
const ho_model_builder ho_model_qr = {.name = "qr",
                                      .summary = "tiled QR factorisation, flat tree",
                                      .source = "Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35(1), 2009",
                                      .options = squares_options,
                                      .build = build};
