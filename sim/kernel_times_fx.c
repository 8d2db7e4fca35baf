/* kernel_times_fx.c: operator graphs of PyTorch (torch.fx) with the latency of every operator, as NeuSight writes them
 * (Lee, Phanishayee & Mahajan, Forecasting GPU Performance for Deep Learning Training and Inference, ASPLOS 2025).
 *
 * One row of CSV per node: op, target, input_shapes ("[[8, 512, 1024]]"), output_shape ("(8, 512, 1024)"), dtype, latency (ms). Weights are
 * not listed: a module that is no norm, embedding, activation or dropout is a linear layer from the last dimension of its input to that of
 * its output. Nodes that launch no kernel of their own are left out: inputs, weights, sizes, views, and dropouts, which do nothing in inference.
 * fp32 only, since the graphs do not say how integers are computed with. */
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/units.h"
#include "sim/kernel_times_private.h"

enum { OP, TARGET, INPUTS, OUTPUT, DTYPE, LATENCY, N_COLUMNS };
enum { MOST_SHAPES = 8, MOST_RANK = 8 };

static const char *const names[N_COLUMNS] = {"op", "target", "input_shapes", "output_shape", "dtype", "latency"};

typedef struct {
  int rank;
  double size[MOST_RANK];
} shape;

static int column_of(const GPtrArray *columns, const char *name) {
  for (guint i = 0; i < columns->len; i++)
    if (!strcmp(columns->pdata[i], name)) return (int)i;
  return -1;
}

gboolean ho_kernel_times_is_fx(const GPtrArray *columns) {
  for (int c = 0; c < N_COLUMNS; c++)
    if (column_of(columns, names[c]) < 0) return FALSE;
  return TRUE;
}

/* Innermost lists of numbers in a text such as "[[8, 512], [512]]" or "(8, 512)". -1: not one. */
static int read_shapes(const char *text, shape *list) {
  int n = 0, open = 0;
  for (const char *p = text; *p;) {
    if (strchr("[(", *p)) {
      if (n == MOST_SHAPES) return -1;
      list[n].rank = 0;
      open = 1;
      p++;
    } else if (strchr("])", *p)) {
      if (open && list[n].rank) n++;
      open = 0;
      p++;
    } else if (strchr(", ", *p)) {
      p++;
    } else {
      size_t digits = strspn(p, "0123456789");
      if (!digits || !open || list[n].rank == MOST_RANK) return -1;
      g_autofree char *word = g_strndup(p, digits);
      list[n].size[list[n].rank++] = g_ascii_strtod(word, NULL);
      p += digits;
    }
  }
  return n;
}

static double numel(const shape *s) {
  double n = 1;
  for (int i = 0; i < s->rank; i++) n *= s->size[i];
  return n;
}

static double last(const shape *s) {
  return s->rank ? s->size[s->rank - 1] : 1;
}

/* What a module is, by the last part of its name. NULL: nothing that runs. */
static const char *module_op(const char *target) {
  g_autofree char *lower = g_ascii_strdown(target, -1);
  const char *dot = strrchr(lower, '.'), *leaf = dot ? dot + 1 : lower;
  if (strstr(leaf, "dropout")) return NULL;
  if (strstr(leaf, "norm") || g_str_has_prefix(leaf, "ln_")) return "ln";
  if (strstr(leaf, "embed") || !strcmp(leaf, "wte") || !strcmp(leaf, "wpe")) return "gather";
  if (g_str_has_prefix(leaf, "act")) return "gelu";
  return "linear";
}

/* The word of a function: of "<built-in method matmul of type …>" matmul. */
static const char *function_op(const char *target) {
  static const char *const known[][2] = {{"matmul", "bmm"},   {"bmm", "bmm"}, {"softmax", "softmax"}, {"gelu", "gelu"},
                                         {"truediv", "divu"}, {"add", "add"}, {"sub", "add"},         {"mul", "mul"},
                                         {"tanh", "tanh"},    {"pow", "pow"}, {"relu", "relu"}};
  g_auto(GStrv) words = g_strsplit_set(target, " <>", -1);
  for (char **w = words; *w; w++)
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
      if (!strcmp(*w, known[i][0])) return known[i][1];
  return NULL;
}

