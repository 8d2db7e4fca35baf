/* replay_copies.c: tensors in memories, and the copies that bring them there.
 *
 * A tensor crosses once per destination memory, as soon as its producer ends, but not before the earliest not_before of its consumers there.
 * Copies wait
 * per route, in the order of their first consumers (with serial contention: in the order of the requests), for a copy engine at each
 * end, memory at the target, and (serial) all links of the route; they take all of it at once. A copy that cannot start does not keep
 * one of another route from starting. A memory has the copy engines of its devices together; one device with 0 makes them unlimited. */
#include <math.h>

#include "sim/replay_state.h"

/* ---- cells --------------------------------------------------------------------------------------------------------------------- */

int32_t ho_cells_find(const ho_replay *r, ho_tensor t, ho_memory m) {
  int32_t c = r->tensor_cell[t];
  while (c >= 0 && r->cell[c].memory != m) c = r->cell[c].next;
  return c;
}

int32_t ho_cells_get(ho_replay *r, ho_tensor t, ho_memory m) {
  int32_t *link = &r->tensor_cell[t];
  while (*link >= 0) {
    if (r->cell[*link].memory == m) return *link;
    link = &r->cell[*link].next;
  }
  g_assert(r->n_cells < r->max_cells);
  *link = r->n_cells;
  const ho_tensor_info *info = &r->q->graph->tensor[t];
  r->cell[r->n_cells] = (cell_t){.tensor = t,
                                 .memory = m,
                                 .next = -1,
                                 .first = INT32_MAX,
                                 .made_at = INT32_MAX,
                                 .view = -1,
                                 .buffer = -1,
                                 .owner = -1,
                                 .copy = -1,
                                 .maker = -1,
                                 .state = CELL_ABSENT,
                                 .is_weight = info->role == HO_ROLE_WEIGHT,
                                 .is_output = info->is_output != 0};
  if (info->role != HO_ROLE_WEIGHT) r->cell[r->n_cells].gate = INFINITY;
  return r->n_cells++;
}

void ho_cells_present(ho_replay *r, int32_t index, int32_t maker, int32_t copy) {
  const ho_graph *g = r->q->graph;
  cell_t *c = &r->cell[index];
  if (c->state == CELL_PRESENT) return; /* another copy of the producer was faster */
  c->state = CELL_PRESENT;
  c->maker = maker;
  for (int32_t j = g->use_start[c->tensor]; j < g->use_start[c->tensor + 1]; j++)
    for (int32_t i = r->op_entry[g->use[j]]; i >= 0; i = r->entry[i].next_copy)
      if (r->entry[i].memory == c->memory) {
        r->times[i].ready = r->now;
        ho_ops_less(r, i, copy >= 0 ? CAUSE_COPY : maker >= 0 ? CAUSE_LOCAL : CAUSE_NONE, copy >= 0 ? copy : maker);
      }
  if (r->online) ho_online_arrived(r, index);
}

/* ---- requests ------------------------------------------------------------------------------------------------------------------ */

/* Brings a tensor from a cell to another for entry `first` and others, not before `gate`: they all have a not_before. Releases do not hold
 * a prefetch back. */
static void request(ho_replay *r, int32_t source, int32_t target, int32_t first, double gate) {
  g_assert(r->n_copies < r->max_copies);
  cell_t *from = &r->cell[source], *to = &r->cell[target];
  int32_t x = r->n_copies++;
  r->unfinished++;
  copy_t *c = &r->copy[x];
  *c = (copy_t){.source = source,
                .target = target,
                .pair = from->memory * r->n_memories + to->memory,
                .first = first,
                .bytes = (double)r->tensor_bytes[from->tensor],
                .requested = r->now,
                .start = NAN,
                .end = NAN,
                .spare = -1};
  c->factor = ho_replay_noise(r, r->tensor_hash[from->tensor], r->memory_hash[to->memory]);
  to->state = CELL_COMING;
  to->copy = x;
  if (r->account && from->buffer >= 0) r->buffer[from->buffer].refs++;
  if (gate > r->now)
    ho_events_push(r, gate, EVENT_HOLD, x);
  else
    ho_copies_enqueue(r, x);
}

