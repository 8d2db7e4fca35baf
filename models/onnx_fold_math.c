/* onnx_fold_math.c: computing small constants through arithmetic, comparisons and reductions.
 *
 * Integers wrap as two's complement, their division cuts towards zero as ONNX says; a division by zero folds nothing. Only operations
 * that every machine rounds alike are here. */
#include <math.h>
#include <string.h>

#include "models/onnx_infer.h"

typedef gboolean (*int_op)(int64_t a, int64_t b, int64_t *y); /* FALSE: no result */
typedef double (*float_op)(double a, double b);

static gboolean int_add(int64_t a, int64_t b, int64_t *y) {
  return *y = (int64_t)((uint64_t)a + (uint64_t)b), TRUE;
}
static gboolean int_sub(int64_t a, int64_t b, int64_t *y) {
  return *y = (int64_t)((uint64_t)a - (uint64_t)b), TRUE;
}
static gboolean int_mul(int64_t a, int64_t b, int64_t *y) {
  return *y = (int64_t)((uint64_t)a * (uint64_t)b), TRUE;
}
static gboolean int_div(int64_t a, int64_t b, int64_t *y) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return FALSE;
  return *y = a / b, TRUE;
}
static gboolean int_mod(int64_t a, int64_t b, int64_t *y) { /* has the sign of b */
  if (b == 0 || (a == INT64_MIN && b == -1)) return FALSE;
  const int64_t rest = a % b;
  return *y = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest, TRUE;
}
static gboolean int_min(int64_t a, int64_t b, int64_t *y) {
  return *y = MIN(a, b), TRUE;
}
static gboolean int_max(int64_t a, int64_t b, int64_t *y) {
  return *y = MAX(a, b), TRUE;
}
static gboolean int_and(int64_t a, int64_t b, int64_t *y) {
  return *y = a && b, TRUE;
}
static gboolean int_or(int64_t a, int64_t b, int64_t *y) {
  return *y = a || b, TRUE;
}
static gboolean int_equal(int64_t a, int64_t b, int64_t *y) {
  return *y = a == b, TRUE;
}
static gboolean int_less(int64_t a, int64_t b, int64_t *y) {
  return *y = a < b, TRUE;
}
static gboolean int_less_equal(int64_t a, int64_t b, int64_t *y) {
  return *y = a <= b, TRUE;
}
static gboolean int_greater(int64_t a, int64_t b, int64_t *y) {
  return *y = a > b, TRUE;
}
static gboolean int_greater_equal(int64_t a, int64_t b, int64_t *y) {
  return *y = a >= b, TRUE;
}

static double float_add(double a, double b) {
  return a + b;
}
static double float_sub(double a, double b) {
  return a - b;
}
static double float_mul(double a, double b) {
  return a * b;
}
static double float_div(double a, double b) {
  return a / b;
}
static double float_min(double a, double b) {
  return a < b ? a : b;
}
static double float_max(double a, double b) {
  return a > b ? a : b;
}
static double float_equal(double a, double b) {
  return a == b;
}
static double float_less(double a, double b) {
  return a < b;
}
static double float_less_equal(double a, double b) {
  return a <= b;
}
static double float_greater(double a, double b) {
  return a > b;
}
static double float_greater_equal(double a, double b) {
  return a >= b;
}

static const struct {
  const char *op;
  int_op on_ints;
  float_op on_floats; /* NULL: integers only */
} binary[] = {
    {"Add", int_add, float_add},
    {"Sub", int_sub, float_sub},
    {"Mul", int_mul, float_mul},
    {"Div", int_div, float_div},
    {"Mod", int_mod, NULL},
    {"Min", int_min, float_min},
    {"Max", int_max, float_max},
    {"And", int_and, NULL},
    {"Or", int_or, NULL},
    {"Equal", int_equal, float_equal},
    {"Less", int_less, float_less},
    {"LessOrEqual", int_less_equal, float_less_equal},
    {"Greater", int_greater, float_greater},
    {"GreaterOrEqual", int_greater_equal, float_greater_equal},
};

/* v[k] op= x broadcast to y; `first` sets instead. Comparisons of floats leave integers. */
static gboolean apply(size_t which, ho_onnx_scalar *v, const ho_onnx_tensor *x, const ho_onnx_shape *y, gboolean first,
                      gboolean truth) {
  int32_t index[HO_ONNX_MAX_CONSTANT];
  const int64_t n = ho_onnx_elements(y);
  ho_onnx_shape both;
  if (!ho_onnx_broadcast(&x->shape, y, &both) || both.rank != y->rank || ho_onnx_elements(&both) != n) return FALSE;
  ho_onnx_fold_broadcast(&x->shape, y, index);
  const gboolean is_float = ho_onnx_is_float(x->dtype);
  for (int64_t k = 0; k < n; k++) {
    const ho_onnx_scalar b = x->value[index[k]];
    if (first) {
      v[k] = b;
    } else if (!is_float) {
      if (!binary[which].on_ints(v[k].i, b.i, &v[k].i)) return FALSE;
    } else {
      const double r = binary[which].on_floats(v[k].d, b.d);
      if (truth)
        v[k].i = r != 0;
      else
        v[k].d = r;
    }
  }
  return TRUE;
}

