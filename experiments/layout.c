/* layout.c: writing an experiment's problems, schedulers, studies and runs into its database, before the first run. */
#include "base/error.h"
#include "experiments/expand.h"
#include "hwprofiles/platform_yaml.h"
#include "models/source.h"
#include "results/environment.h"

/* Ids of the rows that runs refer to. */
typedef struct {
  const ho_experiment *e;
  ho_store *store;
  ho_layout *layout;
  int64_t *scheduler_id; /* by contender */
} ho_layer;

/* As heteroopt-graph/1, so that the database alone is enough to replay its plans. */
static int64_t add_graph(const ho_layer *l, const ho_graph *g, GError **error) {
  g_autofree char *text = ho_graph_json(g);
  return ho_store_add_graph(l->store, g, text, error);
}

static int64_t add_platform(const ho_layer *l, const ho_platform *p, GError **error) {
  g_autofree char *text = ho_platform_to_yaml(p);
  return ho_store_add_platform(l->store, p, text, error);
}

static gboolean add_problems(const ho_layer *l, GError **error) {
  const ho_experiment *e = l->e;
  g_autofree int64_t *graph_id = g_new0(int64_t, e->graphs->len);
  g_autofree int64_t *platform_id = g_new0(int64_t, e->platforms->len);
  for (int32_t i = 0; i < e->n_problems; i++) {
    const ho_experiment_problem *q = &e->problem[i];
    if (q->why) continue;
    int64_t *graph = &graph_id[q->workload * e->config->n_modes + q->mode], *platform = &platform_id[q->platform];
    if (!*graph && (*graph = add_graph(l, q->problem.graph, error)) < 0) return FALSE;
    if (!*platform && (*platform = add_platform(l, q->problem.platform, error)) < 0) return FALSE;
    l->layout->problem_id[i] = ho_store_add_problem(l->store, &q->problem, *graph, *platform, error);
    if (l->layout->problem_id[i] < 0) return FALSE;
  }
  return TRUE;
}

static gboolean add_schedulers(const ho_layer *l, GError **error) {
  for (int32_t i = 0; i < l->e->n_contenders; i++) {
    const ho_contender *x = &l->e->contender[i];
    ho_store_scheduler s = {.name = x->name,
                            .options = x->options,
                            .code_digest = ho_code_digest(),
                            .deterministic = x->deterministic,
                            .single = x->single};
    l->scheduler_id[i] = ho_store_add_scheduler(l->store, &s, error);
    if (l->scheduler_id[i] < 0) return FALSE;
  }
  return TRUE;
}

static gboolean add_runs(const ho_layer *l, GError **error) {
  const ho_config *c = l->e->config;
  g_autofree char *protocol = ho_experiment_protocol(c);
  for (int32_t i = 0; i < l->e->n_runs; i++) {
    const ho_experiment_run *run = &l->e->run[i];
    ho_store_key key = {.problem_id = l->layout->problem_id[run->problem],
                        .scheduler_id = l->scheduler_id[run->contender],
                        .seed = c->seed,
                        .replicate = run->replicate,
                        .evaluations = c->evaluations,
                        .protocol = protocol};
    l->layout->run_id[i] = ho_store_add_run(l->store, &key, &l->layout->status[i], error);
    if (l->layout->run_id[i] < 0) return FALSE;
  }
  return TRUE;
}

/* What a study shows: all of the problems, contenders and runs. */
static gboolean fill_study(const ho_layer *l, int64_t study, GError **error) {
  const ho_experiment *e = l->e;
  const ho_config *c = e->config;
  g_autofree int64_t *problem = g_new0(int64_t, e->n_problems);
  g_autofree int64_t *contender = g_new0(int64_t, e->n_contenders);
  for (int32_t i = 0; i < e->n_problems; i++) {
    const ho_experiment_problem *q = &e->problem[i];
    const char *workload = c->workload[q->workload].label, *mode = c->mode[q->mode], *platform = c->platform[q->platform].label;
    if (q->why) {
      if (!ho_store_add_excluded(l->store, study, workload, mode, platform, NULL, q->why, error)) return FALSE;
    } else {
      problem[i] = ho_store_add_study_problem(l->store, study, l->layout->problem_id[i], workload, mode, platform, error);
      if (problem[i] < 0) return FALSE;
    }
  }
  for (int32_t i = 0; i < e->n_contenders; i++) {
    contender[i] = ho_store_add_study_scheduler(l->store, study, l->scheduler_id[i], e->contender[i].label, error);
    if (contender[i] < 0) return FALSE;
  }
  for (int32_t i = 0; i < e->n_runs; i++) {
    const ho_experiment_run *run = &e->run[i];
    if (!ho_store_add_study_run(l->store, problem[run->problem], contender[run->contender], run->replicate, l->layout->run_id[i],
                                error))
      return FALSE;
  }
  return TRUE;
}

static gboolean add_all(const ho_layer *l, GError **error) {
  const ho_config *c = l->e->config;
  g_autoptr(ho_environment) environment = ho_environment_capture();
  l->layout->environment_id = ho_store_add_environment(l->store, environment->json, environment->digest, error);
  if (l->layout->environment_id < 0) return FALSE;
  int64_t experiment = ho_store_add_experiment(l->store, c->name, c->text, c->digest, c->seed, error);
  if (experiment < 0 || !add_problems(l, error) || !add_schedulers(l, error) || !add_runs(l, error)) return FALSE;
  for (int32_t i = 0; i < c->n_studies; i++) {
    l->layout->study_id[i] = ho_store_add_study(l->store, experiment, c->study[i], c->frame, error);
    if (l->layout->study_id[i] < 0 || !fill_study(l, l->layout->study_id[i], error)) return FALSE;
  }
  return ho_store_finish_layout(l->store, error);
}

typedef enum { LAYOUT_COMMIT, LAYOUT_ROLL_BACK } layout_end;

static ho_layout *lay_out(const ho_experiment *e, ho_store *s, layout_end end, GError **error) {
  g_autoptr(ho_layout) layout = g_new0(ho_layout, 1);
  layout->problem_id = g_new0(int64_t, e->n_problems);
  layout->study_id = g_new0(int64_t, e->config->n_studies);
  layout->run_id = g_new0(int64_t, e->n_runs);
  layout->status = g_new0(ho_run_status, e->n_runs);
  g_autofree int64_t *scheduler_id = g_new0(int64_t, e->n_contenders);
  ho_layer layer = {.e = e, .store = s, .layout = layout, .scheduler_id = scheduler_id};
  if (!ho_store_begin(s, error)) return NULL;
  gboolean fine = add_all(&layer, error);
  if (fine && end == LAYOUT_COMMIT) return ho_store_commit(s, error) ? g_steal_pointer(&layout) : NULL;
  ho_store_rollback(s);
  return fine ? g_steal_pointer(&layout) : NULL;
}

ho_layout *ho_experiment_lay_out(const ho_experiment *e, ho_store *s, GError **error) {
  return lay_out(e, s, LAYOUT_COMMIT, error);
}

ho_layout *ho_experiment_look_up(const ho_experiment *e, ho_store *s, GError **error) {
  return lay_out(e, s, LAYOUT_ROLL_BACK, error);
}

void ho_layout_free(ho_layout *l) {
  if (!l) return;
  g_free(l->problem_id);
  g_free(l->study_id);
  g_free(l->run_id);
  g_free(l->status);
  g_free(l);
}
