/* bench.c: `heteroopt bench`: speed of the engine and of the estimate on this machine. */
#include <string.h>

#include "bench/bench.h"
#include "cli/command.h"
#include "cli/inputs.h"

#define PATIENCE 1.0 /* s that each measurement takes at least */

typedef gboolean (*measure)(const ho_problem *q, double least, ho_bench_result *out, GError **error);

typedef struct {
  const char *name;
  measure run;
  const char *thing;        /* what is counted */
  const char *const *pairs; /* graph, platform, …: when neither is given */
} bench;

/* One line of text, or one object. */
static void report(const bench *b, const char *graph, const char *platform, const ho_bench_result *r, json_t *list,
                   GString *out) {
  if (list) {
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f}", "bench", b->name, "graph", graph, "platform", platform, b->thing,
                        (json_int_t)r->things, "repeats", (json_int_t)r->repeats, "seconds", r->seconds, "per_second", r->rate));
    return;
  }
  g_string_append_printf(out, "%-15s %-30s on %-14s %.3g %s/s  (%" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " in %.2f s)\n",
                         b->name, graph, platform, r->rate, b->thing, (gint64)r->repeats, (gint64)r->things, r->seconds);
}

static gboolean measure_one(const bench *b, const ho_command *self, const char *graph, const char *platform, json_t *list,
                            GString *out, GError **error) {
  g_auto(ho_cli_inputs) in = {.graph_spec = g_strdup(graph), .platform_name = g_strdup(platform)};
  ho_bench_result r;
  if (!ho_cli_inputs_load(&in, self, error) || !b->run(&in.problem, PATIENCE, &r, error)) return FALSE;
  report(b, graph, in.platform->name, &r, list, out);
  return TRUE;
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  static const char *const replays[] = {"resnet50:batch=8",
                                        "workstation",
                                        "layered:ops=1000",
                                        "workstation",
                                        "layered:ops=1000",
                                        "root-complex",
                                        "layered:ops=10000",
                                        "root-complex",
                                        "layered:ops=100000,ccr=0.01",
                                        "root-complex",
                                        NULL};
  static const char *const estimates[] = {"resnet50:batch=8", "workstation", NULL};
  static const bench benches[] = {{"replay", ho_bench_replay, "activities", replays},
                                  {"estimate", ho_bench_estimate, "estimates", estimates},
                                  {"estimate-random", ho_bench_estimate_random, "estimates", estimates}};
  g_autofree char *graph = NULL, *platform = NULL;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"graph", 'g', 0, G_OPTION_ARG_FILENAME, &graph, "one graph (default: resnet50:batch=8, and random layered graphs)", "G"},
      {"platform", 'p', 0, G_OPTION_ARG_FILENAME, &platform, "platform (default: workstation, and root-complex)", "P"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, "print one array", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 0, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const names[] = {"replay", "estimate", "estimate-random", NULL};
  int only = argc > 1 ? ho_cli_choice("bench", argv[1], names, error) : -1;
  if (argc > 1 && only < 0) return FALSE;
  json_t *list = json ? json_array() : NULL;
  gboolean ok = TRUE;
  for (int b = 0; b < (int)G_N_ELEMENTS(benches) && ok; b++) {
    if (only >= 0 && b != only) continue;
    const char *const given[] = {graph ? graph : "resnet50:batch=8", platform ? platform : "workstation", NULL};
    for (const char *const *pair = graph || platform ? given : benches[b].pairs; *pair && ok; pair += 2)
      ok = measure_one(&benches[b], self, pair[0], pair[1], list, out, error);
  }
  if (ok && json) {
    ho_cli_json(out, list);
  } else {
    json_decref(list);
  }
  return ok;
}

const ho_command ho_command_bench = {
    .name = "bench",
    .arguments = "[replay|estimate|estimate-random]",
    .summary = "speed of the engine and of the estimate on this machine",
    .details =
        "An activity is a kernel or a transfer of a replay of a plan that places every op at random. `estimate` takes plans such "
        "as a\n"
        "search looks at (HEFT's with every tenth op on a random device), `estimate-random` plans that place every op at "
        "random.\n"
        "One thread.\n\n"
        "Example:\n"
        "  heteroopt bench replay --graph layered:ops=1000",
    .run = run,
};
