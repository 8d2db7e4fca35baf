/* expand.c: problems, contenders and runs of an experiment, and the streams they draw from. See expand.h. */
#include "experiments/expand.h"

#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/units.h"
#include "experiments/code_digest.h" /* generated: HO_CODE_DIGEST */
#include "hwprofiles/platform_yaml.h"
#include "models/source.h"
#include "sim/plan_check.h"

const char *ho_code_digest(void) {
  return HO_CODE_DIGEST;
}

/* --- loading --------------------------------------------------------------------------------------------------------------- */

static gboolean takes_mode(const ho_config_workload *w) {
  if (w->is_file) return FALSE;
  for (const ho_option *o = ho_model_find(w->name)->options; o && o->name; o++)
    if (strcmp(o->name, "mode") == 0) return TRUE;
  return FALSE;
}

/* A file's "name=n" texts; the configuration has checked them. */
static ho_graph *load_file(const ho_config_workload *w, GError **error) {
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(int64_t));
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (int32_t i = 0; w->given[i]; i++) {
    const char *equals = strchr(w->given[i], '=');
    int64_t value = g_ascii_strtoll(equals + 1, NULL, 10);
    g_ptr_array_add(names, g_strndup(w->given[i], (gsize)(equals - w->given[i])));
    g_array_append_val(values, value);
  }
  ho_bindings bindings = {.n = (int32_t)names->len, .name = (void *)names->pdata, .value = (void *)values->data};
  return ho_graph_load(w->name, NULL, &bindings, error);
}

static ho_graph *load_graph(const ho_config_workload *w, const char *mode, GError **error) {
  if (w->is_file) return load_file(w, error);
  g_autofree char *with_mode = g_strconcat("mode=", mode, NULL);
  const char *extra[] = {takes_mode(w) ? with_mode : NULL, NULL};
  return ho_graph_load(w->spec, extra, NULL, error);
}

static void free_graph(void *g) {
  ho_graph_free(g);
}
static void free_platform(void *p) {
  ho_platform_free(p);
}

/* Says in front of an error which line of the configuration led to it. Always FALSE. */
static gboolean at_place(const char *place, GError **error) {
  g_prefix_error(error, "%s: ", place);
  return FALSE;
}

/* The graph of a workload in a mode and the platform: loaded when first asked for. */
static gboolean load_inputs(ho_experiment *e, ho_experiment_problem *q, GError **error) {
  const ho_config *c = e->config;
  gpointer *graph = &e->graphs->pdata[q->workload * c->n_modes + q->mode];
  gpointer *platform = &e->platforms->pdata[q->platform];
  if (!*graph) *graph = load_graph(&c->workload[q->workload], c->mode[q->mode], error);
  if (!*graph) return at_place(c->workload[q->workload].place, error);
  if (!*platform) *platform = ho_platform_load(c->platform[q->platform].name, error);
  if (!*platform) return at_place(c->platform[q->platform].place, error);
  q->problem.graph = *graph;
  q->problem.platform = *platform;
  return ho_problem_check(*graph, *platform, error);
}

/* --- problems ---------------------------------------------------------------------------------------------------------------- */

/* What another scheduler before this one is given on this problem, when it is the same. */
static ho_variant *shared_variant(const ho_config *c, const ho_experiment_problem *q, int32_t scheduler) {
  for (int32_t i = 0; i < scheduler; i++)
    if (q->variant[i] && strcmp(c->scheduler[i].rewrites, c->scheduler[scheduler].rewrites) == 0)
      return ho_variant_ref(q->variant[i]);
  return NULL;
}

static gboolean add_variants(const ho_config *c, ho_experiment_problem *q, GError **error) {
  q->variant = g_new0(ho_variant *, c->n_schedulers);
  for (int32_t i = 0; i < c->n_schedulers; i++) {
    const ho_config_scheduler *s = &c->scheduler[i];
    if (!s->rewrites) continue;
    q->variant[i] = shared_variant(c, q, i);
    if (!q->variant[i]) q->variant[i] = ho_variant_by_spec(q->problem.graph, q->problem.platform, q->cost, s->rewrites, error);
    if (q->variant[i]) continue;
    g_prefix_error(error, "%s: ", q->name);
    return at_place(s->place, error);
  }
  return TRUE;
}

static gboolean complete_problem(ho_experiment *e, ho_experiment_problem *q, GError **error) {
  const ho_config *c = e->config;
  if (!load_inputs(e, q, error)) return FALSE;
  q->cost = ho_cost_new(q->problem.graph, q->problem.platform);
  q->problem.cost = q->cost;
  q->problem.n_objectives = c->n_objectives;
  memcpy(q->problem.objective, c->objective, sizeof c->objective);
  q->problem.memory_measure = c->memory_measure;
  q->digest = ho_problem_digest(&q->problem);
  for (const ho_experiment_problem *other = e->problem; other < q; other++)
    if (other->digest && strcmp(other->digest, q->digest) == 0)
      return ho_fail(error, HO_ERROR_INPUT, "%s: '%s' and '%s' are the same problem under two names: remove one", c->file,
                     other->name, q->name);
  return add_variants(c, q, error);
}

