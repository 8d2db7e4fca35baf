/* shapes.c: `heteroopt shapes`: what planning per bucket of shapes, or once for all, loses against a plan per shape. */
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/graph_rewrite.h"
#include "cli/inputs.h"
#include "sched/bucket_study.h"

#define DEFAULT_EVALUATIONS 2000

typedef struct {
  ho_cli_inputs in;
  char *scheduler_name, *sizes_text, *buckets_text, *edges_text, *seed_text, *evaluations_text, *rules, *objective_text;
  char **set;
  ho_exec *exec; /* the scheduler's process; NULL */
  gboolean json, csv, timing;
  double opening; /* seconds */
  guint64 seed;
  gint64 evaluations, buckets;
} shapes_options;

static void shapes_options_clear(shapes_options *o) {
  ho_cli_inputs_clear(&o->in);
  ho_exec_free(o->exec);
  g_free(o->scheduler_name);
  g_free(o->sizes_text);
  g_free(o->buckets_text);
  g_free(o->edges_text);
  g_free(o->seed_text);
  g_free(o->evaluations_text);
  g_free(o->rules);
  g_free(o->objective_text);
  g_strfreev(o->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(shapes_options, shapes_options_clear)

/* ---- printing -------------------------------------------------------------------------------------------------------- */

static double padding_of(const ho_bucket_setup *u, const ho_bucket_study *s, int32_t bucket) {
  double pad = 0, weight = 0;
  for (int32_t i = 0; i < s->n; i++) {
    if (s->bucket[i] != bucket) continue;
    pad += u->sizes->weight[i] * (double)(u->edges[bucket] - u->sizes->value[i]);
    weight += u->sizes->weight[i];
  }
  return weight > 0 ? pad / weight : 0;
}

static double weight_of(const ho_bucket_setup *u, const ho_bucket_study *s, int32_t bucket) {
  double weight = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (s->bucket[i] == bucket) weight += u->sizes->weight[i];
  return weight;
}

static void bucket_line(const ho_bucket_setup *u, const ho_bucket_study *s, const ho_problem *q, int32_t bucket, GString *out) {
  g_autofree char *share = ho_share_format(bucket < 0 ? 1 : weight_of(u, s, bucket));
  if (bucket < 0)
    g_string_append_printf(out, "%-12s%10s%10s", "all", share, "");
  else
    g_string_append_printf(out, "%-12" G_GINT64_FORMAT "%10s%10.1f", u->edges[bucket], share, padding_of(u, s, bucket));
  for (int way = 0; way < HO_N_SHAPES_WAYS; way++) {
    g_autofree char *text =
        ho_cli_objective_text(q, u->objective, ho_bucket_study_mean(s, u, (ho_shapes_way)way, u->objective, bucket));
    g_string_append_printf(out, "%15s", text);
  }
  g_string_append_c(out, '\n');
}

static double loss(const ho_bucket_setup *u, const ho_bucket_study *s, ho_shapes_way way, ho_objective o) {
  double exact = ho_bucket_study_mean(s, u, HO_SHAPES_EXACT, o, -1);
  return exact > 0 ? ho_bucket_study_mean(s, u, way, o, -1) / exact - 1 : 0;
}

static void print_text(const ho_bucket_setup *u, const ho_bucket_study *s, const ho_problem *q, GString *out) {
  g_string_append_printf(out, "%s over %d sizes of %s, planned for least %s: %d searches\n", u->scheduler->name, s->n, u->dim,
                         ho_objective_name(u->objective), s->plans);
  g_string_append_printf(out, "%-12s%10s%10s", "up to", "share", "padding");
  for (int way = 0; way < HO_N_SHAPES_WAYS; way++) g_string_append_printf(out, "%15s", ho_shapes_way_name((ho_shapes_way)way));
  g_string_append_c(out, '\n');
  for (int32_t b = 0; b < u->n_edges; b++)
    if (weight_of(u, s, b) > 0) bucket_line(u, s, q, b, out);
  bucket_line(u, s, q, -1, out);
  for (int o = 0; o < HO_N_OBJECTIVES; o++) {
    g_autofree char *name = g_strdup_printf("%s lost", ho_objective_name((ho_objective)o));
    g_string_append_printf(out, "%-32s", name);
    for (int way = 0; way < HO_N_SHAPES_WAYS; way++) {
      g_autofree char *text = g_strdup_printf("%+.2f %%", 100 * loss(u, s, (ho_shapes_way)way, (ho_objective)o));
      g_string_append_printf(out, "%15s", way == HO_SHAPES_EXACT ? "-" : text);
    }
    g_string_append_c(out, '\n');
  }
}

/* A line per size and way. */
static void print_csv(const ho_bucket_setup *u, const ho_bucket_study *s, const ho_problem *q, GString *out) {
  g_string_append(out, "size,weight,edge,way,latency,energy,memory\n");
  for (int32_t i = 0; i < s->n; i++)
    for (int way = 0; way < HO_N_SHAPES_WAYS; way++) {
      double v[HO_MAX_OBJECTIVES];
      char text[4][32];
      ho_problem_objectives(q, &s->figures[(size_t)i * HO_N_SHAPES_WAYS + (size_t)way], v);
      for (int o = 0; o < HO_N_OBJECTIVES; o++) ho_double_text(v[o], text[o]);
      g_string_append_printf(out, "%" G_GINT64_FORMAT ",%s,%" G_GINT64_FORMAT ",%s,%s,%s,%s\n", u->sizes->value[i],
                             ho_double_text(u->sizes->weight[i], text[3]), u->edges[s->bucket[i]],
                             ho_shapes_way_name((ho_shapes_way)way), text[0], text[1], text[2]);
    }
}

static json_t *figures_json(const ho_problem *q, const ho_figures *f) {
  double v[HO_MAX_OBJECTIVES];
  ho_problem_objectives(q, f, v);
  return json_pack("{s:f, s:f, s:f}", "latency", v[0], "energy", v[1], "memory", v[2]);
}

static json_t *study_json(const ho_bucket_setup *u, const ho_bucket_study *s, const ho_problem *q) {
  json_t *sizes = json_array(), *edges = json_array(), *means = json_object(), *losses = json_object();
  for (int32_t b = 0; b < u->n_edges; b++) json_array_append_new(edges, json_integer(u->edges[b]));
  for (int32_t i = 0; i < s->n; i++) {
    json_t *size = json_pack("{s:I, s:f, s:i}", "size", (json_int_t)u->sizes->value[i], "weight", u->sizes->weight[i], "bucket",
                             s->bucket[i]);
    for (int way = 0; way < HO_N_SHAPES_WAYS; way++)
      json_object_set_new(size, ho_shapes_way_name((ho_shapes_way)way),
                          figures_json(q, &s->figures[(size_t)i * HO_N_SHAPES_WAYS + (size_t)way]));
    json_array_append_new(sizes, size);
  }
  for (int way = 0; way < HO_N_SHAPES_WAYS; way++) {
    json_t *mean = json_object(), *lost = json_object();
    for (int o = 0; o < HO_N_OBJECTIVES; o++) {
      json_object_set_new(mean, ho_objective_name((ho_objective)o),
                          json_real(ho_bucket_study_mean(s, u, (ho_shapes_way)way, (ho_objective)o, -1)));
      json_object_set_new(lost, ho_objective_name((ho_objective)o), json_real(loss(u, s, (ho_shapes_way)way, (ho_objective)o)));
    }
    json_object_set_new(means, ho_shapes_way_name((ho_shapes_way)way), mean);
    json_object_set_new(losses, ho_shapes_way_name((ho_shapes_way)way), lost);
  }
  return json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "dim", u->dim, "scheduler", u->scheduler->name, "objective",
                   ho_objective_name(u->objective), "searches", s->plans, "edges", edges, "sizes", sizes, "mean", means, "loss",
                   losses);
}

/* What opening the source took, and each graph that was made of it. */
static void print(const shapes_options *o, const ho_bucket_setup *u, const ho_bucket_study *s, const ho_problem *q,
                  GString *out) {
  double each = s->seconds / s->graphs;
  if (o->json) {
    json_t *j = study_json(u, s, q);
    if (o->timing) json_object_set_new(j, "seconds", json_pack("{s:f, s:f}", "opening", o->opening, "graph", each));
    ho_cli_json(out, j);
    return;
  }
  (o->csv ? print_csv : print_text)(u, s, q, out);
  if (!o->timing) return;
  g_autofree char *opening = ho_unit_format(o->opening, HO_UNIT_SECONDS), *graph = ho_unit_format(each, HO_UNIT_SECONDS);
  g_string_append_printf(out, "opened in %s · %d graphs, %s each\n", opening, s->graphs, graph);
}

/* ---- options --------------------------------------------------------------------------------------------------------- */

static gboolean read_edges(const shapes_options *o, const ho_sizes *sizes, GArray *edges, GError **error) {
  if (!o->edges_text) {
    int32_t k = (int32_t)MIN(o->buckets, sizes->n);
    g_autofree int64_t *own = ho_sizes_edges(sizes, k);
    g_array_append_vals(edges, own, (guint)k);
    return TRUE;
  }
  g_auto(GStrv) words = g_strsplit(o->edges_text, ",", -1);
  for (char **w = words; *w; w++) {
    gint64 v, least = edges->len ? g_array_index(edges, int64_t, edges->len - 1) + 1 : 1;
    if (!ho_cli_int("--edges", *w, least, INT64_C(1) << 40, &v, error)) return FALSE;
    int64_t edge = v;
    g_array_append_val(edges, edge);
  }
  int64_t most = sizes->value[sizes->n - 1];
  if (edges->len == 0 || g_array_index(edges, int64_t, edges->len - 1) < most)
    return ho_cli_usage(error, "--edges: the last one is below the largest size, %" G_GINT64_FORMAT, most);
  return TRUE;
}

static gboolean check_dim(const ho_symbolic *source, const char *dim, const char *spec, GError **error) {
  const char *const *names = ho_symbolic_names(source);
  if (g_strv_contains(names, dim) || strchr(dim, '.')) return TRUE;
  if (!names[0]) return ho_fail(error, HO_ERROR_INPUT, "%s: all sizes are fixed, expected one that is called '%s'", spec, dim);
  g_autofree char *all = g_strjoinv(", ", (char **)names);
  return ho_fail(error, HO_ERROR_INPUT, "%s: there is no size '%s', expected one of: %s", spec, dim, all);
}

static gboolean study(shapes_options *o, ho_bucket_setup *u, GString *out, GError **error) {
  g_autofree char *dim = g_strndup(o->sizes_text, strcspn(o->sizes_text, "="));
  const char *text = o->sizes_text + strlen(dim);
  if (!*dim || *text != '=')
    return ho_cli_usage(error, "--sizes: '%s' is not NAME=SIZES, such as seq=64,128*3,512", o->sizes_text);
  gint64 began = g_get_monotonic_time();
  g_autoptr(ho_symbolic) source = ho_symbolic_open(o->in.graph_spec, error);
  o->opening = (double)(g_get_monotonic_time() - began) * 1e-6;
  if (!source || !check_dim(source, dim, o->in.graph_spec, error)) return FALSE;
  g_autoptr(ho_sizes) sizes = ho_sizes_parse(text + 1, error);
  if (!sizes) {
    g_prefix_error(error, "--sizes: ");
    return FALSE;
  }
  g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(int64_t));
  if (!read_edges(o, sizes, edges, error)) return FALSE;
  g_autoptr(ho_cli_bindings) bindings = ho_cli_bindings_read(o->in.bind, error);
  g_autoptr(ho_platform) platform = bindings ? ho_platform_load(o->in.platform_name, error) : NULL;
  if (!platform) return FALSE;
  u->source = source;
  u->fixed = &bindings->of;
  u->dim = dim;
  u->sizes = sizes;
  u->n_edges = (int32_t)edges->len;
  u->edges = (const int64_t *)(const void *)edges->data;
  u->platform = platform;
  g_autoptr(ho_bucket_study) s = ho_bucket_study_run(u, error);
  if (!s) return FALSE;
  const ho_problem q = {.n_objectives = HO_N_OBJECTIVES,
                        .objective = {HO_OBJECTIVE_LATENCY, HO_OBJECTIVE_ENERGY, HO_OBJECTIVE_MEMORY},
                        .memory_measure = u->measure};
  print(o, u, s, &q, out);
  return TRUE;
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(shapes_options) o = {.seed = 1, .evaluations = DEFAULT_EVALUATIONS, .buckets = 4};
  const GOptionEntry entries[] = {
      HO_CLI_GRAPH_ENTRIES(&o.in),
      HO_CLI_PLATFORM_ENTRIES(&o.in),
      {"sizes", 0, 0, G_OPTION_ARG_FILENAME, &o.sizes_text, "sizes of a symbol: a list with weights, a range, or a file",
       "NAME=SIZES"},
      {"buckets", 0, 0, G_OPTION_ARG_STRING, &o.buckets_text, "how many buckets, chosen for least padding (default 4)", "N"},
      {"edges", 0, 0, G_OPTION_ARG_STRING, &o.edges_text, "or the upper edges of buckets", "A,B,…"},
      {"scheduler", 's', 0, G_OPTION_ARG_FILENAME, &o.scheduler_name, "scheduler, as in heteroopt list schedulers", "S"},
      {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.set, "an option of the scheduler (repeatable)", "K=V"},
      {"objective", 0, 0, G_OPTION_ARG_STRING, &o.objective_text, "what a plan is taken for: latency (default), energy, memory",
       "NAME"},
      HO_CLI_MEASURE_ENTRIES(&o.in),
      {"rewrite", 0, 0, G_OPTION_ARG_FILENAME, &o.rules, "rewrites before scheduling, as for schedule", "REWRITES"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &o.seed_text, "seed of the searches (default 1)", "N"},
      {"evaluations", 'e', 0, G_OPTION_ARG_STRING, &o.evaluations_text, "budget of each search (default 2000)", "N"},
      {"timing", 0, 0, G_OPTION_ARG_NONE, &o.timing, "add seconds of opening the source and of each graph", NULL},
      {"csv", 0, 0, G_OPTION_ARG_NONE, &o.csv, "print CSV: a line per size and way, with weight and edge", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "print JSON, with the figures of every size", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 0, 0, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  if (!o.in.graph_spec || !o.in.platform_name || !o.sizes_text)
    return ho_cli_usage(error, "shapes: --graph, --platform and --sizes are needed, as in: %s", self->arguments);
  if (o.buckets_text && o.edges_text) return ho_cli_usage(error, "shapes: --buckets and --edges are two ways to say the same");
  if (o.csv && (o.json || o.timing)) return ho_cli_usage(error, "shapes: --csv goes without --json and --timing");
  const char *names[HO_N_OBJECTIVES + 1] = {NULL};
  for (int k = 0; k < HO_N_OBJECTIVES; k++) names[k] = ho_objective_name((ho_objective)k);
  int objective = o.objective_text ? ho_cli_choice("--objective", o.objective_text, names, error) : HO_OBJECTIVE_LATENCY;
  if (objective < 0 || !ho_cli_uint("--seed", o.seed_text, &o.seed, error) ||
      !ho_cli_int("--evaluations", o.evaluations_text, 1, G_MAXINT64, &o.evaluations, error) ||
      !ho_cli_int("--buckets", o.buckets_text, 1, HO_SIZES_MOST, &o.buckets, error))
    return FALSE;
  if (o.rules && !ho_cli_rules("--rewrite", o.rules, error)) return FALSE;
  const ho_scheduler *scheduler = ho_cli_scheduler(self->name, o.scheduler_name, &o.exec, error);
  ho_bucket_setup u = {.rewrites = o.rules,
                       .scheduler = scheduler,
                       .seed = o.seed,
                       .evaluations = o.evaluations,
                       .objective = (ho_objective)objective};
  if (!scheduler || !ho_cli_measure(o.in.measure, &u.measure, error)) return FALSE;
  g_autofree char *who = g_strdup_printf("--set: %s", scheduler->name);
  g_autoptr(ho_options) options = ho_options_parse(scheduler->options, (const char *const *)o.set, who, error);
  u.options = options;
  return options && study(&o, &u, out, error);
}

const ho_command ho_command_shapes = {
    .name = "shapes",
    .arguments = "--graph G --platform P --scheduler S --sizes NAME=SIZES",
    .summary = "dynamic shapes: what a plan per bucket, or one for all, loses against a plan per shape",
    .details =
        "SIZES: 64,128*3,512 (weights behind '*'), 16..512/16 (a range and its step), or a file with a size and a weight per\n"
        "line. A plan is made at every size (exact), at every bucket's upper edge, and at the largest (static), and replayed\n"
        "on the graph of the actual size; padded: at the edge's. Means are weighted; what is lost is against exact.\n\n"
        "Examples:\n"
        "  heteroopt shapes --graph bert-base:layers=2 --platform workstation --scheduler heft --sizes seq=32..512/32 --buckets "
        "4\n"
        "  heteroopt shapes --graph bert-base:layers=2 --platform workstation --scheduler heft --sizes seq=64,128*3,512 --edges "
        "128,512",
    .run = run,
};
