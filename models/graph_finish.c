/* graph_finish.c: checks a draft and freezes it into a graph; see graph_build.h.
 *
 * Every step is linear in the number of ops, tensors and uses, but for the topological order, which keeps its ready ops in a
 * heap. The order of the steps is the order in which faults are reported. */
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "models/graph_draft.h"
#include "models/graph_order.h"

#define OP(b, o) (&g_array_index((b)->ops, ho_op_info, (o)))
#define TENSOR(b, t) (&g_array_index((b)->tensors, ho_tensor_info, (t)))

/* ---- quantities ------------------------------------------------------------------------------------------------------ */

static gboolean is_quantity(double x) {
  return isfinite(x) && x >= 0;
}

static void check_quantity(ho_graph_build *b, ho_op o, const char *what, double x) {
  if (!is_quantity(x)) ho_draft_fail_op(b, o, "%s is %g: expected a finite number, 0 or more", what, x);
}

static void check_op(ho_graph_build *b, ho_op o) {
  const ho_op_info *op = OP(b, o);
  if (!*op->name) ho_draft_fail_op(b, o, "the name is empty");
  if (!*op->kind) ho_draft_fail_op(b, o, "the kind is empty");
  check_quantity(b, o, "flops", op->flops);
  check_quantity(b, o, "other_flops", op->other_flops);
  if (op->other_flops > op->flops)
    ho_draft_fail_op(b, o, "other_flops is %g: expected at most flops, %g", op->other_flops, op->flops);
  if (!isnan(op->read)) check_quantity(b, o, "read", op->read);
  if (!isnan(op->write)) check_quantity(b, o, "write", op->write);
  if (op->workspace < 0) ho_draft_fail_op(b, o, "workspace is %" G_GINT64_FORMAT ": expected 0 or more", op->workspace);
  check_quantity(b, o, "parallelism", op->parallelism);
  check_quantity(b, o, "sensitivity", op->sensitivity);
  check_quantity(b, o, "release", op->release);
  if (!isfinite(op->priority)) ho_draft_fail_op(b, o, "priority is %g: expected a finite number", op->priority);
}

static void check_tensor(ho_graph_build *b, ho_tensor t) {
  const ho_tensor_info *tensor = TENSOR(b, t);
  if (!*tensor->name) ho_draft_fail_tensor(b, t, "the name is empty");
  if (tensor->bytes < 0 && tensor->rank >= 0)
    ho_draft_fail_tensor(b, t, "the shape has a negative dimension or is larger than %" G_GINT64_FORMAT " bytes",
                         HO_GRAPH_MAX_BYTES);
  else if (tensor->bytes < 0)
    ho_draft_fail_tensor(b, t, "bytes is %" G_GINT64_FORMAT ": expected 0 or more", tensor->bytes);
  if (tensor->memory && tensor->role != HO_ROLE_INPUT)
    ho_draft_fail_tensor(b, t, "has a memory: only an input (no producer, role input) can say where it lies");
}

/* Later sums over memories stay within int64 because this one does. */
static void check_total(ho_graph_build *b) {
  int64_t left = HO_GRAPH_MAX_BYTES;
  for (guint t = 0; t < b->tensors->len; t++) {
    if (TENSOR(b, t)->bytes > left) goto too_much;
    left -= TENSOR(b, t)->bytes;
  }
  for (guint o = 0; o < b->ops->len; o++) {
    if (OP(b, o)->workspace > left) goto too_much;
    left -= OP(b, o)->workspace;
  }
  return;
too_much:
  ho_fail(&b->error, HO_ERROR_INPUT, "%s: tensors and workspaces take more than %" G_GINT64_FORMAT " bytes together", b->source,
          HO_GRAPH_MAX_BYTES);
}

static gboolean check_values(ho_graph_build *b) {
  if (!b->ops->len && !b->error) ho_fail(&b->error, HO_ERROR_INPUT, "%s: the graph has no ops: expected at least one", b->source);
  if (!is_quantity(b->period) && !b->error)
    ho_fail(&b->error, HO_ERROR_INPUT, "%s: period is %g: expected seconds, 0 or more", b->source, b->period);
  if (!(isfinite(b->samples) && b->samples > 0) && !b->error)
    ho_fail(&b->error, HO_ERROR_INPUT, "%s: samples is %g: expected a positive number", b->source, b->samples);
  for (guint o = 0; o < b->ops->len && !b->error; o++) check_op(b, (ho_op)o);
  for (guint t = 0; t < b->tensors->len && !b->error; t++) check_tensor(b, (ho_tensor)t);
  if (!b->error) check_total(b);
  return !b->error;
}

