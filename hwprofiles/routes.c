/* routes.c: see routes.h. */
#include "hwprofiles/routes.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  int32_t vertices, n_links;
  const ho_link_info *link;
  int32_t *start; /* compressed rows: links at a vertex */
  int32_t *at;
  double *latency; /* best so far, by vertex; INFINITY: not reached */
  int32_t *hops;
  int32_t *by;     /* link that reached it; -1 */
  int32_t *before; /* vertex before it */
  uint8_t *done;
  int32_t *set[2]; /* scratch for comparing ways */
} search;

/* ---- comparing ways of equal latency and length ---- */

static int by_index(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* The links from the source to `v`, then `last` (-1: none), sorted. */
static void collect(const search *s, int32_t v, int32_t last, int32_t *set, int32_t n) {
  if (last >= 0) set[--n] = last;
  for (; s->by[v] >= 0; v = s->before[v]) set[--n] = s->by[v];
}

/* Whether the way to v through u and link l is to be taken over the one that v has, both of `n` links. */
static int lower_links(const search *s, int32_t u, int32_t l, int32_t v, int32_t n) {
  collect(s, u, l, s->set[0], n);
  collect(s, v, -1, s->set[1], n);
  qsort(s->set[0], (size_t)n, sizeof(int32_t), by_index);
  qsort(s->set[1], (size_t)n, sizeof(int32_t), by_index);
  for (int32_t i = 0; i < n; i++)
    if (s->set[0][i] != s->set[1][i]) return s->set[0][i] < s->set[1][i];
  return 0;
}

/* ---- Dijkstra ---- */

static int nearer(const search *s, int32_t a, int32_t b) {
  if (s->latency[a] != s->latency[b]) return s->latency[a] < s->latency[b];
  return s->hops[a] < s->hops[b];
}

static int32_t next_vertex(const search *s) {
  int32_t best = -1;
  for (int32_t v = 0; v < s->vertices; v++)
    if (!s->done[v] && isfinite(s->latency[v]) && (best < 0 || nearer(s, v, best))) best = v;
  return best;
}

static void relax(search *s, int32_t u, int32_t l) {
  const ho_link_info *k = &s->link[l];
  if (k->duplex == HO_DUPLEX_SIMPLEX && k->ends[0] != u) return;
  int32_t v = k->ends[0] == u ? k->ends[1] : k->ends[0], hops = s->hops[u] + 1;
  if (s->done[v]) return;
  double latency = s->latency[u] + k->latency;
  if (latency > s->latency[v]) return;
  if (latency == s->latency[v] && (hops > s->hops[v] || (hops == s->hops[v] && !lower_links(s, u, l, v, hops)))) return;
  s->latency[v] = latency;
  s->hops[v] = hops;
  s->by[v] = l;
  s->before[v] = u;
}

static void run(search *s, int32_t source) {
  for (int32_t v = 0; v < s->vertices; v++) {
    s->latency[v] = INFINITY;
    s->by[v] = -1;
    s->done[v] = 0;
  }
  s->latency[source] = 0;
  s->hops[source] = 0;
  for (int32_t u; (u = next_vertex(s)) >= 0;) {
    s->done[u] = 1;
    for (int32_t i = s->start[u]; i < s->start[u + 1]; i++) relax(s, u, s->at[i]);
  }
}

static ho_route route_to(const search *s, int32_t v, ho_arena *arena) {
  if (!isfinite(s->latency[v])) return (ho_route){.bandwidth = 0, .latency = INFINITY};
  int32_t n = s->hops[v];
  ho_hop *hop = ho_arena_new_array(arena, ho_hop, n + 1);
  ho_route r = {.n = n, .reachable = 1, .hop = hop, .latency = s->latency[v], .bandwidth = INFINITY};
  for (int32_t i = n; s->by[v] >= 0; v = s->before[v]) {
    const ho_link_info *k = &s->link[s->by[v]];
    hop[--i] = (ho_hop){s->by[v], k->ends[1] != v};
    r.bandwidth = fmin(r.bandwidth, k->bandwidth);
  }
  for (int32_t i = 0; i < n; i++) r.energy += s->link[hop[i].link].energy;
  return r;
}

/* ---- set-up ---- */

static void links_by_vertex(search *s) {
  for (int32_t l = 0; l < s->n_links; l++)
    for (int e = 0; e < 2; e++) s->start[s->link[l].ends[e] + 1]++;
  for (int32_t v = 0; v < s->vertices; v++) s->start[v + 1] += s->start[v];
  g_autofree int32_t *next = g_memdup2(s->start, sizeof(int32_t) * (size_t)(s->vertices + 1));
  for (int32_t l = 0; l < s->n_links; l++)
    for (int e = 0; e < 2; e++) s->at[next[s->link[l].ends[e]]++] = l;
}

const ho_route *ho_routes_new(int32_t n_memories, int32_t vertices, const ho_link_info *link, int32_t n_links, ho_arena *arena) {
  ho_arena *scratch = ho_arena_new();
  search s = {.vertices = vertices, .n_links = n_links, .link = link};
  s.start = ho_arena_new_array(scratch, int32_t, vertices + 2);
  s.at = ho_arena_new_array(scratch, int32_t, 2 * n_links + 1);
  s.latency = ho_arena_new_array(scratch, double, vertices);
  s.hops = ho_arena_new_array(scratch, int32_t, vertices);
  s.by = ho_arena_new_array(scratch, int32_t, vertices);
  s.before = ho_arena_new_array(scratch, int32_t, vertices);
  s.done = ho_arena_new_array(scratch, uint8_t, vertices);
  for (int i = 0; i < 2; i++) s.set[i] = ho_arena_new_array(scratch, int32_t, vertices + 1);
  links_by_vertex(&s);
  ho_route *route = ho_arena_new_array(arena, ho_route, (size_t)n_memories * (size_t)n_memories);
  for (int32_t from = 0; from < n_memories; from++) {
    run(&s, from);
    for (int32_t to = 0; to < n_memories; to++) route[(size_t)from * (size_t)n_memories + (size_t)to] = route_to(&s, to, arena);
  }
  ho_arena_free(scratch);
  return route;
}