static void fold_binary(ho_onnx_model *m, const ho_onnx_node *n, size_t which) {
  for (int32_t k = 0; k < n->n_in; k++)
    if (n->in[k] == NULL || n->in[k]->value == NULL || n->in[k]->dtype != n->in[0]->dtype) return;
  if (n->n_in < 1 || (ho_onnx_is_float(n->in[0]->dtype) && binary[which].on_floats == NULL)) return;
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  if (v == NULL) return;
  const ho_onnx_shape *y = &n->out[0]->shape;
  const gboolean truth = n->out[0]->dtype == HO_BOOL;
  for (int32_t k = 0; k < n->n_in; k++)
    if (!apply(which, v, n->in[k], y, k == 0, truth)) return;
  ho_onnx_fold_done(n, 0, v);
}

static void fold_where(ho_onnx_model *m, const ho_onnx_node *n) {
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  int32_t index[3][HO_ONNX_MAX_CONSTANT];
  ho_onnx_shape both;
  if (v == NULL || n->n_in != 3) return;
  const ho_onnx_shape *y = &n->out[0]->shape;
  for (int32_t k = 0; k < 3; k++) {
    const ho_onnx_tensor *x = n->in[k];
    if (x == NULL || x->value == NULL || !ho_onnx_broadcast(&x->shape, y, &both) || both.rank != y->rank ||
        ho_onnx_elements(&both) != ho_onnx_elements(y))
      return;
    ho_onnx_fold_broadcast(&x->shape, y, index[k]);
  }
  if (n->in[1]->dtype != n->in[2]->dtype) return;
  for (int64_t k = 0; k < ho_onnx_elements(y); k++)
    v[k] = n->in[0]->value[index[0][k]].i ? n->in[1]->value[index[1][k]] : n->in[2]->value[index[2][k]];
  ho_onnx_fold_done(n, 0, v);
}

static gboolean apply_unary(const char *op, gboolean is_float, ho_onnx_scalar x, ho_onnx_scalar *y) {
  if (strcmp(op, "Not") == 0) return y->i = !x.i, TRUE;
  if (strcmp(op, "Neg") == 0) return is_float ? (y->d = -x.d) : (y->i = (int64_t)(0 - (uint64_t)x.i)), TRUE;
  if (strcmp(op, "Abs") == 0) return is_float ? (y->d = fabs(x.d)) : (y->i = x.i < 0 ? (int64_t)(0 - (uint64_t)x.i) : x.i), TRUE;
  if (strcmp(op, "Relu") == 0) return is_float ? (y->d = x.d > 0 ? x.d : 0) : (y->i = MAX(x.i, 0)), TRUE;
  if (!is_float) return FALSE;
  if (strcmp(op, "Floor") == 0) return y->d = floor(x.d), TRUE;
  if (strcmp(op, "Ceil") == 0) return y->d = ceil(x.d), TRUE;
  if (strcmp(op, "Round") == 0) return y->d = nearbyint(x.d), TRUE;
  if (strcmp(op, "Sqrt") == 0) return y->d = sqrt(x.d), TRUE;
  return FALSE;
}

static void fold_unary(ho_onnx_model *m, const ho_onnx_node *n) {
  if (n->n_in < 1 || n->in[0] == NULL || n->in[0]->value == NULL) return;
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  const ho_onnx_tensor *x = n->in[0];
  if (v == NULL || ho_onnx_elements(&n->out[0]->shape) != (int64_t)x->n_values) return;
  for (size_t k = 0; k < x->n_values; k++)
    if (!apply_unary(n->op, ho_onnx_is_float(x->dtype), x->value[k], &v[k])) return;
  ho_onnx_fold_done(n, 0, v);
}

/* Reductions of everything to one element. */
static void fold_reduce(ho_onnx_model *m, const ho_onnx_node *n, size_t which) {
  if (n->n_in < 1 || n->in[0] == NULL || n->in[0]->value == NULL || n->in[0]->n_values == 0) return;
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  const ho_onnx_tensor *x = n->in[0];
  if (v == NULL || ho_onnx_elements(&n->out[0]->shape) != 1) return;
  v[0] = x->value[0];
  for (size_t k = 1; k < x->n_values; k++) {
    if (ho_onnx_is_float(x->dtype))
      v->d = binary[which].on_floats(v->d, x->value[k].d);
    else if (!binary[which].on_ints(v->i, x->value[k].i, &v->i))
      return;
  }
  ho_onnx_fold_done(n, 0, v);
}

static size_t find_binary(const char *op) {
  for (size_t k = 0; k < G_N_ELEMENTS(binary); k++)
    if (strcmp(binary[k].op, op) == 0) return k;
  return G_N_ELEMENTS(binary);
}

gboolean ho_onnx_fold_arithmetic(ho_onnx_model *m, const ho_onnx_node *n) {
  static const struct {
    const char *op, *by;
  } reductions[] = {{"ReduceProd", "Mul"}, {"ReduceSum", "Add"}, {"ReduceMax", "Max"}, {"ReduceMin", "Min"}};
  static const char *const unary[] = {"Not", "Neg", "Abs", "Floor", "Ceil", "Round", "Sqrt", "Relu"};
  const size_t which = find_binary(n->op);
  if (which < G_N_ELEMENTS(binary)) return fold_binary(m, n, which), TRUE;
  if (strcmp(n->op, "Where") == 0) return fold_where(m, n), TRUE;
  for (size_t k = 0; k < G_N_ELEMENTS(reductions); k++)
    if (strcmp(reductions[k].op, n->op) == 0) return fold_reduce(m, n, find_binary(reductions[k].by)), TRUE;
  for (size_t k = 0; k < G_N_ELEMENTS(unary); k++)
    if (strcmp(unary[k], n->op) == 0) return fold_unary(m, n), TRUE;
  return FALSE;
}