/* ---- aliases --------------------------------------------------------------------------------------------------------- */

static gboolean check_aliases(ho_graph_build *b) {
  gint32 n = (gint32)b->tensors->len;
  /* mark: 0 new, 1 on the chain that is being walked, 2 has its root */
  g_autofree guint8 *mark = g_malloc0((gsize)n);
  for (ho_tensor t = 0; t < n; t++) {
    ho_tensor end = t;
    while (!mark[end] && TENSOR(b, end)->alias >= 0) {
      mark[end] = 1;
      end = TENSOR(b, end)->alias;
    }
    if (mark[end] == 1) {
      g_autofree char *next = ho_printable(TENSOR(b, TENSOR(b, end)->alias)->name);
      ho_draft_fail_tensor(b, end, "is an alias of itself, by way of '%s'", next);
      return FALSE;
    }
    ho_tensor root = TENSOR(b, end)->root;
    mark[end] = 2;
    for (ho_tensor i = t; mark[i] == 1; i = TENSOR(b, i)->alias) {
      TENSOR(b, i)->root = root;
      mark[i] = 2;
    }
  }
  return TRUE;
}

/* ---- freezing -------------------------------------------------------------------------------------------------------- */

static int by_word(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Devices of time tables in alphabetical order, so that the order of JSON keys leaves no trace. */
static void freeze_times(ho_graph_build *b, ho_graph *g, ho_op_info *ops) {
  gint32 n = g->n_time_devices = (gint32)b->devices->len;
  const char **devices = ho_arena_new_array(g->arena, const char *, n);
  if (n) memcpy(devices, b->devices->pdata, sizeof *devices * (size_t)n);
  if (n) qsort(devices, (size_t)n, sizeof *devices, by_word);
  g->time_devices = devices;
  g_autofree int32_t *rank = g_new(int32_t, n + 1);
  for (gint32 i = 0; i < n; i++) {
    gpointer first = g_hash_table_lookup(b->device_index, devices[i]);
    rank[GPOINTER_TO_INT(first) - 1] = i;
  }
  ho_time *all = ho_arena_new_array(g->arena, ho_time, b->times->len);
  for (ho_op o = 0; o < g->n_ops; o++) {
    ops[o].times = ops[o].n_times >= 0 ? all : NULL;
    if (ops[o].n_times > 0) all += ops[o].n_times;
    if (ops[o].n_times > 0) ops[o].n_times = 0; /* counted again below */
  }
  for (guint i = 0; i < b->times->len && !b->error; i++) {
    ho_draft_time time = g_array_index(b->times, ho_draft_time, i);
    ho_op_info *op = &ops[time.op];
    ho_time *table = (ho_time *)op->times;
    int32_t at = op->n_times++, device = rank[time.device];
    if (!is_quantity(time.seconds))
      ho_draft_fail_op(b, time.op, "time on '%s' is %g: expected seconds, 0 or more", devices[device], time.seconds);
    for (; at > 0 && table[at - 1].device >= device; at--) table[at] = table[at - 1];
    table[at] = (ho_time){device, time.seconds};
    if (at + 1 < op->n_times && table[at + 1].device == device)
      ho_draft_fail_op(b, time.op, "has two times on '%s'", devices[device]);
  }
}

static void freeze_kinds(ho_graph_build *b, ho_graph *g) {
  g->n_kinds = (int32_t)b->kinds->len;
  g->kinds = ho_arena_memdup(g->arena, b->kinds->pdata, sizeof(char *) * b->kinds->len);
}

/* Starts of compressed rows out of the lengths, which lie one further on. */
static void sum_up(int32_t *start, int32_t n) {
  for (int32_t i = 0; i < n; i++) start[i + 1] += start[i];
}

/* Groups the uses by tensor with consumers in increasing order, each once. */
static void freeze_uses(ho_graph_build *b, ho_graph *g) {
  guint n = b->uses->len;
  const ho_draft_use *uses = (const ho_draft_use *)(void *)b->uses->data;
  g_autofree int32_t *by_op = g_new0(int32_t, g->n_ops + 1), *fill = g_new0(int32_t, g->n_tensors + 1);
  g_autofree ho_draft_use *sorted = g_new(ho_draft_use, n + 1);
  g_autofree ho_op *all = g_new(ho_op, n + 1);
  for (guint i = 0; i < n; i++) by_op[uses[i].op + 1]++, fill[uses[i].tensor + 1]++;
  sum_up(by_op, g->n_ops);
  sum_up(fill, g->n_tensors);
  for (guint i = 0; i < n; i++) sorted[by_op[uses[i].op]++] = uses[i];
  g_autofree int32_t *begin = g_memdup2(fill, sizeof *fill * ((size_t)g->n_tensors + 1));
  for (guint i = 0; i < n; i++) all[fill[sorted[i].tensor]++] = sorted[i].op;

  int32_t *start = ho_arena_new_array(g->arena, int32_t, g->n_tensors + 1);
  ho_op *use = ho_arena_new_array(g->arena, ho_op, n);
  int32_t at = 0;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    start[t] = at;
    for (int32_t i = begin[t]; i < begin[t + 1]; i++)
      if (i == begin[t] || all[i] != all[i - 1]) use[at++] = all[i];
    if (g->tensor[t].producer >= 0) g->n_edges += at - start[t];
  }
  start[g->n_tensors] = at;
  g->use_start = start;
  g->use = use;
}

