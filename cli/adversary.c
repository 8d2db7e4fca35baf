/* adversary.c: `heteroopt adversary`: where a scheduler breaks: instances on which it is worst against another one. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "hwprofiles/platform_yaml.h"
#include "models/source.h"
#include "plots/matrix.h"
#include "sched/adversary.h"

typedef struct {
  char *a, *b, *pairs, *platform_name, *output, *figure, *objective;
  char *ops_text, *edges_text, *seconds_text, *bytes_text, *steps_text, *restarts_text, *seed_text, *evaluations_text;
  gboolean json;
  gint64 ops, restarts;
  ho_adversary_setup setup;
  ho_platform *platform;
} adversary_options;

static void adversary_options_clear(adversary_options *o) {
  char *const texts[] = {o->a,          o->b,          o->pairs,         o->platform_name, o->output,
                         o->figure,     o->objective,  o->ops_text,      o->edges_text,    o->seconds_text,
                         o->bytes_text, o->steps_text, o->restarts_text, o->seed_text,     o->evaluations_text};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
  ho_platform_free(o->platform);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(adversary_options, adversary_options_clear)

/* ---- options -------------------------------------------------------------------------------------------------------------------- */

/* "LEAST,MOST" in a unit. */
static gboolean read_range(const char *option, const char *text, ho_unit unit, double least, double *range, GError **error) {
  if (!text) return TRUE;
  g_auto(GStrv) ends = g_strsplit(text, ",", -1);
  g_autoptr(GError) fault = NULL;
  if (g_strv_length(ends) != 2) return ho_cli_usage(error, "%s: '%s' is not LEAST,MOST", option, text);
  for (int i = 0; i < 2; i++)
    if (!ho_unit_parse(ends[i], unit, &range[i], &fault)) return ho_cli_usage(error, "%s: %s", option, fault->message);
  if (!(range[0] >= least && range[1] >= range[0]))
    return ho_cli_usage(error, "%s: '%s': expected two values from %g up, the lesser first", option, text, least);
  return TRUE;
}

static gboolean read_options(adversary_options *o, GError **error) {
  static const char *const objectives[] = {"latency", "energy", "memory", NULL};
  ho_adversary_setup *s = &o->setup;
  if (!!o->pairs == (o->a || o->b) || (!o->pairs && !(o->a && o->b)))
    return ho_cli_usage(error, "adversary: expected --a and --b, or --pairs");
  int which = o->objective ? ho_cli_choice("--objective", o->objective, objectives, error) : 0;
  if (which < 0) return FALSE;
  s->objective = (ho_objective)which;
  if (!ho_cli_int("--ops", o->ops_text, 1, HO_ADVERSARY_MAX_OPS, &o->ops, error) ||
      !ho_cli_double("--edges", o->edges_text, 0, 1, &s->edges, error) ||
      !read_range("--seconds", o->seconds_text, HO_UNIT_SECONDS, 1e-9, s->seconds, error) ||
      !read_range("--bytes", o->bytes_text, HO_UNIT_BYTES, 1, s->bytes, error) ||
      !ho_cli_int("--steps", o->steps_text, 1, 100000000, &s->steps, error) ||
      !ho_cli_int("--restarts", o->restarts_text, 1, 100000, &o->restarts, error) ||
      !ho_cli_uint("--seed", o->seed_text, &s->seed, error) ||
      !ho_cli_int("--evaluations", o->evaluations_text, 1, 100000000, &s->evaluations, error))
    return FALSE;
  s->n_ops = (int32_t)o->ops;
  if (s->seconds[1] > 1e9 || s->bytes[1] > 1e13) return ho_cli_usage(error, "adversary: ranges end at 1e9 s and 10 TB");
  o->platform = ho_platform_load(o->platform_name ? o->platform_name : "root-complex", error);
  s->platform = o->platform;
  return o->platform != NULL;
}

/* ---- one pair --------------------------------------------------------------------------------------------------------------------- */

static gboolean find(const char *name, const ho_scheduler **scheduler, ho_options **options, GError **error) {
  ho_exec *exec = NULL;
  *scheduler = ho_cli_scheduler("adversary", name, &exec, error);
  if (exec) {
    ho_exec_free(exec);
    return ho_cli_usage(error, "adversary: '%s': expected a scheduler that is built in, or a plug-in", name);
  }
  return *scheduler && (*options = ho_options_parse((*scheduler)->options, NULL, name, error));
}

