/* check.c: counting what a run would do, and a probe that measures what it costs. See check.h. */
#include "experiments/check.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/fmath.h"
#include "base/units.h"
#include "experiments/run_one.h"
#include "experiments/run_references.h"

#define PROBE_EVALUATIONS 1000
#define PROBE_SECONDS 8.0     /* afterwards the rest is estimated from what was measured */
#define REPLAY_ROW_BYTES 60.0 /* of one noisy replay in the database, indices included */
#define POINT_BYTES 40.0      /* of one point of a checkpoint */

static double now(void) {
  return (double)g_get_monotonic_time() * 1e-6;
}

/* --- counts ------------------------------------------------------------------------------------------------------------------- */

/* Which runs a database holds finished. */
static gboolean find_finished(const ho_experiment *e, const char *database, uint8_t *finished, GError **error) {
  GStatBuf st;
  if (g_stat(database, &st) != 0 || st.st_size == 0) return TRUE;
  g_autoptr(ho_store) s = ho_store_open(database, HO_STORE_WRITE, error);
  if (!s) return FALSE;
  g_autoptr(ho_layout) layout = ho_experiment_look_up(e, s, error);
  if (!layout) return FALSE;
  for (int32_t i = 0; i < e->n_runs; i++)
    finished[i] = layout->status[i] == HO_RUN_DONE || layout->status[i] == HO_RUN_INFEASIBLE;
  return ho_store_close(g_steal_pointer(&s), error);
}

static void count(const ho_experiment *e, const uint8_t *finished, ho_check *k) {
  const ho_config *c = e->config;
  k->runs = e->n_runs;
  for (int32_t i = 0; i < e->n_runs; i++) k->fresh += !finished[i];
  int32_t problems = 0;
  for (int32_t i = 0; i < e->n_problems; i++) {
    const ho_experiment_problem *q = &e->problem[i];
    problems += !q->why;
    if (q->why) g_ptr_array_add(k->excluded, g_strdup_printf("%s (%s)", q->name, q->why));
  }
  k->n_studies = c->n_studies;
  k->study = g_new0(ho_check_study, c->n_studies);
  for (int32_t i = 0; i < c->n_studies; i++)
    k->study[i] = (ho_check_study){
        .name = c->study[i], .problems = problems, .contenders = e->n_contenders, .runs = k->runs, .fresh = k->fresh};
}

/* --- the probe ------------------------------------------------------------------------------------------------------------------ */

/* Estimated cost of one run, per op of its graph when it is to be carried over to another problem. */
typedef struct {
  double seconds, bytes;
} ho_run_cost;

/* How much larger a front will be after `growth` times the evaluations: by the power law through the last two checkpoints. */
static double front_growth(const ho_store_result *r, double growth) {
  if (r->n_checkpoints < 2) return 1;
  const ho_store_checkpoint *a = &r->checkpoints[r->n_checkpoints - 2], *b = a + 1;
  if (a->n == 0 || b->n == 0) return 1;
  double power = ho_log((double)b->n / a->n) / ho_log((double)b->evaluations / (double)a->evaluations);
  return ho_pow(growth, CLAMP(power, 0, 1));
}

/* What a run with its whole budget will take, from one with a little of it. A scheduler that left some of it needs no more. */
static ho_run_cost scale_up(const ho_config *c, const ho_config *small, const ho_store_result *r) {
  double growth = r->evaluations >= small->evaluations ? (double)c->evaluations / (double)small->evaluations : 1;
  double kinds = c->model_error > 0 ? 2 : 1, front = front_growth(r, growth);
  double replays = (1 + kinds * c->replays) / (1 + kinds * small->replays);
  ho_run_cost cost = {.seconds = (r->seconds_scheduler + r->seconds_engine) * growth + r->seconds_replay * replays * front};
  for (int32_t i = 0; i < r->n_plans; i++)
    cost.bytes += front * ((double)strlen(r->plans[i].json) + kinds * c->replays * REPLAY_ROW_BYTES);
  for (int32_t i = 0; i < r->n_checkpoints; i++) cost.bytes += front * r->checkpoints[i].n * POINT_BYTES;
  return cost;
}

static ho_run_cost probe_run(const ho_experiment *e, int32_t run) {
  ho_config small = *e->config;
  small.evaluations = MIN(small.evaluations, PROBE_EVALUATIONS);
  small.checkpoints = MAX(small.checkpoints, 10);
  small.replays = HO_MIN_REPLAYS;
  ho_experiment probe = *e;
  probe.config = &small;
  ho_run_record record;
  ho_run_one(&probe, &e->run[run], &record);
  ho_run_cost cost = scale_up(e->config, &small, &record.result);
  ho_run_record_clear(&record);
  return cost;
}

/* One run of each contender on each problem is probed, until the time is up; replicates cost alike; what was not probed costs what
 * its contender cost per op so far. */
