/* test_replay_laws.c: what holds for every replay, on random platforms, graphs and plans. Each law is recomputed here from the times that
 * the replay reports, by other means than the engine's. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "random_scene.h"

#define TRIALS 600
#define CLOSE(x, y) (fabs((x) - (y)) <= 1e-9 * (fabs(x) + fabs(y)) + 1e-9)

typedef void (*law)(const scene *c, const ho_replay_result *r);

static void on_random_replays(uint64_t seed, int tight, double noise, law check) {
  ho_stream s = ho_stream_small(seed);
  int replayed = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    scene *c = random_scene(&s, tight);
    g_autoptr(ho_plan) plan = random_plan(c, &s);
    ho_replay_options options = {.seed = 1, .replay = trial, .noise = noise};
    g_autoptr(GError) error = NULL;
    const ho_replay_result *r = ho_replay_run(c->replay, plan, &options, &error);
    if (!r) cr_assert(tight && strstr(error->message, "infeasible"), "trial %d: %s", trial, error->message);
    if (r) check(c, r);
    replayed += r != NULL;
    scene_free(c);
  }
  cr_assert_gt(replayed, TRIALS / 4);
}

static ho_memory memory_of(const scene *c, const ho_replay_result *r, int32_t i) {
  return c->platform->device[r->plan->entry[i].device].memory;
}

/* When tensor t can first be read in memory m: made there, or copied there. */
static double available(const scene *c, const ho_replay_result *r, ho_tensor t, ho_memory m) {
  const ho_tensor_info *info = &c->graph->tensor[t];
  double when = INFINITY;
  if (info->role == HO_ROLE_WEIGHT) return 0;
  if (info->role == HO_ROLE_INPUT && m == c->platform->host) when = 0;
  for (int32_t i = 0; i < r->plan->n; i++)
    if (r->plan->entry[i].op == info->producer && memory_of(c, r, i) == m) when = fmin(when, r->op[i].end);
  for (int32_t k = 0; k < r->n_transfers; k++)
    if (r->transfer[k].tensor == t && r->transfer[k].to == m) when = fmin(when, r->transfer[k].end);
  return when;
}

static void precedence_holds(const scene *c, const ho_replay_result *r) {
  for (int32_t i = 0; i < r->plan->n; i++) {
    const ho_entry *e = &r->plan->entry[i];
    cr_assert_geq(r->op[i].start, r->op[i].launched);
    cr_assert_geq(r->op[i].start, fmax(e->not_before, c->graph->op[e->op].release));
    cr_assert(r->op[i].start <= r->op[i].kernel && r->op[i].kernel <= r->op[i].end);
    for (int32_t j = c->graph->in_start[e->op]; j < c->graph->in_start[e->op + 1]; j++)
      cr_assert_geq(r->op[i].start, available(c, r, c->graph->in[j], memory_of(c, r, i)));
  }
  for (int32_t k = 0; k < r->n_transfers; k++) {
    const ho_replay_transfer *x = &r->transfer[k];
    cr_assert_geq(x->start, available(c, r, x->tensor, x->from));
    cr_assert_geq(x->end, x->start + ho_platform_route(c->platform, x->from, x->to)->latency);
  }
}

Test(replay_laws, precedence_holds) {
  on_random_replays(1, 0, 0, precedence_holds);
}

static void nothing_overlaps_on_exclusive_devices(const scene *c, const ho_replay_result *r) {
  for (int32_t i = 0; i < r->plan->n; i++)
    for (int32_t j = 0; j < i; j++) {
      const ho_entry *a = &r->plan->entry[i], *b = &r->plan->entry[j];
      if (a->device != b->device) continue;
      int apart = r->op[i].end <= r->op[j].start || r->op[j].end <= r->op[i].start;
      cr_assert(apart || (c->platform->device[a->device].sharing == HO_SHARING_SPATIAL && a->stream != b->stream));
      if (a->stream == b->stream) cr_assert_leq(r->op[j].end, r->op[i].start); /* first in, first out */
    }
}

Test(replay_laws, nothing_overlaps_on_exclusive_devices_and_queues_are_fifo) {
  on_random_replays(2, 0, 0.2, nothing_overlaps_on_exclusive_devices);
}

static void bytes_are_conserved(const scene *c, const ho_replay_result *r) {
  g_autofree double *bytes = g_new0(double, (size_t)c->platform->n_links + 1);
  for (int32_t k = 0; k < r->n_transfers; k++) {
    const ho_replay_transfer *x = &r->transfer[k];
    const ho_route *route = ho_platform_route(c->platform, x->from, x->to);
    for (int32_t h = 0; h < route->n; h++) bytes[route->hop[h].link] += x->bytes;
    for (int32_t l = 0; l < k; l++)
      cr_assert(r->transfer[l].tensor != x->tensor || r->transfer[l].to != x->to, "a tensor crosses twice");
  }
  for (ho_link l = 0; l < c->platform->n_links; l++) {
    cr_assert(CLOSE(r->link[l].bytes, bytes[l]));
    /* No link moves more than its bandwidth allows (both directions of a full link together have twice it). */
    if (c->platform->contention == HO_CONTENTION_NONE || c->platform->link[l].duplex == HO_DUPLEX_FAT) continue;
    double most = c->platform->link[l].bandwidth * (c->platform->link[l].duplex == HO_DUPLEX_FULL ? 2 : 1);
    if (r->figures.latency > 0) cr_assert_leq(r->link[l].bytes, most * r->link[l].busy * (1 + 1e-9) + 1e-9);
  }
}

