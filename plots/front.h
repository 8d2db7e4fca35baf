/* front.h: Pareto fronts as a figure for a paper: a row of panels per problem, a panel per pair of objectives.
 *
 * Every scheduler has a marker and a colour of its own. One that leaves a single plan is a filled marker; one that leaves a front is open
 * markers and the staircase of what it attains up to the reference point of the problem's frame. Of several replicates the
 * one of median hypervolume is drawn, and the legend says so. */
#ifndef HO_PLOTS_FRONT_H
#define HO_PLOTS_FRONT_H

#include "results/store.h"

G_BEGIN_DECLS

/* What is drawn. `value`: one row of HO_N_OBJECTIVES per point, by ho_objective, NAN where it is none. */
typedef struct {
  char *name;
  int32_t n_objectives;
  ho_objective objective[HO_MAX_OBJECTIVES];
  ho_memory_measure measure;
  double reference[HO_N_OBJECTIVES]; /* NAN: none */
  GPtrArray *points;                 /* per series: GArray of double, HO_N_OBJECTIVES each */
} ho_front_problem;

typedef struct {
  char *label;
  gboolean single; /* leaves one plan */
} ho_front_series;

typedef struct {
  GPtrArray *problems; /* ho_front_problem* */
  GPtrArray *series;   /* ho_front_series* */
} ho_front_figure;

ho_front_figure *ho_front_figure_new(void);
void ho_front_figure_free(ho_front_figure *f);
void ho_front_figure_add_series(ho_front_figure *f, const char *label, gboolean single); /* before any problem */
/* Adds a problem without points and without a reference. */
ho_front_problem *ho_front_figure_add_problem(ho_front_figure *f, const char *name);

/* Draws. All problems must have the same objectives. `outputs` and `note`: as for ho_figure_draw. */
gboolean ho_front_draw(const ho_front_figure *f, const char *const *outputs, char **note, GError **error);

/* The fronts of one study of a database (NULL: its first one). `problem` NULL: all; else those whose name holds that text, or matches it when it has
 * a * or ?. A problem without any point is left out. */
ho_front_figure *ho_front_from_store(ho_store *s, const char *study, const char *problem, GError **error);

/* The plans of a heteroopt-front/1 file. */
ho_front_figure *ho_front_from_file(const char *file, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_front_figure, ho_front_figure_free)

G_END_DECLS

#endif
