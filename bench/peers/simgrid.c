/* simgrid.c: the engine against SimGrid: finish times of random graphs whose ops have fixed places and order.
 *
 * A graph has 1,000 ops with time tables, each reading what up to three of the fifty before it made, each on a random device. Platforms
 * are a root complex (one switch) or a random tree of up to five, links full or half duplex, with up to eight memories of one device
 * each, all peers. Latencies are 0, or the same on every link of a memory, so that those of all routes are equal: SimGrid's model weights
 * flows by latency, this project's does not.
 *
 * Prints a Markdown table; exit 1 when a finish time differs by more than 1e-9 s + 1e-9 of itself.
 * usage: bench/peers/simgrid [INSTANCES] */
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stream.h"
#include "hwprofiles/platform_yaml.h"
#include "models/source.h"
#include "bench/peers/peer.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

enum { OPS = 1000, BACK = 50, MOST_HOSTS = 8, MOST_READS = 3 };

typedef struct {
  int n_hosts, host[OPS];
  double seconds[OPS], bytes[OPS];
  int n_reads[OPS], reads[OPS][MOST_READS];
} dag;

/* ---- what is drawn --------------------------------------------------------------------------------------------------------------- */

static double between(ho_stream *s, double low, double high) {
  return low * pow(high / low, ho_stream_uniform(s));
}

static void draw_dag(ho_stream *s, dag *d) {
  d->n_hosts = 2 + (int)ho_stream_below(s, MOST_HOSTS - 1);
  for (int i = 0; i < OPS; i++) {
    d->host[i] = (int)ho_stream_below(s, (uint64_t)d->n_hosts);
    d->seconds[i] = between(s, 1e-5, 1e-3);
    d->bytes[i] = floor(between(s, 1e4, 1e7));
    int wanted = i == 0 ? 0 : (int)ho_stream_below(s, MOST_READS + 1);
    d->n_reads[i] = 0;
    for (int k = 0; k < wanted; k++) {
      int from = i - 1 - (int)ho_stream_below(s, (uint64_t)MIN(i, BACK)), twice = 0;
      for (int j = 0; j < d->n_reads[i]; j++) twice |= d->reads[i][j] == from;
      if (!twice) d->reads[i][d->n_reads[i]++] = from;
    }
  }
}

static char *platform_text(ho_stream *s, int n_hosts, int n_switches, double latency) {
  GString *t = g_string_new("format: heteroopt-platform/1\nname: peers\nmemories:\n");
  for (int h = 0; h < n_hosts; h++) g_string_append_printf(t, "  - {name: m%d, capacity: 1e15, bandwidth: 1e12}\n", h);
  g_string_append(t, "switches: [s0");
  for (int k = 1; k < n_switches; k++) g_string_append_printf(t, ", s%d", k);
  g_string_append(t, "]\ndevices:\n");
  for (int h = 0; h < n_hosts; h++) g_string_append_printf(t, "  - {name: d%d, memory: m%d}\n", h, h);
  g_string_append(t, "links:\n");
  for (int k = 1; k < n_switches + n_hosts; k++) {
    int memory = k - n_switches, up = (int)ho_stream_below(s, (uint64_t)(memory >= 0 ? n_switches : k));
    g_string_append_printf(t, "  - {name: l%d, ends: [%s%d, s%d], bandwidth: %.0f, latency: %g, duplex: %s}\n", k,
                           memory >= 0 ? "m" : "s", memory >= 0 ? memory : k, up, between(s, 1e9, 2e10),
                           memory >= 0 ? latency : 0, ho_stream_below(s, 3) ? "full" : "half");
  }
  g_string_append(t, "peer_to_peer: [");
  for (int a = 0; a < n_hosts; a++)
    for (int b = 0; b < a; b++) g_string_append_printf(t, "%s[m%d, m%d]", a + b > 1 ? ", " : "", b, a);
  g_string_append(t, "]\n");
  return g_string_free(t, FALSE);
}

