/* front.c: see front.h. The look is in front.gp; here are the data, the units and the ranges. */
#include "plots/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fmath.h"
#include "base/units.h"
#include "plots/figure.h"

#define N_NUMBERS 10
#define LEAST_SPAN 0.05 /* of the largest value: smaller differences are not worth a magnifying glass */
#define DOTTED 3.0      /* gnuplot's dash type */
#define LOG_FROM 12.0   /* an axis whose largest value is this many times the least is logarithmic */

/* --- the figure as a value -------------------------------------------------------------------------------------------------- */
static void free_problem(void *p) {
  ho_front_problem *q = p;
  g_free(q->name);
  g_ptr_array_unref(q->points);
  g_free(q);
}

static void free_series(void *p) {
  ho_front_series *s = p;
  g_free(s->label);
  g_free(s);
}

ho_front_figure *ho_front_figure_new(void) {
  ho_front_figure *f = g_new0(ho_front_figure, 1);
  f->problems = g_ptr_array_new_with_free_func(free_problem);
  f->series = g_ptr_array_new_with_free_func(free_series);
  return f;
}

void ho_front_figure_free(ho_front_figure *f) {
  if (!f) return;
  g_ptr_array_unref(f->problems);
  g_ptr_array_unref(f->series);
  g_free(f);
}

void ho_front_figure_add_series(ho_front_figure *f, const char *label, gboolean single) {
  ho_front_series *s = g_new0(ho_front_series, 1);
  s->label = g_strdup(label);
  s->single = single;
  g_ptr_array_add(f->series, s);
}

ho_front_problem *ho_front_figure_add_problem(ho_front_figure *f, const char *name) {
  ho_front_problem *q = g_new0(ho_front_problem, 1);
  q->name = g_strdup(name);
  q->points = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  for (guint s = 0; s < f->series->len; s++) g_ptr_array_add(q->points, g_array_new(FALSE, FALSE, sizeof(double)));
  for (int k = 0; k < HO_N_OBJECTIVES; k++) q->reference[k] = NAN;
  g_ptr_array_add(f->problems, q);
  return q;
}

static int32_t count(const ho_front_problem *q, guint series) {
  return (int32_t)(((GArray *)g_ptr_array_index(q->points, series))->len / HO_N_OBJECTIVES);
}

static double value(const ho_front_problem *q, guint series, int32_t i, ho_objective k) {
  return g_array_index((GArray *)g_ptr_array_index(q->points, series), double, (guint)i *HO_N_OBJECTIVES + k);
}

/* --- axes ------------------------------------------------------------------------------------------------------------------- */
typedef struct {
  char *label;
  double scale;     /* SI to the label's unit */
  double low, high; /* SI: what the axis shows */
  double reference; /* SI; NAN: none, or outside */
  gboolean log;
} axis;

/* The points set the range; the reference stretches it by at most a third, so that a far one does not flatten the picture. */
static axis axis_of(const ho_front_problem *q, guint n_series, ho_objective k) {
  axis a = {.low = INFINITY, .high = -INFINITY};
  for (guint s = 0; s < n_series; s++)
    for (int32_t i = 0; i < count(q, s); i++) {
      a.low = fmin(a.low, value(q, s, i, k));
      a.high = fmax(a.high, value(q, s, i, k));
    }
  if (!(a.low <= a.high)) a.low = 0, a.high = 1;
  a.log = a.low > 0 && a.high > a.low * LOG_FROM;
  if (a.log) {
    double stretch = ho_pow(a.high / a.low, 0.07);
    double reference = fmin(q->reference[k], a.high * ho_pow(a.high / a.low, 0.33));
    a.high = fmax(a.high * stretch, isnan(q->reference[k]) ? 0 : reference);
    a.low /= stretch;
  } else {
    double span = fmax(a.high - a.low, a.high > 0 ? a.high * LEAST_SPAN : 1), middle = (a.low + a.high) / 2;
    double reference = fmin(q->reference[k], a.high + span / 3);
    a.high = fmax(middle + 0.57 * span, isnan(q->reference[k]) ? -INFINITY : reference);
    a.low = fmax(middle - 0.57 * span, 0);
  }
  a.reference = q->reference[k] <= a.high && q->reference[k] >= a.low ? q->reference[k] : NAN;
  const char *unit = NULL;
  if (k == HO_OBJECTIVE_MEMORY && q->measure == HO_MEMORY_TIGHTEST) {
    a.scale = 100;
    a.label = g_strdup("peak memory (%)"); /* of the tightest memory's capacity */
  } else {
    a.scale = ho_axis_scale(k == HO_OBJECTIVE_LATENCY  ? HO_AXIS_SECONDS
                            : k == HO_OBJECTIVE_ENERGY ? HO_AXIS_JOULES
                                                       : HO_AXIS_BYTES,
                            a.high, &unit);
    a.label = g_strdup_printf("%s (%s)", k == HO_OBJECTIVE_MEMORY ? "peak memory" : ho_objective_name(k), unit);
  }
  return a;
}

