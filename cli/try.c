/* try.c: `heteroopt try`: does my scheduler work, and is it any good? */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/selftest.h"
#include "results/frame.h"
#include "sched/search.h"

#define DEFAULT_EVALUATIONS 2000

typedef struct {
  ho_cli_inputs in;
  char *seed_text, *evaluations_text, *log, *timeout_text;
  char **set;
  gboolean selftest;
  guint64 seed;
  gint64 evaluations;
  double timeout;
} try_options;

static void try_options_clear(try_options *o) {
  ho_cli_inputs_clear(&o->in);
  g_free(o->seed_text);
  g_free(o->evaluations_text);
  g_free(o->log);
  g_free(o->timeout_text);
  g_strfreev(o->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(try_options, try_options_clear)

static ho_search *search(const try_options *o, const ho_scheduler *scheduler, const ho_options *options, GError **error) {
  const char *const parts[] = {"try", o->in.graph->digest, o->in.platform->digest, scheduler->name, NULL};
  const ho_search_setup setup = {.problem = &o->in.problem,
                                 .scheduler = scheduler,
                                 .options = options,
                                 .stream = ho_stream_keyed(o->seed, parts),
                                 .evaluations = o->evaluations};
  ho_search *s = ho_search_new(&setup);
  if (ho_search_run(s, error)) return s;
  ho_search_free(s);
  return NULL;
}

/* ---- beside others ------------------------------------------------------------------------------------------------------------- */

static void add_points(GArray *all, ho_search *s, int32_t d) {
  ho_archive *a = ho_search_archive(s);
  for (int32_t i = 0; i < ho_archive_size(a); i++) g_array_append_vals(all, ho_archive_objectives(a, i), (guint)d);
}

/* Hypervolumes in the frame of all three fronts together. A peer that finds nothing is left out. */
static void print_beside_others(const try_options *o, ho_search *mine, GString *out) {
  static const char *const names[] = {"heft", "nsga2"};
  int32_t d = o->in.problem.n_objectives;
  ho_search *peer[2] = {NULL, NULL};
  ho_options *options[2] = {NULL, NULL};
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(double));
  add_points(all, mine, d);
  for (int i = 0; i < 2; i++) {
    const ho_scheduler *scheduler = ho_scheduler_find(names[i]);
    options[i] = ho_options_parse(scheduler->options, NULL, names[i], NULL);
    peer[i] = search(o, scheduler, options[i], NULL);
    if (peer[i]) add_points(all, peer[i], d);
  }
  ho_frame frame = ho_frame_union((const double *)(const void *)all->data, (int32_t)all->len / d, d);
  g_string_append_printf(out, "front: %d plans, all valid", ho_archive_size(ho_search_archive(mine)));
  ho_search *const searches[] = {mine, peer[0], peer[1]};
  for (int i = 0; i < 3; i++) {
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(double));
    if (!searches[i]) continue;
    add_points(points, searches[i], d);
    double hv = ho_frame_hypervolume(&frame, (const double *)(const void *)points->data, (int32_t)points->len / d);
    g_string_append(out, i == 0 ? " · HV " : i == 1 ? ", heft " : ", nsga2 ");
    if (isnan(hv))
      g_string_append(out, "undefined");
    else
      g_string_append_printf(out, "%.3f", hv);
  }
  g_string_append_printf(out, " (frame: union of these, %" G_GINT64_FORMAT " evaluations each)\n", o->evaluations);
  for (int i = 0; i < 2; i++) {
    ho_search_free(peer[i]);
    ho_options_free(options[i]);
  }
}

/* ---- one run ------------------------------------------------------------------------------------------------------------------- */

static int32_t count_options(const ho_scheduler *s) {
  int32_t n = 0;
  while (s->options && s->options[n].name) n++;
  return n;
}