static const char *op_of(const char *op, const char *target) {
  if (!strcmp(op, "call_module")) return module_op(target);
  if (!strcmp(op, "call_function")) return function_op(target);
  if (!strcmp(op, "call_method") && !strcmp(target, "contiguous")) return "transpose";
  return NULL;
}

static void fill(ho_kernel_time *t, const char *op, const shape *in, int n_in, const shape *out) {
  double read = 0, written = numel(out), inner = last(&in[0]);
  for (int i = 0; i < n_in; i++) read += numel(&in[i]);
  t->op = g_strdup(op);
  t->family = ho_kernel_times_family(op);
  t->precision = HO_FP32;
  t->parallelism = written;
  if (!strcmp(op, "linear")) {
    t->flops = 2 * written * inner;
    read += inner * last(out);
  } else if (!strcmp(op, "bmm")) {
    t->flops = 2 * written * inner;
  } else if (!strcmp(op, "gather")) {
    read = written; /* the rows that are taken; indices are few beside them */
  }
  t->bytes = 4 * (read + written);
}

static gboolean fail_size(const char *file, int line, ho_kernel_time *t, GError **error) {
  g_free(t->op);
  return ho_fail(error, HO_ERROR_INPUT, "%s:%d: the shapes are of %g FLOP and %g B, expected work, and at most %g", file, line,
                 t->flops, t->bytes, HO_KERNEL_TIMES_MOST);
}

static gboolean read_row(const char *file, int line, const GPtrArray *fields, const int *at, GArray *rows, GError **error) {
  const char *f[N_COLUMNS];
  for (int c = 0; c < N_COLUMNS; c++) f[c] = fields->pdata[at[c]];
  const char *op = op_of(f[OP], f[TARGET]);
  double ms;
  if (!ho_double_parse(f[LATENCY], &ms, NULL) || ms < 0 || ms > HO_KERNEL_TIMES_MOST) {
    g_autofree char *shown = ho_printable(f[LATENCY]);
    return ho_fail(error, HO_ERROR_INPUT, "%s:%d: latency: found '%s', expected ms of at least 0", file, line, shown);
  }
  if (!op || !(ms >= 1e-9) || strcmp(f[DTYPE], "torch.float32")) return TRUE;
  shape in[MOST_SHAPES], out[MOST_SHAPES];
  int n = read_shapes(f[INPUTS], in), outputs = read_shapes(f[OUTPUT], out);
  if (n < 1 || outputs != 1)
    return ho_fail(error, HO_ERROR_INPUT,
                   "%s:%d: input_shapes or output_shape: expected lists of sizes such as [[8, 512]] and (8, 512)", file, line);
  ho_kernel_time t = {.seconds = ms * 1e-3};
  fill(&t, op, in, n, &out[0]);
  if (!(t.flops <= HO_KERNEL_TIMES_MOST && t.bytes <= HO_KERNEL_TIMES_MOST && t.flops + t.bytes > 0))
    return fail_size(file, line, &t, error);
  g_array_append_val(rows, t);
  return TRUE;
}

gboolean ho_kernel_times_read_fx(const char *file, const GPtrArray *columns, char *text, GArray *rows, GError **error) {
  int at[N_COLUMNS], number = 1;
  for (int c = 0; c < N_COLUMNS; c++) at[c] = column_of(columns, names[c]);
  for (char *line = text, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    number++;
    g_strchomp(line);
    if (!*line) continue;
    g_autoptr(GPtrArray) fields = ho_kernel_times_split(file, number, line, error);
    if (!fields) return FALSE;
    if (fields->len != columns->len)
      return ho_fail(error, HO_ERROR_INPUT, "%s:%d: %u fields, expected %u as in the first line", file, number, fields->len,
                     columns->len);
    if (!read_row(file, number, fields, at, rows, error)) return FALSE;
  }
  return TRUE;
}