/* Inputs and outputs of every op, in increasing order of tensors. */
static void freeze_rows(ho_graph *g) {
  int32_t *in_start = ho_arena_new_array(g->arena, int32_t, g->n_ops + 1);
  int32_t *out_start = ho_arena_new_array(g->arena, int32_t, g->n_ops + 1);
  for (int32_t i = 0; i < g->use_start[g->n_tensors]; i++) in_start[g->use[i] + 1]++;
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (g->tensor[t].producer >= 0) out_start[g->tensor[t].producer + 1]++;
  sum_up(in_start, g->n_ops);
  sum_up(out_start, g->n_ops);
  ho_tensor *in = ho_arena_new_array(g->arena, ho_tensor, in_start[g->n_ops]);
  ho_tensor *out = ho_arena_new_array(g->arena, ho_tensor, out_start[g->n_ops]);
  g_autofree int32_t *in_at = g_memdup2(in_start, sizeof *in_start * ((size_t)g->n_ops + 1));
  g_autofree int32_t *out_at = g_memdup2(out_start, sizeof *out_start * ((size_t)g->n_ops + 1));
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    for (int32_t i = g->use_start[t]; i < g->use_start[t + 1]; i++) in[in_at[g->use[i]]++] = t;
    if (g->tensor[t].producer >= 0) out[out_at[g->tensor[t].producer]++] = t;
  }
  g->in_start = in_start;
  g->out_start = out_start;
  g->in = in;
  g->out = out;
}

static void fill_defaults(const ho_graph *g, ho_op_info *ops, ho_tensor_info *tensors) {
  for (ho_op o = 0; o < g->n_ops; o++) {
    int64_t read = 0, write = 0;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) read += tensors[g->in[i]].bytes;
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) write += tensors[g->out[i]].bytes;
    if (isnan(ops[o].read)) ops[o].read = (double)read;
    if (isnan(ops[o].write)) ops[o].write = (double)write;
  }
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (tensors[t].producer >= 0 && g->use_start[t] == g->use_start[t + 1]) tensors[t].is_output = 1;
}

/* ---- digest ---------------------------------------------------------------------------------------------------------- */

/* Numbers that are zero, which most are, cost one bit of a mask instead of a field: digesting a large graph takes as long as its
 * bytes. Returns the mask, which must be digested before them. */
static int64_t mask_of(const double *numbers, int n) {
  int64_t mask = 0;
  for (int i = 0; i < n; i++) mask |= (int64_t)(numbers[i] != 0) << i;
  return mask;
}

static void digest_op(ho_digest *d, const ho_op_info *op) {
  const double numbers[] = {op->flops,       op->read,        op->write,   (double)op->workspace,
                            op->parallelism, op->sensitivity, op->release, op->priority};
  const int n = G_N_ELEMENTS(numbers);
  ho_digest_string(d, op->name);
  ho_digest_int(d, mask_of(numbers, n) | (int64_t)op->phase << n | (int64_t)(op->layer != NULL) << (n + 2) |
                       (int64_t)(op->other_flops != 0) << (n + 3) | (int64_t)op->unsplit << (n + 4));
  if (op->other_flops != 0) ho_digest_double(d, op->other_flops);
  for (int i = 0; i < n; i++)
    if (numbers[i] != 0) ho_digest_double(d, numbers[i]);
  ho_digest_int(d, (int64_t)op->kind_index << 32 | (op->n_times + 1));
  if (op->layer) ho_digest_string(d, op->layer);
  for (int32_t i = 0; i < op->n_times; i++) {
    ho_digest_int(d, op->times[i].device);
    ho_digest_double(d, op->times[i].seconds);
  }
}