/* --- data ------------------------------------------------------------------------------------------------------------------- */
static void pair(GString *data, double x, double y) {
  char a[32], b[32];
  g_string_append_printf(data, "%s %s\n", ho_double_text(x, a), ho_double_text(y, b));
}

static int by_x(const void *a, const void *b) {
  const double *p = a, *q = b;
  if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
  return (p[1] > q[1]) - (p[1] < q[1]);
}

/* Two blocks of one series in one panel: its points, and the corners of its staircase from the top to the right edge. */
static void add_blocks(GString *data, const ho_front_problem *q, guint s, ho_objective kx, ho_objective ky, const axis *x,
                       const axis *y) {
  int32_t n = count(q, s);
  g_autofree double *v = g_new(double, 2 * (size_t)n + 2);
  for (int32_t i = 0; i < n; i++) {
    v[2 * i] = value(q, s, i, kx);
    v[2 * i + 1] = value(q, s, i, ky);
  }
  qsort(v, (size_t)n, 2 * sizeof *v, by_x);
  for (int32_t i = 0; i < n; i++) pair(data, v[2 * i], v[2 * i + 1]);
  g_string_append(data, n ? "\n\n" : "NaN NaN\n\n\n");
  double right = isnan(q->reference[kx]) ? x->high : fmin(q->reference[kx], x->high);
  double top = isnan(q->reference[ky]) ? y->high : fmin(q->reference[ky], y->high);
  double least = INFINITY;
  for (int32_t i = 0; i < n; i++) {
    if (v[2 * i + 1] >= least || v[2 * i] > right || v[2 * i + 1] > top) continue;
    if (least == INFINITY) pair(data, v[2 * i], top);
    least = v[2 * i + 1];
    pair(data, v[2 * i], least);
  }
  if (least < INFINITY) pair(data, right, least);
  g_string_append(data, least < INFINITY ? "\n\n" : "NaN NaN\n\n\n");
}

/* Everything that is one value per problem and panel. */
typedef struct {
  int n;
  GPtrArray *xlabel, *ylabel;
  GArray *number[N_NUMBERS];
} panels;

static const char *const number_names[N_NUMBERS] = {"xscale", "yscale", "xmin", "xmax", "ymin",
                                                    "ymax",   "xlog",   "ylog", "xref", "yref"};

static void add_panel(panels *p, const axis *x, const axis *y) {
  const double v[N_NUMBERS] = {
      x->scale, y->scale, x->low * x->scale,       x->high * x->scale,     y->low * y->scale, y->high * y->scale,
      x->log,   y->log,   x->reference * x->scale, y->reference * y->scale};
  for (int i = 0; i < N_NUMBERS; i++) g_array_append_val(p->number[i], v[i]);
  g_ptr_array_add(p->xlabel, g_strdup(x->label));
  g_ptr_array_add(p->ylabel, g_strdup(y->label));
  p->n++;
}

static void add_problem(GString *data, panels *p, const ho_front_problem *q, guint n_series) {
  axis a[HO_MAX_OBJECTIVES];
  for (int32_t k = 0; k < q->n_objectives; k++) a[k] = axis_of(q, n_series, q->objective[k]);
  for (int32_t i = 0; i < q->n_objectives; i++)
    for (int32_t j = i + 1; j < q->n_objectives; j++) {
      add_panel(p, &a[i], &a[j]);
      g_string_append_printf(data, "# %s: %s, %s (SI units; per series: points, then staircase)\n", q->name,
                             ho_objective_name(q->objective[i]), ho_objective_name(q->objective[j]));
      for (guint s = 0; s < n_series; s++) add_blocks(data, q, s, q->objective[i], q->objective[j], &a[i], &a[j]);
    }
  for (int32_t k = 0; k < q->n_objectives; k++) g_free(a[k].label);
}