static gboolean try_once(const try_options *o, const char *command, FILE *log, GString *out, GError **error) {
  const ho_exec_limits limits = {.timeout = o->timeout, .log = log};
  g_autoptr(ho_exec) x = ho_exec_open(command, &limits, error);
  if (!x) return FALSE;
  const ho_scheduler *scheduler = ho_exec_scheduler(x);
  g_autofree char *who = g_strdup_printf("--set: %s", scheduler->name);
  g_autoptr(ho_options) options = ho_options_parse(scheduler->options, (const char *const *)o->set, who, error);
  if (!options) return FALSE;
  g_autoptr(GError) why = NULL;
  g_autoptr(ho_search) s = search(o, scheduler, options, &why);
  if (ho_exec_complaint(x)) ho_cli_note("%s: %s", command, ho_exec_complaint(x));
  if (!s) return ho_fail(error, HO_ERROR_INPUT, "exec:%s: %s", command, why->message);
  g_string_append_printf(out,
                         "hello ok: %s (protocol 1, %d options) · %" G_GINT64_FORMAT " evaluate lines, %" G_GINT64_FORMAT
                         " evaluations, %.2f s engine + %.2f s yours\n",
                         scheduler->name, count_options(scheduler), (gint64)ho_exec_lines(x), (gint64)ho_search_evaluations(s),
                         ho_search_engine_seconds(s), ho_search_scheduler_seconds(s));
  print_beside_others(o, s, out);
  return TRUE;
}

static gboolean run_try(const ho_command *self, try_options *o, const char *operand, GString *out, GError **error) {
  if (!g_str_has_prefix(operand, "exec:")) return ho_cli_usage(error, "try: '%s' is not of the form exec:COMMAND", operand);
  const char *command = operand + strlen("exec:");
  if (!o->in.graph_spec) o->in.graph_spec = g_strdup("bert-base:layers=2");
  if (!o->in.platform_name) o->in.platform_name = g_strdup("workstation");
  if (!ho_cli_inputs_load(&o->in, self, error)) return FALSE;
  if (o->selftest) return ho_cli_selftest(command, &o->in.problem, o->timeout, (const char *const *)o->set, out, error);
  FILE *log = NULL;
  if (o->log && !(log = fopen(o->log, "w"))) return ho_fail(error, HO_ERROR_IO, "%s: %s", o->log, g_strerror(errno));
  gboolean ok = try_once(o, command, log, out, error);
  if (log && fclose(log) && ok) ok = ho_fail(error, HO_ERROR_IO, "%s: %s", o->log, g_strerror(errno));
  return ok;
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(try_options) o = {.seed = 1, .evaluations = DEFAULT_EVALUATIONS, .timeout = 600};
  const GOptionEntry entries[] = {
      HO_CLI_GRAPH_ENTRIES(&o.in),
      HO_CLI_PLATFORM_ENTRIES(&o.in),
      {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.set, "an option of the scheduler (repeatable)", "K=V"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &o.seed_text, "seed of the search (default 1)", "N"},
      {"evaluations", 'e', 0, G_OPTION_ARG_STRING, &o.evaluations_text, "budget: whole plans scored (default 2000)", "N"},
      {"objectives", 0, 0, G_OPTION_ARG_STRING, &o.in.objectives, "what is minimised (default latency,energy,memory)", "LIST"},
      HO_CLI_MEASURE_ENTRIES(&o.in),
      {"timeout", 0, 0, G_OPTION_ARG_STRING, &o.timeout_text, "seconds for a problem (default 600)", "S"},
      {"log", 0, 0, G_OPTION_ARG_FILENAME, &o.log, "write every line both ways to FILE", "FILE"},
      {"selftest", 0, 0, G_OPTION_ARG_NONE, &o.selftest,
       "resets, repeats itself, keeps its budget, is HEFT where it says so, dies at the time-out?", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  if (!ho_cli_uint("--seed", o.seed_text, &o.seed, error) ||
      !ho_cli_int("--evaluations", o.evaluations_text, 1, G_MAXINT64, &o.evaluations, error) ||
      !ho_cli_double("--timeout", o.timeout_text, 0.001, 1e7, &o.timeout, error))
    return FALSE;
  return run_try(self, &o, argv[1], out, error);
}

const ho_command ho_command_try = {
    .name = "try",
    .arguments = "exec:COMMAND",
    .summary = "run a scheduler that is a process of its own on one problem; test it",
    .details =
        "COMMAND is split into words as a shell does. Without --graph and --platform: bert-base:layers=2 on workstation. The\n"
        "protocol is in docs/exec.md; heteroopt new --scheduler FILE.py writes a scheduler that works already.\n\n"
        "Examples:\n"
        "  heteroopt try 'exec:python3 mine.py' --graph bert-base --platform server\n"
        "  heteroopt try 'exec:python3 mine.py' --selftest",
    .run = run,
};