static gboolean add_problems(ho_experiment *e, GError **error) {
  const ho_config *c = e->config;
  e->problem = g_new0(ho_experiment_problem, (gsize)c->n_workloads * (gsize)c->n_modes * (gsize)c->n_platforms);
  for (int32_t w = 0; w < c->n_workloads; w++)
    for (int32_t m = 0; m < c->n_modes; m++)
      for (int32_t p = 0; p < c->n_platforms; p++) {
        const ho_config_exclusion *x = ho_config_excluded(c, w, m, p);
        ho_experiment_problem *q = &e->problem[e->n_problems++];
        *q = (ho_experiment_problem){.workload = w, .mode = m, .platform = p, .why = x ? x->why : NULL};
        q->name = g_strjoin("/", c->workload[w].label, c->mode[m], c->platform[p].label, NULL);
        if (!x && !complete_problem(e, q, error)) return FALSE;
      }
  return TRUE;
}

/* --- contenders and runs --------------------------------------------------------------------------------------------------------- */

static void add_contenders(ho_experiment *e) {
  const ho_config *c = e->config;
  e->identity = g_new0(int32_t, c->n_schedulers);
  e->contender = g_new0(ho_contender, (gsize)(c->n_schedulers + c->n_portfolios));
  for (int32_t i = 0; i < c->n_schedulers; i++) {
    const ho_config_scheduler *s = &c->scheduler[i];
    e->identity[i] = i;
    e->contender[e->n_contenders++] = (ho_contender){.label = s->label,
                                                     .n = 1,
                                                     .of = &e->identity[i],
                                                     .name = s->scheduler->name,
                                                     .options = g_strdup(s->canonical),
                                                     .deterministic = (s->scheduler->flags & HO_SCHEDULER_DETERMINISTIC) != 0,
                                                     .single = (s->scheduler->flags & HO_SCHEDULER_SINGLE) != 0};
  }
  for (int32_t i = 0; i < c->n_portfolios; i++) {
    const ho_config_portfolio *f = &c->portfolio[i];
    ho_contender *x = &e->contender[e->n_contenders++];
    *x = (ho_contender){.label = f->label, .n = f->n, .of = f->of, .name = "portfolio", .deterministic = TRUE, .single = FALSE};
    g_autoptr(GString) options = g_string_new(NULL);
    for (int32_t k = 0; k < f->n; k++) {
      const ho_config_scheduler *s = &c->scheduler[f->of[k]];
      x->deterministic = x->deterministic && (s->scheduler->flags & HO_SCHEDULER_DETERMINISTIC) != 0;
      g_string_append_printf(options, "%s%s(%s)", k ? "+" : "", s->scheduler->name, s->canonical);
    }
    x->options = g_string_free(g_steal_pointer(&options), FALSE);
  }
}

static void add_runs(ho_experiment *e) {
  g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(ho_experiment_run));
  for (int32_t q = 0; q < e->n_problems; q++)
    for (int32_t x = 0; x < e->n_contenders && !e->problem[q].why; x++)
      for (int32_t r = 0; r < (e->contender[x].deterministic ? 1 : e->config->replicates); r++) {
        ho_experiment_run run = {.problem = q, .contender = x, .replicate = r};
        g_array_append_val(runs, run);
      }
  e->n_runs = (int32_t)runs->len;
  e->run = (ho_experiment_run *)(void *)g_array_free(g_steal_pointer(&runs), FALSE);
}

ho_experiment *ho_experiment_new(const ho_config *c, GError **error) {
  ho_experiment *e = g_new0(ho_experiment, 1);
  e->config = c;
  e->graphs = g_ptr_array_new_with_free_func(free_graph);
  e->platforms = g_ptr_array_new_with_free_func(free_platform);
  g_ptr_array_set_size(e->graphs, c->n_workloads * c->n_modes);
  g_ptr_array_set_size(e->platforms, c->n_platforms);
  if (!add_problems(e, error)) {
    ho_experiment_free(e);
    return NULL;
  }
  add_contenders(e);
  add_runs(e);
  return e;
}

void ho_experiment_free(ho_experiment *e) {
  if (!e) return;
  for (int32_t i = 0; i < e->n_problems; i++) {
    g_free(e->problem[i].name);
    g_free(e->problem[i].digest);
    for (int32_t k = 0; e->problem[i].variant && k < e->config->n_schedulers; k++) ho_variant_unref(e->problem[i].variant[k]);
    g_free(e->problem[i].variant);
    ho_cost_free(e->problem[i].cost);
  }
  for (int32_t i = 0; i < e->n_contenders; i++) g_free(e->contender[i].options);
  g_free(e->problem);
  g_free(e->contender);
  g_free(e->identity);
  g_free(e->run);
  g_ptr_array_unref(e->graphs);
  g_ptr_array_unref(e->platforms);
  g_free(e);
}

/* --- streams ------------------------------------------------------------------------------------------------------------------ */

ho_stream ho_experiment_stream(const ho_experiment *e, const ho_experiment_run *run, int32_t scheduler) {
  const ho_config_scheduler *s = &e->config->scheduler[scheduler];
  char replicate[16];
  g_snprintf(replicate, sizeof replicate, "%d", run->replicate);
  const char *parts[] = {"search", e->problem[run->problem].digest, s->scheduler->name, s->canonical, replicate, NULL};
  return ho_stream_keyed(e->config->seed, parts);
}

uint64_t ho_experiment_noise_seed(const ho_experiment *e, int32_t problem) {
  const char *parts[] = {"noise", e->problem[problem].digest, NULL};
  ho_stream s = ho_stream_keyed(e->config->seed, parts);
  return ho_stream_next(&s);
}

char *ho_experiment_protocol(const ho_config *c) {
  char noise[32], model_error[32];
  return g_strdup_printf("checkpoints=%d,replays=%d,noise=%s,model_error=%s", c->checkpoints, c->replays,
                         ho_double_text(c->noise, noise), ho_double_text(c->model_error, model_error));
}