/* Whether a tensor has to be brought to a cell for entry `first`: nothing brings it yet, and no copy of its producer that is issued before
 * that entry makes it there. */
static int wanted(const cell_t *c, int32_t first) {
  return c->state == CELL_ABSENT && c->made_at > first;
}

/* Host comes last: its copy is for its own consumers and for those that can only be reached through it, whoever is first. */
void ho_copies_spread(ho_replay *r, int32_t source) {
  const ho_platform *p = r->q->platform;
  ho_tensor t = r->cell[source].tensor;
  ho_memory here = r->cell[source].memory;
  int32_t through_host = INT32_MAX;
  double gate = INFINITY;
  if (r->cell[source].is_weight) return;
  for (int32_t c = r->tensor_cell[t]; c >= 0; c = r->cell[c].next) {
    const cell_t *to = &r->cell[c];
    if (to->uses == 0 || !wanted(to, to->first)) continue;
    if (to->memory != p->host && ho_platform_direct(p, here, to->memory))
      request(r, source, c, to->first, to->gate);
    else {
      through_host = MIN(through_host, to->first);
      gate = fmin(gate, to->gate);
    }
  }
  if (through_host == INT32_MAX) return;
  int32_t host = ho_cells_get(r, t, p->host);
  cell_t *h = &r->cell[host];
  if (h->state == CELL_PRESENT)
    ho_copies_spread(r, host);
  else if (wanted(h, through_host))
    request(r, source, host, through_host, gate);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------------------- */

void ho_copies_enqueue(ho_replay *r, int32_t x) {
  copy_t *c = &r->copy[x];
  int32_t *head = &r->pair_head[c->pair];
  c->asked = r->now;
  if (*head < 0) {
    r->pair_blocked[c->pair] = 0;
    r->pairs[r->n_pairs++] = c->pair;
  }
  /* Ties by the first consumer's place, then by tensor: never by the order in which copies happened to be asked for. */
  int serial = r->q->platform->contention == HO_CONTENTION_SERIAL;
  int64_t order = (int64_t)c->first << 31 | r->cell[c->target].tensor;
  *head = ho_pairing_push(r->waiting, *head, x, serial ? r->now : c->first, order);
}

static int links_free(const ho_replay *r, int32_t pair) {
  const ho_platform *p = r->q->platform;
  const ho_route *route = &p->route[pair];
  for (int32_t h = 0; h < route->n; h++) {
    const ho_link_info *l = &p->link[route->hop[h].link];
    int direction = l->duplex == HO_DUPLEX_FULL ? 1 << route->hop[h].backward : 3;
    if (l->duplex != HO_DUPLEX_FAT && (r->link[route->hop[h].link].taken & direction)) return 0;
  }
  return 1;
}

static void take_links(ho_replay *r, int32_t pair, int take) {
  const ho_platform *p = r->q->platform;
  const ho_route *route = &p->route[pair];
  for (int32_t h = 0; h < route->n; h++) {
    const ho_link_info *l = &p->link[route->hop[h].link];
    int direction = l->duplex == HO_DUPLEX_FULL ? 1 << route->hop[h].backward : 3;
    if (l->duplex == HO_DUPLEX_FAT) continue;
    link_t *k = &r->link[route->hop[h].link];
    k->taken = (int8_t)(take ? k->taken | direction : k->taken & ~direction);
  }
}

static int engines_free(const ho_replay *r, int32_t pair) {
  ho_memory from = pair / r->n_memories, to = pair % r->n_memories;
  return r->engines_out[from] < r->engine_limit[from] && r->engines_in[to] < r->engine_limit[to];
}

int32_t ho_copies_first(const ho_replay *r) {
  int serial = r->q->platform->contention == HO_CONTENTION_SERIAL;
  int32_t best = -1;
  for (int32_t i = 0; i < r->n_pairs; i++) {
    int32_t pair = r->pairs[i], x = r->pair_head[pair];
    if (r->pair_blocked[pair] || (best >= 0 && !ho_pairing_before(&r->waiting[x], &r->waiting[best]))) continue;
    if (engines_free(r, pair) && (!serial || links_free(r, pair))) best = x;
  }
  return best;
}

static void dequeue(ho_replay *r, int32_t pair) {
  r->pair_head[pair] = ho_pairing_pop(r->waiting, r->pair_head[pair], r->scratch);
  if (r->pair_head[pair] >= 0) return;
  int32_t i = 0;
  while (r->pairs[i] != pair) i++;
  r->pairs[i] = r->pairs[--r->n_pairs];
}

/* ---- a copy's life ------------------------------------------------------------------------------------------------------------- */

static void draw_on_links(ho_replay *r, int32_t pair, int more) {
  const ho_route *route = &r->q->platform->route[pair];
  for (int32_t h = 0; h < route->n; h++) {
    link_t *l = &r->link[route->hop[h].link];
    if (more && l->drawing++ == 0) l->since = r->now;
    if (!more && --l->drawing == 0) l->busy += r->now - l->since;
  }
}

int ho_copies_try(ho_replay *r, int32_t x) {
  copy_t *c = &r->copy[x];
  cell_t *to = &r->cell[c->target];
  int64_t bytes = r->tensor_bytes[to->tensor];
  if (!ho_memory_ask(r, to->memory, bytes)) {
    r->pair_blocked[c->pair] = 1;
    c->waited_memory = 1;
    if (r->stuck_copy < 0) r->stuck_copy = x;
    return 0;
  }
  ho_memory from = r->cell[c->source].memory;
  dequeue(r, c->pair);
  r->engines_out[from]++;
  r->engines_in[to->memory]++;
  int32_t entry = c->first == INT32_MAX ? -1 : c->first;
  if (to->buffer >= 0) /* a copy of the producer has begun to make it here */
    c->spare = ho_memory_take(r, to->memory, bytes, to->tensor, entry, 1, 0);
  else /* one user more until later hops are requested: see ho_copies_arrive */
    to->buffer = ho_memory_take(r, to->memory, bytes, to->tensor, entry, to->uses + 1, 0);
  if (r->q->platform->contention == HO_CONTENTION_SERIAL) take_links(r, c->pair, 1);
  c->start = r->now;
  r->transfer[r->n_transfers++] = (ho_replay_transfer){.tensor = x}; /* filled in by the report */
  double latency = r->q->platform->route[c->pair].latency * c->factor;
  if (latency > 0)
    ho_events_push(r, r->now + latency, EVENT_FLOW, x);
  else
    ho_copies_flow(r, x);
  return 1;
}

void ho_copies_flow(ho_replay *r, int32_t x) {
  copy_t *c = &r->copy[x];
  double work = c->bytes * c->factor;
  draw_on_links(r, c->pair, 1);
  if (r->pair_fluid[c->pair] && work > 0)
    ho_fluid_start(r->fluid, r->now, c->pair, work, x);
  else
    ho_events_push(r, r->now + work / r->q->platform->route[c->pair].bandwidth, EVENT_COPY_END, x);
}

void ho_copies_release(ho_replay *r, int32_t x) {
  copy_t *c = &r->copy[x];
  const ho_route *route = &r->q->platform->route[c->pair];
  c->end = r->now;
  r->unfinished--;
  draw_on_links(r, c->pair, 0);
  for (int32_t h = 0; h < route->n; h++) r->link[route->hop[h].link].bytes += c->bytes;
  if (r->q->platform->contention == HO_CONTENTION_SERIAL) take_links(r, c->pair, 0);
  r->engines_out[r->cell[c->source].memory]--;
  r->engines_in[r->cell[c->target].memory]--;
  ho_memory_drop(r, r->cell[c->source].buffer);
}

void ho_copies_arrive(ho_replay *r, int32_t x) {
  int32_t target = r->copy[x].target, spare = r->copy[x].spare;
  ho_cells_present(r, target, -1, x);
  if (r->cell[target].memory == r->q->platform->host) ho_copies_spread(r, target);
  ho_memory_drop(r, spare >= 0 ? spare : r->cell[target].buffer);
}