static char *graph_text(const dag *d) {
  GString *ops = g_string_new(""), *tensors = g_string_new("");
  for (int i = 0; i < OPS; i++) {
    g_string_append_printf(ops, "%s{\"name\":\"o%d\",\"time\":{\"d%d\":%.17g}}", i ? "," : "", i, d->host[i], d->seconds[i]);
    g_string_append_printf(tensors, "%s{\"name\":\"t%d\",\"bytes\":%.0f,\"producer\":\"o%d\",\"consumers\":[", i ? "," : "", i,
                           d->bytes[i], i);
    int n = 0;
    for (int j = i + 1; j < MIN(OPS, i + 1 + BACK); j++)
      for (int k = 0; k < d->n_reads[j]; k++)
        if (d->reads[j][k] == i) g_string_append_printf(tensors, "%s\"o%d\"", n++ ? "," : "", j);
    g_string_append(tensors, "]}");
  }
  char *t = g_strdup_printf("{\"format\":\"heteroopt-graph/1\",\"name\":\"peers\",\"ops\":[%s],\"tensors\":[%s]}", ops->str,
                            tensors->str);
  g_string_free(ops, TRUE);
  g_string_free(tensors, TRUE);
  return t;
}

/* ---- here ------------------------------------------------------------------------------------------------------------------------ */

static void fail(const char *what, const GError *error) {
  fprintf(stderr, "%s: %s\n", what, error ? error->message : "failed");
  exit(3);
}

static ho_platform *load_platform(const char *folder, const char *text) {
  g_autoptr(GError) error = NULL;
  g_autofree char *file = g_build_filename(folder, "platform.yaml", NULL);
  ho_platform *p = g_file_set_contents(file, text, -1, &error) ? ho_platform_load(file, &error) : NULL;
  g_unlink(file);
  if (!p) fail("platform", error);
  return p;
}

static ho_graph *load_graph(const char *folder, const char *text) {
  g_autoptr(GError) error = NULL;
  g_autofree char *file = g_build_filename(folder, "graph.json", NULL);
  ho_graph *g = g_file_set_contents(file, text, -1, &error) ? ho_graph_load(file, NULL, NULL, &error) : NULL;
  g_unlink(file);
  if (!g) fail("graph", error);
  return g;
}

static int replay_here(const ho_platform *p, const ho_graph *g, const dag *d, double *finish) {
  ho_cost *cost = ho_cost_new(g, p);
  ho_problem q = {.graph = g, .platform = p, .cost = cost, .n_objectives = 1, .objective = {HO_OBJECTIVE_LATENCY}};
  g_autoptr(ho_replay) replay = ho_replay_new(&q);
  g_autoptr(ho_plan) plan = ho_plan_new(OPS);
  for (int i = 0; i < OPS; i++) {
    plan->entry[i].op = i;
    plan->entry[i].device = (int16_t)d->host[i];
  }
  g_autoptr(GError) error = NULL;
  const ho_replay_result *r = ho_replay_run(replay, plan, NULL, &error);
  if (!r) fail("replay", error);
  for (int i = 0; i < OPS; i++) finish[i] = r->op[i].end;
  int n = r->n_transfers;
  ho_cost_free(cost);
  return n;
}

/* ---- there ----------------------------------------------------------------------------------------------------------------------- */

/* A direction of a full-duplex link is a channel of its own; of a half-duplex link there is one. */
static GArray *routes(const ho_platform *p, int *start) {
  GArray *all = g_array_new(FALSE, FALSE, sizeof(int));
  for (ho_memory a = 0; a < p->n_memories; a++)
    for (ho_memory b = 0; b < p->n_memories; b++) {
      start[a * p->n_memories + b] = (int)all->len;
      const ho_route *r = ho_platform_route(p, a, b);
      for (int32_t k = 0; a != b && k < r->n; k++) {
        int channel = 2 * r->hop[k].link + (p->link[r->hop[k].link].duplex == HO_DUPLEX_FULL ? r->hop[k].backward : 0);
        g_array_append_val(all, channel);
      }
    }
  start[p->n_memories * p->n_memories] = (int)all->len;
  return all;
}