/* The worst over all restarts. */
static ho_adversary *worst_of_walks(const ho_adversary_setup *setup, int32_t restarts, GError **error) {
  ho_adversary_setup s = *setup;
  g_autoptr(ho_adversary) worst = NULL;
  int64_t tried = 0, failed = 0;
  for (s.restart = 0; s.restart < restarts; s.restart++) {
    g_autoptr(ho_adversary) x = ho_adversary_search(&s, error);
    if (!x) return NULL;
    tried += x->tried;
    failed += x->failed;
    if (worst && worst->ratio >= x->ratio) continue;
    g_clear_pointer(&worst, ho_adversary_free);
    worst = g_steal_pointer(&x);
  }
  worst->tried = tried;
  worst->failed = failed;
  return g_steal_pointer(&worst);
}

static ho_adversary *worst_of(const adversary_options *o, const char *a, const char *b, GError **error) {
  ho_adversary_setup s = o->setup;
  ho_options *options[2] = {NULL, NULL};
  ho_adversary *worst = NULL;
  if (find(a, &s.scheduler[0], &options[0], error) && find(b, &s.scheduler[1], &options[1], error)) {
    s.options[0] = options[0];
    s.options[1] = options[1];
    worst = worst_of_walks(&s, (int32_t)o->restarts, error);
  }
  for (int i = 0; i < 2; i++)
    if (options[i]) ho_options_free(options[i]);
  return worst;
}

static char *value_text(const adversary_options *o, double value) {
  static const ho_unit unit[] = {HO_UNIT_SECONDS, HO_UNIT_JOULES};
  return o->setup.objective == HO_OBJECTIVE_MEMORY ? ho_share_format(value) : ho_unit_format(value, unit[o->setup.objective]);
}

static void print_pair(const adversary_options *o, const ho_adversary *x, GString *out) {
  if (o->json) {
    ho_cli_json(out,
                json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:I, s:I}", "a", o->a, "b", o->b, "objective",
                          ho_objective_name(o->setup.objective), "ratio", x->ratio, "start", x->start, "value_a", x->value[0],
                          "value_b", x->value[1], "instances", (json_int_t)x->tried, "failed", (json_int_t)x->failed));
    return;
  }
  g_autofree char *a = value_text(o, x->value[0]), *b = value_text(o, x->value[1]);
  g_string_append_printf(out, "%s / %s: %.4f in %s (%s / %s), from %.4f\n", o->a, o->b, x->ratio,
                         ho_objective_name(o->setup.objective), a, b, x->start);
  g_string_append_printf(out, "%" G_GINT64_FORMAT " instances of %d ops on %s, %" G_GINT64_FORMAT " of them without a plan\n",
                         x->tried, o->setup.n_ops, o->platform->name, x->failed);
}

/* ---- all pairs -------------------------------------------------------------------------------------------------------------------- */

static void print_matrix(const adversary_options *o, char **name, guint n, const double *ratio, GString *out) {
  if (o->json) {
    json_t *rows = json_array();
    for (guint i = 0; i < n; i++)
      for (guint j = 0; j < n; j++)
        if (i != j)
          json_array_append_new(rows, json_pack("{s:s, s:s, s:f}", "a", name[i], "b", name[j], "ratio", ratio[i * n + j]));
    ho_cli_json(out, rows);
    return;
  }
  int width = 10;
  for (guint i = 0; i < n; i++) width = MAX(width, (int)strlen(name[i]) + 2);
  g_string_append_printf(out, "%-*s", width, "A \\ B");
  for (guint j = 0; j < n; j++) g_string_append_printf(out, "%*s", width, name[j]);
  for (guint i = 0; i < n; i++) {
    g_string_append_printf(out, "\n%-*s", width, name[i]);
    for (guint j = 0; j < n; j++)
      if (i == j)
        g_string_append_printf(out, "%*s", width, "-");
      else
        g_string_append_printf(out, "%*.3f", width, ratio[i * n + j]);
  }
  g_string_append_printf(out, "\n%s of A over that of B on the worst instance found for A\n",
                         ho_objective_name(o->setup.objective));
}

static gboolean draw(const adversary_options *o, char **name, guint n, const double *ratio, GError **error) {
  const char *const outputs[] = {o->figure, NULL};
  g_autofree char *note = NULL,
                  *title = g_strdup_printf("%s of the row over that of the column, on the worst instance found for the row",
                                           ho_objective_name(o->setup.objective));
  if (!ho_matrix_draw((const char *const *)name, (int)n, ratio, title, outputs, &note, error)) return FALSE;
  if (note) ho_cli_note("%s", note);
  return TRUE;
}