static void digest_tensor(ho_digest *d, const ho_graph *g, ho_tensor t) {
  const ho_tensor_info *tensor = &g->tensor[t];
  int32_t n_uses = g->use_start[t + 1] - g->use_start[t];
  ho_digest_string(d, tensor->name);
  ho_digest_int(d, tensor->bytes);
  /* each of these is small and stands at a place of its own */
  ho_digest_int(d, (int64_t)tensor->dtype | tensor->role << 8 | tensor->is_output << 10 | (tensor->memory != NULL) << 11 |
                       (tensor->alias >= 0) << 12 | (int64_t)(tensor->rank + 1) << 13);
  ho_digest_int(d, (int64_t)n_uses << 32 | (tensor->producer + 1));
  if (tensor->memory) ho_digest_string(d, tensor->memory);
  if (tensor->alias >= 0) ho_digest_int(d, tensor->alias);
  for (int32_t i = 0; i < tensor->rank; i++) ho_digest_int(d, tensor->shape[i]);
  for (int32_t i = g->use_start[t]; i < g->use_start[t + 1]; i++) ho_digest_int(d, g->use[i]);
}

static void digest_words(ho_digest *d, const char *const *words, int32_t n) {
  ho_digest_int(d, n);
  for (int32_t i = 0; i < n; i++) ho_digest_string(d, words[i]);
}

/* The content: not the graph's name, not where it came from, not what the reader had to say. */
const char *ho_graph_digest(const ho_graph *g) {
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, "heteroopt-graph/1");
  ho_digest_double(d, g->period);
  ho_digest_double(d, g->samples);
  digest_words(d, g->kinds, g->n_kinds);
  digest_words(d, g->time_devices, g->n_time_devices);
  ho_digest_int(d, g->n_ops);
  for (ho_op o = 0; o < g->n_ops; o++) digest_op(d, &g->op[o]);
  ho_digest_int(d, g->n_tensors);
  for (ho_tensor t = 0; t < g->n_tensors; t++) digest_tensor(d, g, t);
  g_autofree char *hex = ho_digest_finish(d);
  return ho_arena_strdup(g->arena, hex);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

/* Moves an array of the draft into the arena. */
static void *freeze_array(ho_arena *arena, GArray **a, size_t size) {
  void *copy = ho_arena_memdup(arena, (*a)->data, size * (*a)->len);
  g_array_free(*a, TRUE);
  *a = NULL;
  return copy;
}

static gboolean freeze(ho_graph_build *b, ho_graph *g) {
  g->name = b->name;
  g->source = b->source;
  g->note = b->note;
  g->n_unknown = b->n_unknown;
  g->period = b->period;
  g->samples = b->samples;
  g->arena = b->arena;
  g->n_ops = (int32_t)b->ops->len;
  g->n_tensors = (int32_t)b->tensors->len;
  freeze_kinds(b, g);
  freeze_times(b, g, (ho_op_info *)(void *)b->ops->data);
  if (b->error) return FALSE;
  ho_op_info *ops = freeze_array(g->arena, &b->ops, sizeof *ops);
  ho_tensor_info *tensors = freeze_array(g->arena, &b->tensors, sizeof *tensors);
  g->op = ops;
  g->tensor = tensors;
  freeze_uses(b, g);
  freeze_rows(g);
  fill_defaults(g, ops, tensors);
  ho_op *topo = ho_arena_new_array(g->arena, ho_op, g->n_ops);
  g->topo = topo;
  if (!ho_graph_order(g, topo, &b->error)) return FALSE;
  g->digest = ho_graph_digest(g);
  return TRUE;
}

ho_graph *ho_graph_build_finish(ho_graph_build *b, GError **error) {
  ho_graph *g = ho_arena_new_array(b->arena, ho_graph, 1);
  if (check_values(b) && check_aliases(b) && freeze(b, g)) {
    g->op_names = g_steal_pointer(&b->op_names);
    g->tensor_names = g_steal_pointer(&b->tensor_names);
    b->arena = NULL; /* the graph's from here on */
  } else {
    g_propagate_error(error, g_steal_pointer(&b->error));
    g = NULL;
  }
  ho_graph_build_free(b);
  return g;
}
