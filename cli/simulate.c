/* simulate.c: `heteroopt simulate`: replays one plan, or runs an online policy, and says what happened. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/inputs.h"
#include "cli/profile.h"
#include "cli/replay_json.h"
#include "plots/timeline_svg.h"
#include "plots/trace.h"
#include "results/stats.h"
#include "sim/plan_check.h"

#define MOST_NOISE 10 /* as in experiments */
#define MOST_REPEATS 10000000

typedef struct {
  ho_cli_inputs in;
  char *plan_file, *policy, *seed_text, *repeat_text, *noise_text, *number_text, *trace_file, *timeline_file;
  guint64 seed;
  gint64 repeat; /* 0: not asked for */
  gint64 number; /* which plan of a front, from 1; 0: not said */
  double noise;
  gboolean json, profile;
} simulate_options;

static void simulate_options_clear(simulate_options *o) {
  ho_cli_inputs_clear(&o->in);
  char *texts[] = {o->plan_file,  o->policy,      o->seed_text,  o->repeat_text,
                   o->noise_text, o->number_text, o->trace_file, o->timeline_file};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(simulate_options, simulate_options_clear)

static const ho_replay_result *replay_once(const simulate_options *o, ho_replay *replay, const ho_plan *plan, gint64 index,
                                           double noise, GError **error) {
  const ho_replay_options options = {.seed = o->seed, .replay = index, .noise = noise};
  return plan ? ho_replay_run(replay, plan, &options, error) : ho_replay_policy(replay, o->policy, &options, error);
}

/* P50 and P95 over the noisy replays. FALSE when one of them fails. */
static gboolean repeat(const simulate_options *o, ho_replay *replay, const ho_plan *plan, ho_cli_spread *spread, GError **error) {
  g_autofree double *latency = g_new(double, (size_t)o->repeat);
  g_autofree double *energy = g_new(double, (size_t)o->repeat);
  for (gint64 i = 0; i < o->repeat; i++) {
    const ho_replay_result *r = replay_once(o, replay, plan, i, o->noise, error);
    if (!r) return FALSE;
    latency[i] = r->figures.latency;
    energy[i] = r->figures.energy;
  }
  *spread = (ho_cli_spread){.n = o->repeat, .noise = o->noise};
  spread->latency_p50 = ho_quantile(latency, (int32_t)o->repeat, 0.5);
  spread->latency_p95 = ho_quantile(latency, (int32_t)o->repeat, 0.95);
  spread->energy_p50 = ho_quantile(energy, (int32_t)o->repeat, 0.5);
  spread->energy_p95 = ho_quantile(energy, (int32_t)o->repeat, 0.95);
  return TRUE;
}

static void print_text(const ho_problem *q, const ho_replay_result *r, const ho_cli_spread *spread, GString *out) {
  const ho_platform *p = q->platform;
  g_autofree char *latency = ho_cli_objective_text(q, HO_OBJECTIVE_LATENCY, r->figures.latency);
  g_autofree char *energy = ho_cli_objective_text(q, HO_OBJECTIVE_ENERGY, r->figures.energy);
  g_autofree char *memory = ho_cli_objective_text(q, HO_OBJECTIVE_MEMORY, ho_cli_memory_figure(q, &r->figures));
  g_string_append_printf(out, "latency %s · energy %s · memory %s\n", latency, energy, memory);
  if (spread) {
    g_autofree char *p50 = ho_unit_format(spread->latency_p50, HO_UNIT_SECONDS);
    g_autofree char *p95 = ho_unit_format(spread->latency_p95, HO_UNIT_SECONDS);
    g_string_append_printf(out, "latency over %" G_GINT64_FORMAT " replays with noise %g: P50 %s, P95 %s\n", spread->n,
                           spread->noise, p50, p95);
  }
  for (ho_device d = 0; d < p->n_devices; d++) {
    g_autofree char *busy = ho_unit_format(r->device[d].busy, HO_UNIT_SECONDS);
    g_autofree char *joules = ho_unit_format(r->device[d].energy, HO_UNIT_JOULES);
    g_string_append_printf(out, "device  %-10s busy %s (%.1f %%), %s\n", p->device[d].name, busy, 100 * r->device[d].utilisation,
                           joules);
  }
  for (ho_link l = 0; l < p->n_links; l++) {
    if (r->link[l].bytes <= 0) continue;
    g_autofree char *bytes = ho_unit_format(r->link[l].bytes, HO_UNIT_BYTES);
    g_autofree char *busy = ho_unit_format(r->link[l].busy, HO_UNIT_SECONDS);
    g_string_append_printf(out, "link    %-10s %s, busy %s\n", p->link[l].name, bytes, busy);
  }
  for (ho_memory m = 0; m < p->n_memories; m++) {
    g_autofree char *peak = ho_unit_format(r->memory[m].peak, HO_UNIT_BYTES);
    g_autofree char *capacity = ho_unit_format(p->memory[m].capacity, HO_UNIT_BYTES);
    g_string_append_printf(out, "memory  %-10s peak %s of %s\n", p->memory[m].name, peak, capacity);
  }
  ho_cli_explain(q, r, out);
}

static gboolean simulate(const simulate_options *o, GString *out, GError **error) {
  const ho_problem *q = &o->in.problem;
  g_autoptr(ho_plan) plan = o->plan_file ? ho_cli_read_plan(q, o->plan_file, o->number, error) : NULL;
  if (o->plan_file && !plan) return FALSE;
  g_autoptr(ho_replay) replay = ho_replay_new(q);
  ho_cli_spread spread;
  if (o->repeat && !repeat(o, replay, plan, &spread, error)) return FALSE;
  /* The replay that is shown comes last: its buffers are what trace and timeline draw. */
  const ho_replay_result *r = replay_once(o, replay, plan, 0, o->repeat ? 0 : o->noise, error);
  if (!r) return FALSE;
  q = r->problem;
  if (o->trace_file && !ho_trace_write(q, replay, r, o->trace_file, error)) return FALSE;
  if (o->timeline_file && !ho_timeline_write(q, replay, r, o->timeline_file, error)) return FALSE;
  g_autoptr(ho_profile) profile = o->profile ? ho_profile_new(r) : NULL;
  if (o->json) {
    json_t *json = ho_cli_replay_json(q, replay, r, o->repeat ? &spread : NULL);
    if (profile) json_object_set_new(json, "profile", ho_cli_profile_json(replay, r, profile));
    ho_cli_json(out, json);
  } else {
    print_text(q, r, o->repeat ? &spread : NULL, out);
    if (profile) ho_cli_profile(replay, r, profile, out);
  }
  return TRUE;
}

static gboolean check_options(simulate_options *o, GError **error) {
  if (!o->plan_file == !o->policy) return ho_cli_usage(error, "simulate: expected either --plan FILE or --policy NAME");
  if (o->policy && ho_cli_choice("--policy", o->policy, ho_policy_names, error) < 0) return FALSE;
  if (o->policy && o->number_text) return ho_cli_usage(error, "simulate: --number is for the plans of --plan");
  return ho_cli_uint("--seed", o->seed_text, &o->seed, error) &&
         ho_cli_int("--repeat", o->repeat_text, 1, MOST_REPEATS, &o->repeat, error) &&
         ho_cli_int("--number", o->number_text, 1, G_MAXINT32, &o->number, error) &&
         ho_cli_double("--noise", o->noise_text, 0, MOST_NOISE, &o->noise, error);
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(simulate_options) o = {.seed = 1};
  const GOptionEntry entries[] = {
      HO_CLI_GRAPH_ENTRIES(&o.in),
      HO_CLI_PLATFORM_ENTRIES(&o.in),
      HO_CLI_LIMIT_ENTRIES(&o.in),
      {"plan", 0, 0, G_OPTION_ARG_FILENAME, &o.plan_file, "plan or front to replay (heteroopt-plan/1, heteroopt-front/1)",
       "FILE"},
      {"number", 'n', 0, G_OPTION_ARG_STRING, &o.number_text, "which plan of a front, from 1", "N"},
      {"policy", 0, 0, G_OPTION_ARG_STRING, &o.policy, "online policy instead of a plan, as in heteroopt list policies", "NAME"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &o.seed_text, "seed of the noise (default 1)", "N"},
      {"noise", 0, 0, G_OPTION_ARG_STRING, &o.noise_text, "coefficient of variation of durations (default 0)", "CV"},
      {"repeat", 0, 0, G_OPTION_ARG_STRING, &o.repeat_text, "add P50 and P95 over N noisy replays; the rest is then noise-free",
       "N"},
      {"profile", 0, 0, G_OPTION_ARG_NONE, &o.profile,
       "where time and energy went: idle gaps and their causes, critical path, slow-down, speed-up", NULL},
      {"trace", 0, 0, G_OPTION_ARG_FILENAME, &o.trace_file,
       "write a trace: for ui.perfetto.dev (.json), ViTE (.paje) or as a table (.csv)", "FILE"},
      {"timeline", 0, 0, G_OPTION_ARG_FILENAME, &o.timeline_file, "draw devices, links and memories over time", "FILE.svg"},
      HO_CLI_MEASURE_ENTRIES(&o.in),
      {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "print one JSON object", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 0, 0, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  return check_options(&o, error) && ho_cli_inputs_load(&o.in, self, error) && simulate(&o, out, error);
}

const ho_command ho_command_simulate = {
    .name = "simulate",
    .arguments = "--graph G --platform P (--plan FILE | --policy NAME)",
    .summary = "replay a plan, or run an online policy, in the discrete-event engine",
    .details =
        "Examples:\n"
        "  heteroopt simulate --graph resnet50:batch=8 --platform workstation --policy fifo --timeline timeline.svg\n"
        "  heteroopt schedule --graph resnet50:batch=8 --platform workstation --scheduler heft -o front.json\n"
        "  heteroopt simulate --graph resnet50:batch=8 --platform workstation --plan front.json --repeat 20 --noise 0.05\n"
        "  heteroopt simulate --graph resnet50:batch=8 --platform workstation --plan front.json --profile",
    .run = run,
};
