/* estimate_error.c: how far the estimate is from the replay.
 *
 * For every pair of a graph and a platform: plans of two kinds, each estimated and replayed without noise.
 *   random     every op on a device drawn uniformly from those that can run it, priorities drawn uniformly
 *   near HEFT  HEFT's plan with every tenth op (on average) moved to a device drawn the same way: what a search looks at
 * Printed per pair and kind: Spearman's rank correlation of the latencies, the mean relative error of latency, of energy, and of the memory
 * figure `tightest`, and how many plans could be replayed. A Markdown table, the same on every machine.
 *
 * usage: estimate_error [GRAPH PLATFORM]… */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>

#include "hwprofiles/platform_yaml.h"
#include "models/source.h"
#include "sched/decode.h"
#include "sched/heft.h"
#include "sim/estimate.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

enum { PLANS = 300 };

typedef struct {
  int32_t n; /* plans that both could answer */
  double estimate[PLANS], replay[PLANS];
  double latency, energy, memory; /* sums of relative errors */
} errors;

static double relative(double estimate, double replay) {
  return replay > 0 ? fabs(estimate - replay) / replay : 0;
}

static int16_t any_device(const ho_space *v, ho_stream *r, ho_op o) {
  return v->device[v->start[o] + (int32_t)ho_stream_below(r, (uint64_t)ho_space_choices(v, o))];
}

static void draw_random(const ho_space *v, ho_stream *r, int16_t *device, double *priority) {
  for (ho_op o = 0; o < v->n_ops; o++) {
    device[o] = any_device(v, r, o);
    priority[o] = ho_stream_uniform(r);
  }
}

static void draw_near(const ho_space *v, ho_stream *r, const int16_t *heft, int16_t *device) {
  for (ho_op o = 0; o < v->n_ops; o++) device[o] = ho_stream_below(r, 10) == 0 ? any_device(v, r, o) : heft[o];
}

static void compare(const ho_plan *plan, ho_estimate *estimate, ho_replay *replay, errors *e) {
  ho_figures f;
  const ho_replay_options exact = {0};
  if (ho_estimate_run(estimate, plan, &f)) return;
  const ho_replay_result *r = ho_replay_run(replay, plan, &exact, NULL);
  if (!r) return;
  e->estimate[e->n] = f.latency;
  e->replay[e->n++] = r->figures.latency;
  e->latency += relative(f.latency, r->figures.latency);
  e->energy += relative(f.energy, r->figures.energy);
  e->memory += relative(f.tightest, r->figures.tightest);
}

static void print_row(const char *graph, const char *platform, const char *kind, errors *e) {
  static double work[2 * PLANS];
  if (e->n < 2) {
    printf("| %s | %s | %s | %d | | | | |\n", graph, platform, kind, e->n);
    return;
  }
  double rho = gsl_stats_spearman(e->estimate, 1, e->replay, 1, (size_t)e->n, work);
  printf("| %s | %s | %s | %d | %.4f | %.2f %% | %.2f %% | %.2f %% |\n", graph, platform, kind, e->n, rho,
         100 * e->latency / e->n, 100 * e->energy / e->n, 100 * e->memory / e->n);
}

static void measure(const ho_problem *q, const ho_space *v, const char *graph) {
  ho_estimate *estimate = ho_estimate_new(q);
  g_autoptr(ho_replay) replay = ho_replay_new(q);
  g_autoptr(ho_plan) plan = ho_plan_new(v->n_ops);
  ho_decoder *decoder = ho_decoder_new(q, v, HO_STREAMS_ONE);
  ho_costs *costs = ho_costs_new(q);
  ho_list *list = ho_list_new(costs);
  ho_heft_fill(list);
  g_autoptr(ho_plan) heft = ho_list_plan(list);
  g_autofree int16_t *device = g_new0(int16_t, v->n_ops + 1), *heft_device = g_new0(int16_t, v->n_ops + 1);
  g_autofree double *priority = g_new0(double, v->n_ops + 1);
  static errors random, near;
  random.n = near.n = 0;
  random.latency = random.energy = random.memory = near.latency = near.energy = near.memory = 0;
  ho_stream r = ho_stream_small(1);
  for (int k = 0; k < PLANS; k++) {
    draw_random(v, &r, device, priority);
    if (ho_decode(decoder, device, priority, plan) == 0) compare(plan, estimate, replay, &random);
  }
  ho_encode(heft, heft_device, priority);
  for (int k = 0; k < PLANS; k++) {
    draw_near(v, &r, heft_device, device);
    if (ho_decode(decoder, device, priority, plan) == 0) compare(plan, estimate, replay, &near);
  }
  print_row(graph, q->platform->name, "random", &random);
  print_row(graph, q->platform->name, "near HEFT", &near);
  ho_list_free(list);
  ho_costs_free(costs);
  ho_decoder_free(decoder);
  ho_estimate_free(estimate);
}

static gboolean pair(const char *graph, const char *platform, GError **error) {
  g_autoptr(ho_graph) g = ho_graph_load(graph, NULL, NULL, error);
  g_autoptr(ho_platform) p = g ? ho_platform_load(platform, error) : NULL;
  if (!p) return FALSE;
  ho_cost *cost = ho_cost_new(g, p);
  ho_problem q = {g, p, cost, 3, {HO_OBJECTIVE_LATENCY, HO_OBJECTIVE_ENERGY, HO_OBJECTIVE_MEMORY}, HO_MEMORY_TIGHTEST};
  ho_op stuck;
  ho_space *v = ho_space_make(&q, &stuck);
  if (v)
    measure(&q, v, graph);
  else
    fprintf(stderr, "estimate_error: no device of '%s' can run op '%s'\n", platform, g->op[stuck].name);
  ho_space_free(v);
  ho_cost_free(cost);
  return TRUE;
}

int main(int argc, char **argv) {
  static const char *const usual[] = {"resnet50:batch=1", "resnet50:batch=8", "layered:ops=200", NULL};
  static const char *const platforms[] = {"workstation", "server", "edge-soc", NULL};
  g_autoptr(GError) error = NULL;
  printf("| graph | platform | plans | replayed | Spearman | latency | energy | memory |\n|---|---|---|---|---|---|---|---|\n");
  for (int i = 1; i + 1 < argc && !error; i += 2) pair(argv[i], argv[i + 1], &error);
  for (int g = 0; argc < 3 && usual[g]; g++)
    for (int p = 0; platforms[p] && !error; p++) pair(usual[g], platforms[p], &error);
  if (!error) return 0;
  fprintf(stderr, "estimate_error: %s\n", error->message);
  return 1;
}