static void run_there(const ho_platform *p, const ho_graph *g, const dag *d, double *finish) {
  int route_start[MOST_HOSTS * MOST_HOSTS + 1], reader_start[OPS + 1];
  double bandwidth[64], latency[64];
  for (ho_link l = 0; l < p->n_links; l++)
    for (int k = 2 * l; k < 2 * l + 2; k++) {
      bandwidth[k] = p->link[l].bandwidth;
      latency[k] = p->link[l].latency;
    }
  GArray *route = routes(p, route_start), *reader = g_array_new(FALSE, FALSE, sizeof(int));
  for (int i = 0; i < OPS; i++) {
    reader_start[i] = (int)reader->len;
    g_array_append_vals(reader, &g->use[g->use_start[i]], (guint)(g->use_start[i + 1] - g->use_start[i]));
  }
  reader_start[OPS] = (int)reader->len;
  ho_peer_case c = {p->n_memories, 2 * p->n_links, bandwidth,  latency,  route_start,  (const int *)(void *)route->data,
                    OPS,           d->host,        d->seconds, d->bytes, reader_start, (const int *)(void *)reader->data};
  ho_peer_simgrid(&c, finish);
}

/* In a process of its own. */
static void replay_there(const ho_platform *p, const ho_graph *g, const dag *d, double *finish) {
  int ends[2], status;
  if (pipe(ends) != 0) fail("pipe", NULL);
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) fail("fork", NULL);
  if (child == 0) {
    close(ends[0]);
    run_there(p, g, d, finish);
    FILE *out = fdopen(ends[1], "w");
    _exit(out && fwrite(finish, sizeof *finish, OPS, out) == OPS && fclose(out) == 0 ? 0 : 1);
  }
  close(ends[1]);
  FILE *in = fdopen(ends[0], "r");
  size_t n = in ? fread(finish, sizeof *finish, OPS, in) : 0;
  if (in) fclose(in);
  if (waitpid(child, &status, 0) != child || status != 0 || n != OPS) fail("SimGrid", NULL);
}

/* ---- both ------------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  int transfers, beyond;
  double absolute, relative;
} difference;

static void compare(const char *folder, uint64_t seed, int switches, double latency, difference *worst) {
  static dag d;
  static double here[OPS], there[OPS];
  ho_stream s = ho_stream_small(seed);
  draw_dag(&s, &d);
  g_autofree char *platform = platform_text(&s, d.n_hosts, switches, latency), *graph = graph_text(&d);
  ho_platform *p = load_platform(folder, platform);
  ho_graph *g = load_graph(folder, graph);
  worst->transfers += replay_here(p, g, &d, here);
  replay_there(p, g, &d, there);
  for (int i = 0; i < OPS; i++) {
    double far = fabs(here[i] - there[i]);
    worst->absolute = fmax(worst->absolute, far);
    worst->relative = fmax(worst->relative, far / there[i]);
    worst->beyond += !(far <= 1e-9 + 1e-9 * there[i]);
  }
  ho_graph_free(g);
  ho_platform_free(p);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 200, beyond = 0;
  g_autofree char *folder = g_dir_make_tmp("ho-peers-XXXXXX", NULL);
  if (!folder) fail("temporary folder", NULL);
  printf("| platform | latency | graphs | ops | transfers | largest difference | relative |\n|---|---|---|---|---|---|---|\n");
  for (int family = 0; family < 4; family++) {
    int tree = family / 2;
    double latency = family % 2 ? 5e-6 : 0;
    difference worst = {0};
    int mine = n / 4 + (family < n % 4);
    for (int k = 0; k < mine; k++) compare(folder, ho_mix((uint64_t)family, (uint64_t)k), tree ? 2 + k % 4 : 1, latency, &worst);
    printf("| %s | %s | %d | %d | %d | %.1e s | %.1e |\n", tree ? "tree of switches" : "root complex",
           latency > 0 ? "10 µs" : "0", mine, mine * OPS, worst.transfers, worst.absolute, worst.relative);
    beyond += worst.beyond;
  }
  g_rmdir(folder);
  return beyond > 0;
}
