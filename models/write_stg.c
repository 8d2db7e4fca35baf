/* write_stg.c: a graph in the Standard Task Graph Set's text format, as read_stg.c reads it.
 *
 * Tasks are the ops in order, between the two dummies of the format. A graph whose first op is its only entry, whose last is its only
 * exit and which both take no time already has the dummies. An op's time is the least of its time table, or else its FLOPs at
 * 1 GFLOP/s; an edge costs the bytes of the tensors on it at 1 GB/s, and where no edge has any, the plain variant is written. What
 * an op was called is in the comments behind the graph. */
#include <stdlib.h>

#include "base/fileio.h"
#include "base/units.h"
#include "models/read_task.h"

#define BYTES_PER_UNIT 1e9

typedef struct {
  ho_op from;
  double bytes;
} cost;

static double time_of(const ho_op_info *op) {
  if (op->n_times <= 0) return op->flops / HO_TASK_FLOPS;
  double least = op->times[0].seconds;
  for (int32_t i = 1; i < op->n_times; i++) least = MIN(least, op->times[i].seconds);
  return least;
}

/* Times that differ between devices, which the format cannot say. */
static int32_t count_unlike(const ho_graph *g) {
  int32_t unlike = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    gboolean differs = FALSE;
    for (int32_t i = 1; i < g->op[o].n_times; i++) differs |= g->op[o].times[i].seconds != g->op[o].times[0].seconds;
    unlike += differs;
  }
  return unlike;
}

static int by_op(const void *a, const void *b) {
  ho_op x = ((const cost *)a)->from, y = ((const cost *)b)->from;
  return (x > y) - (x < y);
}

/* The ops whose tensors `o` reads, each once, in order. */
static GArray *predecessors(const ho_graph *g, ho_op o) {
  GArray *all = g_array_new(FALSE, FALSE, sizeof(cost));
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    const ho_tensor_info *t = &g->tensor[g->in[i]];
    cost c = {t->producer, (double)t->bytes};
    if (c.from >= 0) g_array_append_val(all, c);
  }
  if (all->len) qsort(all->data, all->len, sizeof(cost), by_op);
  guint n = 0;
  for (guint k = 0; k < all->len; k++) {
    cost c = g_array_index(all, cost, k);
    if (n && g_array_index(all, cost, n - 1).from == c.from)
      g_array_index(all, cost, n - 1).bytes += c.bytes;
    else
      g_array_index(all, cost, n++) = c;
  }
  g_array_set_size(all, n);
  return all;
}

static gboolean has_successor(const ho_graph *g, ho_op o) {
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    if (g->use_start[g->out[i]] < g->use_start[g->out[i] + 1]) return TRUE;
  return FALSE;
}

static gboolean has_predecessor(const ho_graph *g, ho_op o) {
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
    if (g->tensor[g->in[i]].producer >= 0) return TRUE;
  return FALSE;
}

static gboolean has_dummies(const ho_graph *g) {
  if (g->n_ops < 2 || time_of(&g->op[0]) != 0 || time_of(&g->op[g->n_ops - 1]) != 0) return FALSE;
  for (ho_op o = 0; o < g->n_ops; o++)
    if (has_predecessor(g, o) == (o == 0) || has_successor(g, o) == (o == g->n_ops - 1)) return FALSE;
  return TRUE;
}

static gboolean has_costs(const ho_graph *g) {
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (g->tensor[t].producer >= 0 && g->tensor[t].bytes > 0 && g->use_start[t] < g->use_start[t + 1]) return TRUE;
  return FALSE;
}

static void put_number(GString *out, double value) {
  char text[32];
  g_string_append_printf(out, " %s", ho_double_text(value, text));
}

static void put_task(GString *out, const ho_graph *g, ho_op o, int shift, gboolean costs) {
  g_autoptr(GArray) all = predecessors(g, o);
  g_string_append_printf(out, "%d", o + shift);
  put_number(out, time_of(&g->op[o]));
  gboolean dummy = shift && !all->len;
  g_string_append_printf(out, " %u", dummy ? 1 : all->len);
  if (dummy) g_string_append(out, costs ? " 0 0" : " 0");
  for (guint k = 0; k < all->len; k++) {
    g_string_append_printf(out, " %d", g_array_index(all, cost, k).from + shift);
    if (costs) put_number(out, g_array_index(all, cost, k).bytes / BYTES_PER_UNIT);
  }
  g_string_append_c(out, '\n');
}

static void put_exit(GString *out, const ho_graph *g, gboolean costs) {
  int n = 0;
  for (ho_op o = 0; o < g->n_ops; o++) n += !has_successor(g, o);
  g_string_append_printf(out, "%d 0 %d", g->n_ops + 1, n);
  for (ho_op o = 0; o < g->n_ops; o++)
    if (!has_successor(g, o)) g_string_append_printf(out, costs ? " %d 0" : " %d", o + 1);
  g_string_append_c(out, '\n');
}

static void put_comments(GString *out, const ho_graph *g, int shift, gboolean costs) {
  int32_t unlike = count_unlike(g);
  g_autofree char *name = g_strdelimit(g_strdup(g->name), "\r\n", ' ');
  g_string_append_printf(out, "# %s: 1 unit is 1 s, or 1 GFLOP where no time is known%s\n", name,
                         costs ? "; 1 unit of communication is 1 GB" : "");
  if (unlike) g_string_append_printf(out, "# %d tasks take different times on different devices: the least is given\n", unlike);
  for (ho_op o = 0; o < g->n_ops; o++) {
    g_autofree char *op = g_strdelimit(g_strdup(g->op[o].name), "\r\n", ' ');
    g_string_append_printf(out, "# task %d is %s\n", o + shift, op);
  }
}

gboolean ho_graph_write_stg(const ho_graph *g, const char *file, GError **error) {
  gboolean costs = has_costs(g);
  int shift = has_dummies(g) ? 0 : 1;
  g_autoptr(GString) out = g_string_new(NULL);
  g_string_append_printf(out, "%d\n", shift ? g->n_ops : g->n_ops - 2);
  if (shift) g_string_append(out, "0 0 0\n");
  for (ho_op o = 0; o < g->n_ops; o++) put_task(out, g, o, shift, costs);
  if (shift) put_exit(out, g, costs);
  put_comments(out, g, shift, costs);
  return ho_file_write(file, out->str, out->len, error);
}
