/* arrows.c: see arrows.h. Transfers and entries in their order, inputs in that of the graph. */
#include "plots/arrows.h"

typedef struct {
  const ho_graph *g;
  const ho_platform *p;
  const ho_replay_result *r;
  int32_t *entry_of;    /* an entry of each op */
  GHashTable *arrivals; /* (tensor, destination) -> transfer + 1 */
  GArray *arrows;
} maker;

static int64_t arrival_key(ho_tensor tensor, ho_memory memory) {
  return ((int64_t)tensor << 16) | memory;
}

static GHashTable *index_arrivals(const ho_replay_result *r) {
  GHashTable *arrivals = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  for (int32_t i = 0; i < r->n_transfers; i++) {
    gint64 *key = g_new(gint64, 1);
    *key = arrival_key(r->transfer[i].tensor, r->transfer[i].to);
    g_hash_table_insert(arrivals, key, GINT_TO_POINTER(i + 1));
  }
  return arrivals;
}

/* The transfer that brought a tensor to a memory, -1: none. */
static int32_t arrival(const maker *k, ho_tensor tensor, ho_memory memory) {
  gint64 key = arrival_key(tensor, memory);
  return GPOINTER_TO_INT(g_hash_table_lookup(k->arrivals, &key)) - 1;
}

static ho_memory memory_of(const maker *k, int32_t entry) {
  return k->p->device[k->r->plan->entry[entry].device].memory;
}

static int makes_by(const maker *k, int32_t entry, ho_memory memory, double time) {
  return memory_of(k, entry) == memory && k->r->op[entry].end <= time;
}

/* The entry that had made a tensor in a memory by then (s); -1: none had. */
static int32_t made_in(const maker *k, ho_tensor tensor, ho_memory memory, double time) {
  ho_op producer = k->g->tensor[tensor].producer;
  if (producer < 0) return -1;
  if (makes_by(k, k->entry_of[producer], memory, time)) return k->entry_of[producer];
  for (int32_t i = 0; i < k->r->plan->n; i++) /* a duplicated op: another copy lies there */
    if (k->r->plan->entry[i].op == producer && makes_by(k, i, memory, time)) return i;
  return -1;
}

static void add(maker *k, ho_activity from, ho_activity to) {
  const ho_arrow arrow = {from, to};
  g_array_append_val(k->arrows, arrow);
}

static void lead_to_transfer(maker *k, int32_t i) {
  const ho_replay_transfer *x = &k->r->transfer[i];
  int32_t earlier = arrival(k, x->tensor, x->from), entry = earlier >= 0 ? -1 : made_in(k, x->tensor, x->from, x->start);
  if (earlier >= 0 || entry >= 0) add(k, (ho_activity){entry, earlier}, (ho_activity){-1, i});
}

static void lead_to_entry(maker *k, int32_t i, ho_tensor tensor) {
  const ho_entry *to = &k->r->plan->entry[i];
  ho_memory memory = memory_of(k, i);
  double start = k->r->op[i].start;
  int32_t x = arrival(k, tensor, memory);
  if (x >= 0 && k->r->transfer[x].end > start) x = -1; /* a copy of the producer was faster */
  int32_t maker_entry = x >= 0 ? -1 : made_in(k, tensor, memory, start);
  const ho_entry *from = maker_entry >= 0 ? &k->r->plan->entry[maker_entry] : NULL;
  if (x >= 0)
    add(k, (ho_activity){-1, x}, (ho_activity){i, -1});
  else if (from && (from->device != to->device || from->stream != to->stream))
    add(k, (ho_activity){maker_entry, -1}, (ho_activity){i, -1});
}

GArray *ho_arrows(const ho_problem *q, const ho_replay_result *r) {
  const ho_graph *g = q->graph;
  g_autoptr(GHashTable) arrivals = index_arrivals(r);
  g_autofree int32_t *entry_of = g_new0(int32_t, (size_t)g->n_ops + 1);
  maker k = {g, q->platform, r, entry_of, arrivals, g_array_new(FALSE, FALSE, sizeof(ho_arrow))};
  for (int32_t i = 0; i < r->plan->n; i++) entry_of[r->plan->entry[i].op] = i;
  for (int32_t i = 0; i < r->n_transfers; i++) lead_to_transfer(&k, i);
  for (int32_t i = 0; i < r->plan->n; i++)
    for (ho_op o = r->plan->entry[i].op, j = g->in_start[o]; j < g->in_start[o + 1]; j++) lead_to_entry(&k, i, g->in[j]);
  return k.arrows;
}