static void estimate(const ho_experiment *e, const uint8_t *finished, ho_check *k) {
  g_autofree ho_run_cost *per_op = g_new0(ho_run_cost, e->n_contenders);
  g_autofree int32_t *probed = g_new0(int32_t, e->n_contenders);
  ho_run_cost cost = {0, 0};
  double start = now(), total = 0, bytes = 0;
  for (int32_t i = 0; i < e->n_runs; i++) {
    const ho_experiment_run *run = &e->run[i];
    if (finished[i]) continue;
    double ops = MAX(e->problem[run->problem].problem.graph->n_ops, 1);
    gboolean same =
        i > 0 && !finished[i - 1] && e->run[i - 1].problem == run->problem && e->run[i - 1].contender == run->contender;
    if (!same && (now() - start < PROBE_SECONDS || probed[run->contender] == 0)) {
      cost = probe_run(e, i);
      per_op[run->contender].seconds += cost.seconds / ops;
      per_op[run->contender].bytes += cost.bytes / ops;
      probed[run->contender]++;
    } else if (!same) {
      cost = (ho_run_cost){per_op[run->contender].seconds / probed[run->contender] * ops,
                           per_op[run->contender].bytes / probed[run->contender] * ops};
    }
    total += cost.seconds;
    bytes += cost.bytes;
  }
  k->probe = now() - start;
  k->seconds = total / MIN(k->jobs, MAX(k->fresh, 1));
  k->bytes = bytes;
}

/* --- public -------------------------------------------------------------------------------------------------------------------------- */

ho_check *ho_experiment_check(const ho_experiment *e, const char *database, int32_t jobs, GError **error) {
  g_autoptr(ho_check) k = g_new0(ho_check, 1);
  k->excluded = g_ptr_array_new_with_free_func(g_free);
  k->warnings = g_ptr_array_new_with_free_func(g_free);
  k->jobs = jobs;
  k->seconds = k->bytes = NAN;
  g_autofree uint8_t *finished = g_new0(uint8_t, e->n_runs);
  if (!find_finished(e, database, finished, error)) return NULL;
  count(e, finished, k);
  for (int32_t q = 0; q < e->n_problems; q++)
    if (!e->problem[q].why && !ho_reference_warnings(e, q, k->warnings, error)) return NULL;
  if (k->fresh > 0) {
    estimate(e, finished, k);
    GStatBuf st;
    if (g_stat(database, &st) == 0) k->bytes += (double)st.st_size;
  }
  return g_steal_pointer(&k);
}

void ho_check_free(ho_check *k) {
  if (!k) return;
  g_free(k->study);
  g_ptr_array_unref(k->excluded);
  g_ptr_array_unref(k->warnings);
  g_free(k);
}

char *ho_check_text(const ho_check *k) {
  g_autoptr(GString) out = g_string_new(NULL);
  int width = 5;
  for (int32_t i = 0; i < k->n_studies; i++) width = MAX(width, (int)g_utf8_strlen(k->study[i].name, -1));
  g_string_append_printf(out, "%-*s  problems  schedulers  runs     new\n", width, "study");
  for (int32_t i = 0; i < k->n_studies; i++) {
    const ho_check_study *s = &k->study[i];
    g_string_append_printf(out, "%-*s  %-8d  %-10d  %-7d  %d\n", width, s->name, s->problems, s->contenders, s->runs, s->fresh);
  }
  for (guint i = 0; i < k->excluded->len; i++) g_string_append_printf(out, "excluded: %s\n", (char *)k->excluded->pdata[i]);
  if (k->n_studies > 1) g_string_append(out, "studies share their runs: each is made once\n");
  if (k->fresh > 0) {
    g_autofree char *size = ho_unit_format(k->bytes, HO_UNIT_BYTES);
    g_autofree char *time =
        k->seconds < 120 ? g_strdup_printf("%.0f s", ceil(k->seconds)) : g_strdup_printf("%.0f min", ceil(k->seconds / 60));
    g_string_append_printf(out, "%d runs, %d new · about %s on %d job%s (from a probe of %.0f s) · database about %s\n", k->runs,
                           k->fresh, time, k->jobs, k->jobs == 1 ? "" : "s", ceil(k->probe), size);
  } else {
    g_string_append_printf(out, "%d runs, all of them in the database\n", k->runs);
  }
  for (guint i = 0; i < k->warnings->len; i++) g_string_append_printf(out, "warning: %s\n", (char *)k->warnings->pdata[i]);
  return g_string_free(g_steal_pointer(&out), FALSE);
}

static json_t *texts_to_json(const GPtrArray *texts) {
  json_t *a = json_array();
  for (guint i = 0; i < texts->len; i++) json_array_append_new(a, json_string(texts->pdata[i]));
  return a;
}

json_t *ho_check_json(const ho_check *k) {
  json_t *o = json_object(), *studies = json_array();
  for (int32_t i = 0; i < k->n_studies; i++) {
    const ho_check_study *s = &k->study[i];
    json_t *x = json_object();
    json_object_set_new(x, "name", json_string(s->name));
    json_object_set_new(x, "problems", json_integer(s->problems));
    json_object_set_new(x, "schedulers", json_integer(s->contenders));
    json_object_set_new(x, "runs", json_integer(s->runs));
    json_object_set_new(x, "new", json_integer(s->fresh));
    json_array_append_new(studies, x);
  }
  json_object_set_new(o, "studies", studies);
  json_object_set_new(o, "runs", json_integer(k->runs));
  json_object_set_new(o, "new", json_integer(k->fresh));
  json_object_set_new(o, "excluded", texts_to_json(k->excluded));
  json_object_set_new(o, "warnings", texts_to_json(k->warnings));
  json_object_set_new(o, "jobs", json_integer(k->jobs));
  json_object_set_new(o, "seconds", k->fresh > 0 ? json_real(k->seconds) : json_null());
  json_object_set_new(o, "bytes", k->fresh > 0 ? json_real(k->bytes) : json_null());
  return o;
}