Test(replay_laws, bytes_are_conserved) {
  on_random_replays(3, 0, 0, bytes_are_conserved);
}

/* Live bytes recomputed from the buffers at each instant at which one begins. */
static void memory_is_within_capacity(const scene *c, const ho_replay_result *r) {
  const ho_replay_buffer *b;
  int32_t n = ho_replay_buffers(c->replay, &b);
  for (ho_memory m = 0; m < c->platform->n_memories; m++) {
    double peak = 0;
    for (int32_t i = 0; i < n; i++) {
      if (b[i].memory != m) continue;
      double live = 0;
      for (int32_t j = 0; j < n; j++)
        if (b[j].memory == m && b[j].from <= b[i].from && b[i].from < b[j].to) live += b[j].bytes;
      peak = fmax(peak, live);
    }
    cr_assert_leq(peak, c->platform->memory[m].capacity);
    /* Buffers of kernels without duration come and go within an instant: the engine's peak may see those. */
    cr_assert_leq(peak, r->memory[m].peak);
    cr_assert_leq(r->memory[m].peak, c->platform->memory[m].capacity);
    cr_assert_geq(ho_replay_arena(c->replay)[m], peak);
    n = ho_replay_buffers(c->replay, &b);
  }
  for (int32_t i = 0; i < n; i++) {
    cr_assert(b[i].from <= b[i].to && b[i].to <= r->figures.latency);
    int kept =
        b[i].tensor >= 0 && (c->graph->tensor[b[i].tensor].role == HO_ROLE_WEIGHT || c->graph->tensor[b[i].tensor].is_output);
    if (b[i].tensor >= 0 && c->graph->tensor[b[i].tensor].role == HO_ROLE_WEIGHT)
      cr_assert(b[i].from == 0 && b[i].to == r->figures.latency);
    if (!kept && r->figures.latency > 0 && b[i].to == r->figures.latency) { /* freed at the very end: by an op that ends there */
      int last = 0;
      for (int32_t k = 0; k < r->plan->n; k++) last |= r->op[k].end == r->figures.latency;
      cr_assert(last);
    }
  }
}

Test(replay_laws, memory_is_within_capacity_and_given_back) {
  on_random_replays(4, 0, 0.2, memory_is_within_capacity);
}
Test(replay_laws, memory_is_within_capacity_when_it_is_tight) {
  on_random_replays(5, 1, 0.2, memory_is_within_capacity);
}

static double busy_seconds(const ho_replay_result *r, int32_t d) {
  double sum = 0, upto = -1; /* kernels by start */
  for (;;) {
    int32_t next = -1;
    for (int32_t i = 0; i < r->plan->n; i++)
      if (r->plan->entry[i].device == d && r->op[i].end > upto && (next < 0 || r->op[i].kernel < r->op[next].kernel)) next = i;
    if (next < 0) return sum;
    double from = fmax(upto, r->op[next].kernel);
    sum += r->op[next].end - from;
    upto = r->op[next].end;
  }
}

/* Where power is idle, busy and energy of work, with no operating point but the nominal one. */
static void energy_is_the_integral_of_power(const scene *c, const ho_replay_result *r) {
  double sum = 0;
  for (int32_t d = 0; d < c->platform->n_devices; d++) {
    const ho_device_info *dev = &c->platform->device[d];
    cr_assert(CLOSE(r->device[d].busy, busy_seconds(r, d)), "device %d: busy %g, expected %g", d, r->device[d].busy,
              busy_seconds(r, d));
    sum += r->device[d].energy;
    int eco = 0, used = ho_platform_is_host_device(c->platform, d);
    double joules = 0;
    g_autofree int8_t *precision = g_new0(int8_t, (size_t)c->graph->n_ops + 1);
    for (int32_t i = 0; i < r->plan->n; i++) {
      const ho_entry *e = &r->plan->entry[i];
      if (e->copy == 0) precision[e->op] = e->precision == HO_DTYPE_NONE ? (int8_t)HO_FP32 : e->precision;
    }
    for (int32_t i = 0; i < r->plan->n; i++) {
      const ho_entry *e = &r->plan->entry[i];
      if (e->device != d) continue;
      used = 1;
      eco |= e->point;
      ho_dtype p = e->precision == HO_DTYPE_NONE ? HO_FP32 : (ho_dtype)e->precision;
      joules += ho_cost_kernel_in(c->cost, e->op, d, p, e->point, precision).joules;
    }
    double quiet = used ? dev->idle * r->figures.latency : 0;
    if (dev->power_by_use) {
      cr_assert_leq(r->device[d].energy, quiet + (dev->peak_power - dev->idle) * r->device[d].busy * (1 + 1e-9) + 1e-9);
      cr_assert_geq(r->device[d].energy, quiet * (1 - 1e-12));
    } else if (!eco)
      cr_assert(CLOSE(r->device[d].energy, quiet + (dev->busy - dev->idle) * r->device[d].busy + joules),
                "device %d: %g J, expected %g + %g + %g", d, r->device[d].energy, quiet,
                (dev->busy - dev->idle) * r->device[d].busy, joules);
  }
  for (ho_link l = 0; l < c->platform->n_links; l++) sum += 0.5 * r->link[l].bytes;
  cr_assert(CLOSE(sum, r->figures.energy));
}

