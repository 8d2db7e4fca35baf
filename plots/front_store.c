/* front_store.c: fronts out of a results database: which points, which replicate, which reference. See front.h. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "plots/front.h"
#include "results/store_query.h"

/* What a study says about one label. */
typedef struct {
  const char *label;
  gboolean single;
  int32_t replicates; /* most runs of one problem */
} contender;

static GArray *read_contenders(ho_store *s, const char *study, GPtrArray *labels, GError **error) {
  g_autoptr(GPtrArray) rows = ho_store_results(s, study, error);
  if (!rows) return NULL;
  GArray *all = g_array_new(FALSE, TRUE, sizeof(contender));
  for (guint i = 0; i < labels->len; i++) {
    contender c = {.label = g_ptr_array_index(labels, i)};
    for (guint k = 0; k < rows->len; k++) {
      const ho_result_row *r = g_ptr_array_index(rows, k);
      if (strcmp(r->scheduler, c.label)) continue;
      c.single = r->single != 0;
      c.replicates = MAX(c.replicates, r->replicate + 1);
    }
    g_array_append_val(all, c);
  }
  return all;
}

/* The replicate whose hypervolume is the (lower) median, or -1 when none has a value: then the first that has points is drawn. */
static int32_t median_replicate(const GPtrArray *cells, const char *problem, const char *label) {
  for (guint i = 0; cells && i < cells->len; i++) {
    const ho_cell *c = g_ptr_array_index(cells, i);
    if (strcmp(c->problem, problem) || strcmp(c->scheduler, label)) continue;
    for (int32_t k = 0; k < c->n_value; k++) {
      int32_t below = 0;
      for (int32_t m = 0; m < c->n_value; m++) below += c->values[m] < c->values[k] || (c->values[m] == c->values[k] && m < k);
      if (below == (c->n_value - 1) / 2) return c->replicates[k];
    }
  }
  return -1;
}

static void add_points(ho_front_problem *q, guint series, const GPtrArray *points, const char *label, int32_t replicate) {
  GArray *out = g_ptr_array_index(q->points, series);
  for (guint i = 0; i < points->len; i++) {
    const ho_front_point *p = g_ptr_array_index(points, i);
    if (strcmp(p->scheduler, label)) continue;
    if (replicate < 0) replicate = p->replicate;
    if (p->replicate == replicate) g_array_append_vals(out, p->value, HO_N_OBJECTIVES);
  }
}

/* Reference, objectives and points of one problem; a problem without points is taken out again. */
static gboolean add_problem(ho_front_figure *f, ho_store *s, const char *study, const char *name, const GArray *contenders,
                            const GPtrArray *cells, GError **error) {
  g_autoptr(GPtrArray) points = ho_store_final_fronts(s, study, name, error);
  if (!points) return FALSE;
  if (!points->len) return TRUE;
  ho_front_problem *q = ho_front_figure_add_problem(f, name);
  q->n_objectives = ho_store_objectives(s, study, name, q->objective, error);
  if (q->n_objectives < 0 || !ho_store_measure(s, study, name, &q->measure, error)) return FALSE;
  ho_frame frame;
  if (ho_store_frame(s, study, name, NULL, &frame, NULL) && frame.defined && frame.kind != HO_FRAME_ABSOLUTE)
    for (int32_t k = 0; k < q->n_objectives; k++)
      if (!frame.dropped[k]) q->reference[q->objective[k]] = frame.reference[k];
  for (guint i = 0; i < contenders->len; i++) {
    const char *label = g_array_index(contenders, contender, i).label;
    add_points(q, i, points, label, median_replicate(cells, name, label));
  }
  return TRUE;
}

static gboolean matches(const char *name, const char *wanted) {
  if (!wanted) return TRUE;
  return strpbrk(wanted, "*?") ? g_pattern_match_simple(wanted, name) : strstr(name, wanted) != NULL;
}

static gboolean fill(ho_front_figure *f, ho_store *s, const char *study, const char *problem, GPtrArray *labels, GError **error) {
  g_autoptr(GPtrArray) problems = ho_store_problems(s, study, error);
  g_autoptr(GArray) contenders = problems ? read_contenders(s, study, labels, error) : NULL;
  if (!contenders) return FALSE;
  g_autoptr(GPtrArray) cells = ho_store_cells(s, study, NULL, "hv", NULL); /* without a frame: no median, no staircase's end */
  for (guint i = 0; i < contenders->len; i++) {
    const contender *c = &g_array_index(contenders, contender, i);
    g_autofree char *text =
        c->replicates > 1 ? g_strdup_printf("%s (median of %d)", c->label, c->replicates) : g_strdup(c->label);
    ho_front_figure_add_series(f, text, c->single);
  }
  gboolean any = FALSE;
  for (guint i = 0; i < problems->len; i++) {
    const char *name = g_ptr_array_index(problems, i);
    if (!matches(name, problem)) continue;
    any = TRUE;
    if (!add_problem(f, s, study, name, contenders, cells, error)) return FALSE;
  }
  if (!any && problem)
    return ho_fail(error, HO_ERROR_INPUT, "%s: no problem of study '%s' matches '%s'", ho_store_file(s), study, problem);
  if (!f->problems->len)
    return ho_fail(error, HO_ERROR_INPUT, "%s: study '%s' has no finished run to draw", ho_store_file(s), study);
  return TRUE;
}

ho_front_figure *ho_front_from_store(ho_store *s, const char *study, const char *problem, GError **error) {
  g_autoptr(GPtrArray) studies = ho_store_studies(s, error);
  if (!studies) return NULL;
  if (!study && !studies->len) {
    ho_fail(error, HO_ERROR_INPUT, "%s: holds no study", ho_store_file(s));
    return NULL;
  }
  const char *chosen = study ? study : g_ptr_array_index(studies, 0);
  g_autoptr(GPtrArray) labels = ho_store_labels(s, chosen, error);
  if (!labels) return NULL;
  g_autoptr(ho_front_figure) f = ho_front_figure_new();
  return fill(f, s, chosen, problem, labels, error) ? g_steal_pointer(&f) : NULL;
}