static void add_panels(GString *preamble, const panels *p) {
  ho_figure_texts(preamble, "xlabel", p->n, (const char *const *)p->xlabel->pdata);
  ho_figure_texts(preamble, "ylabel", p->n, (const char *const *)p->ylabel->pdata);
  for (int i = 0; i < N_NUMBERS; i++)
    ho_figure_numbers(preamble, number_names[i], p->n, (const double *)(const void *)p->number[i]->data);
}

/* Marker and colour of each series: filled for single plans, open for fronts; Okabe & Ito's colours without yellow, then greys. */
static void add_series(GString *preamble, const ho_front_figure *f) {
  static const char *const palette[] = {"#000000", "#d55e00", "#009e73", "#0072b2", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"};
  static const double filled[] = {5, 9, 13, 11, 7, 15}, open[] = {6, 8, 12, 4, 10, 14, 1, 2};
  static const double front_dash[] = {1, 2, 4}; /* solid, dashed, dash and dot: their colours may be one grey in print */
  int n = (int)f->series->len, singles = 0, fronts = 0;
  g_autofree const char **label = g_new0(const char *, (size_t)n + 1);
  g_autofree const char **colour = g_new0(const char *, (size_t)n + 1);
  g_autofree double *marker = g_new0(double, (size_t)n + 1);
  g_autofree double *lines = g_new0(double, (size_t)n + 1);
  g_autofree double *dash = g_new0(double, (size_t)n + 1);
  for (int i = 0; i < n; i++) {
    const ho_front_series *s = g_ptr_array_index(f->series, (guint)i);
    label[i] = s->label;
    colour[i] = palette[(size_t)i % G_N_ELEMENTS(palette)];
    marker[i] = s->single ? filled[(size_t)singles++ % G_N_ELEMENTS(filled)] : open[(size_t)fronts++ % G_N_ELEMENTS(open)];
    lines[i] = !s->single;
    dash[i] = s->single ? DOTTED : front_dash[(size_t)(fronts - 1) % G_N_ELEMENTS(front_dash)];
  }
  ho_figure_texts(preamble, "series", n, label);
  ho_figure_texts(preamble, "colour", n, colour);
  ho_figure_numbers(preamble, "marker", n, marker);
  ho_figure_numbers(preamble, "lines", n, lines);
  ho_figure_numbers(preamble, "dash", n, dash);
}

static gboolean check_same_objectives(const ho_front_figure *f, GError **error) {
  if (!f->problems->len) return ho_fail(error, HO_ERROR_INPUT, "there is no point to draw");
  const ho_front_problem *first = g_ptr_array_index(f->problems, 0);
  if (first->n_objectives < 2) return ho_fail(error, HO_ERROR_INPUT, "%s: one objective has no front to draw", first->name);
  for (guint p = 1; p < f->problems->len; p++) {
    const ho_front_problem *q = g_ptr_array_index(f->problems, p);
    if (q->n_objectives != first->n_objectives ||
        memcmp(q->objective, first->objective, sizeof q->objective[0] * (size_t)q->n_objectives))
      return ho_fail(error, HO_ERROR_INPUT, "%s and %s have different objectives: draw them one by one", first->name, q->name);
  }
  return TRUE;
}

gboolean ho_front_draw(const ho_front_figure *f, const char *const *outputs, char **note, GError **error) {
  if (!check_same_objectives(f, error)) return FALSE;
  g_autoptr(GString) preamble = g_string_new(NULL);
  g_autoptr(GString) data = g_string_new(NULL);
  panels p = {.xlabel = g_ptr_array_new_with_free_func(g_free), .ylabel = g_ptr_array_new_with_free_func(g_free)};
  for (int i = 0; i < N_NUMBERS; i++) p.number[i] = g_array_new(FALSE, FALSE, sizeof(double));
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < f->problems->len; i++) {
    ho_front_problem *q = g_ptr_array_index(f->problems, i);
    g_ptr_array_add(names, q->name);
    add_problem(data, &p, q, f->series->len);
  }
  ho_figure_int(preamble, "n_problems", (int)f->problems->len);
  ho_figure_int(preamble, "n_panels", p.n / (int)f->problems->len);
  ho_figure_int(preamble, "n_series", (int)f->series->len);
  ho_figure_texts(preamble, "problem", (int)names->len, (const char *const *)names->pdata);
  add_panels(preamble, &p);
  add_series(preamble, f);
  gboolean ok = ho_figure_draw("front", outputs, preamble->str, data->str, note, error);
  for (int i = 0; i < N_NUMBERS; i++) g_array_unref(p.number[i]);
  g_ptr_array_unref(p.xlabel);
  g_ptr_array_unref(p.ylabel);
  return ok;
}
