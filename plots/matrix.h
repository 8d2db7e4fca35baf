/* matrix.h: a number for every pair of schedulers, drawn as a matrix: rows against columns, in logarithmic shades. */
#ifndef HO_PLOTS_MATRIX_H
#define HO_PLOTS_MATRIX_H

#include <glib.h>

G_BEGIN_DECLS

/* value: n × n, > 0; the diagonal is not drawn. `outputs` and `note`: as for ho_figure_draw. */
gboolean ho_matrix_draw(const char *const *name, int n, const double *value, const char *title, const char *const *outputs,
                        char **note, GError **error);

G_END_DECLS

#endif