static gboolean all_pairs(const adversary_options *o, GString *out, GError **error) {
  g_auto(GStrv) name = g_strsplit(o->pairs, ",", -1);
  guint n = g_strv_length(name);
  if (n < 2) return ho_cli_usage(error, "--pairs: '%s': expected at least two schedulers, with commas between", o->pairs);
  g_autofree double *ratio = g_new0(double, (gsize)n *(gsize)n);
  for (guint k = 0; k < n * n; k++) {
    if (k / n == k % n) continue;
    g_autoptr(ho_adversary) x = worst_of(o, name[k / n], name[k % n], error);
    if (!x) return FALSE;
    ratio[k] = x->ratio;
    if (!o->output) continue;
    g_autofree char *leaf = g_strdup_printf("%s-against-%s.json", name[k / n], name[k % n]),
                    *file = g_build_filename(o->output, leaf, NULL);
    if (!ho_graph_write_json(x->graph, file, error)) return FALSE;
  }
  print_matrix(o, name, n, ratio, out);
  return !o->figure || draw(o, name, n, ratio, error);
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(adversary_options) o = {.ops = 8,
                                 .restarts = 3,
                                 .setup = {.edges = 0.3,
                                           .seconds = {1e-3, 1},
                                           .bytes = {1e6, 1e10},
                                           .steps = 1000,
                                           .evaluations = 200,
                                           .hot = 0.1,
                                           .cold = 0.001,
                                           .seed = 1}};
  const GOptionEntry entries[] = {
      {"a", 'a', 0, G_OPTION_ARG_STRING, &o.a, "the scheduler that is to look bad", "S"},
      {"b", 'b', 0, G_OPTION_ARG_STRING, &o.b, "against this one", "S"},
      {"pairs", 0, 0, G_OPTION_ARG_STRING, &o.pairs, "every one of these against every other", "S,S,…"},
      {"platform", 'p', 0, G_OPTION_ARG_FILENAME, &o.platform_name, "installed platform, or a file (default: root-complex)", "P"},
      {"objective", 0, 0, G_OPTION_ARG_STRING, &o.objective, "latency (default), energy or memory", "O"},
      {"ops", 'n', 0, G_OPTION_ARG_STRING, &o.ops_text, "ops of an instance, 1 to 64 (default 8)", "N"},
      {"edges", 0, 0, G_OPTION_ARG_STRING, &o.edges_text, "probability of an edge at the start (default 0.3)", "X"},
      {"seconds", 0, 0, G_OPTION_ARG_STRING, &o.seconds_text, "range of an op's seconds on a device (default 1ms,1s)",
       "LEAST,MOST"},
      {"bytes", 0, 0, G_OPTION_ARG_STRING, &o.bytes_text, "range of an edge's bytes (default 1MB,10GB)", "LEAST,MOST"},
      {"steps", 0, 0, G_OPTION_ARG_STRING, &o.steps_text, "steps of a walk (default 1000)", "N"},
      {"restarts", 0, 0, G_OPTION_ARG_STRING, &o.restarts_text, "walks (default 3)", "N"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &o.seed_text, "seed (default 1)", "N"},
      {"evaluations", 'e', 0, G_OPTION_ARG_STRING, &o.evaluations_text, "budget of each run of a scheduler (default 200)", "N"},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "write the worst instance; with --pairs, all of them, into a folder",
       "FILE"},
      {"figure", 0, 0, G_OPTION_ARG_FILENAME, &o.figure, "--pairs: draw the matrix (.pdf, .png or .svg)", "FILE"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "print JSON", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 0, 0, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  if (!read_options(&o, error)) return FALSE;
  if (o.figure && !o.pairs) return ho_cli_usage(error, "--figure: only with --pairs");
  if (o.pairs) return all_pairs(&o, out, error);
  g_autoptr(ho_adversary) x = worst_of(&o, o.a, o.b, error);
  if (!x || (o.output && !ho_graph_write_json(x->graph, o.output, error))) return FALSE;
  print_pair(&o, x, out);
  return TRUE;
}

const ho_command ho_command_adversary = {
    .name = "adversary",
    .arguments = "",
    .summary = "instances on which one scheduler is worst against another",
    .details =
        "Simulated annealing over small task graphs: seconds by op and device, bytes of edges, and edges themselves, within "
        "ranges.\n"
        "The instance is written as a graph with time tables for the devices of the platform: heteroopt schedule gives the "
        "values\n"
        "that are printed.\n\n"
        "Examples:\n"
        "  heteroopt adversary --a heft --b peft -o worst.json\n"
        "  heteroopt schedule -g worst.json -p root-complex --scheduler heft --objectives latency\n"
        "  heteroopt adversary --pairs heft,peft,cpop --steps 200 --figure pairs.png",
    .run = run,
};