Test(replay_laws, energy_is_the_integral_of_power) {
  on_random_replays(6, 0, 0.2, energy_is_the_integral_of_power);
}

static void shares_explain_the_makespan(const scene *c, const ho_replay_result *r) {
  double sum = 0;
  int waits = 0;
  for (int s = 0; s < 4; s++) {
    cr_assert_geq(r->share[s], 0);
    sum += r->share[s];
  }
  for (int32_t i = 0; i < r->plan->n; i++)
    waits |= r->plan->entry[i].not_before > 0 || c->graph->op[r->plan->entry[i].op].release > 0;
  cr_assert_leq(sum, r->figures.latency * (1 + 1e-12));
  if (!waits) cr_assert(CLOSE(sum, r->figures.latency), "shares sum to %g of %g s", sum, r->figures.latency);
}

Test(replay_laws, the_critical_path_explains_the_makespan) {
  on_random_replays(7, 0, 0.2, shares_explain_the_makespan);
}
Test(replay_laws, the_critical_path_explains_the_makespan_when_memory_is_tight) {
  on_random_replays(8, 1, 0.2, shares_explain_the_makespan);
}

/* ---- repetition ---------------------------------------------------------------------------------------------------------------- */

static int same_result(const ho_replay_op *a, const ho_replay_op *b, int32_t n) {
  return memcmp(a, b, sizeof *a * (size_t)n) == 0;
}

Test(replay_laws, the_same_plan_gives_the_same_bits) {
  ho_stream s = ho_stream_small(9);
  for (int trial = 0; trial < 200; trial++) {
    scene *c = random_scene(&s, 0);
    g_autoptr(ho_plan) plan = random_plan(c, &s), other = random_plan(c, &s);
    ho_replay_options noisy = {.seed = 3, .replicate = 1, .replay = trial, .noise = 0.3, .model_error = 0.1},
                      quiet = {.seed = 99};
    const ho_replay_result *r = ho_replay_run(c->replay, plan, &noisy, NULL);
    g_autofree ho_replay_op *first = g_memdup2(r->op, sizeof *r->op * (size_t)plan->n);
    ho_figures figures = r->figures;
    ho_replay_run(c->replay, other, &noisy, NULL); /* in between, something else */
    r = ho_replay_run(c->replay, plan, &noisy, NULL);
    cr_assert(same_result(first, r->op, plan->n) && memcmp(&figures, &r->figures, sizeof figures) == 0);
    g_autofree ho_replay_op *plain = g_memdup2(ho_replay_run(c->replay, plan, NULL, NULL)->op, sizeof *r->op * (size_t)plan->n);
    r = ho_replay_run(c->replay, plan, &quiet, NULL); /* noise 0: the seed does not matter */
    cr_assert(same_result(plain, r->op, plan->n));
    scene_free(c);
  }
}

/* Copies wait for engines in the order of their consumers in the plan, which is not known while it is made. */
static int some_copy_waited(const ho_replay_result *r) {
  for (int32_t i = 0; i < r->n_transfers; i++)
    if (r->transfer[i].start > r->transfer[i].requested) return 1;
  return 0;
}

Test(replay_laws, what_a_policy_did_replays_to_the_same_times) {
  ho_stream s = ho_stream_small(10);
  int n = (int)g_strv_length((char **)ho_policy_names), differ = 0;
  for (int trial = 0; trial < 150 * n; trial++) {
    scene *c = random_scene(&s, 0);
    g_autoptr(GError) error = NULL;
    const ho_replay_result *r = ho_replay_policy(c->replay, ho_policy_names[trial % n], NULL, &error);
    cr_assert(r, "%s", error ? error->message : "");
    differ += r->decided != r->figures.latency;
    cr_assert(r->decided == r->figures.latency || some_copy_waited(r),
              "%s: its own run took %.17g s, the replay of its plan %.17g", ho_policy_names[trial % n], r->decided,
              r->figures.latency);
    precedence_holds(c, r);
    nothing_overlaps_on_exclusive_devices(c, r);
    g_autoptr(ho_plan) plan = ho_plan_copy(r->plan);
    g_autofree ho_replay_op *times = g_memdup2(r->op, sizeof *r->op * (size_t)plan->n);
    r = ho_replay_run(c->replay, plan, NULL, NULL);
    cr_assert(r && same_result(times, r->op, plan->n));
    scene_free(c);
  }
  cr_expect_lt(differ, 15, "%d of %d runs differ from the replays of their plans", differ, 150 * n);
}
