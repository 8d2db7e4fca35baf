/* matrix.c: see matrix.h. */
#include "plots/matrix.h"

#include <math.h>

#include "base/units.h"
#include "plots/figure.h"

gboolean ho_matrix_draw(const char *const *name, int n, const double *value, const char *title, const char *const *outputs,
                        char **note, GError **error) {
  g_autoptr(GString) data = g_string_new("# row column value\n"), preamble = g_string_new(NULL);
  double range[2] = {1, 1};
  char buffer[32];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x = value[i * n + j];
      g_string_append_printf(data, "%d %d %s\n", i + 1, j + 1, i == j ? "NaN" : ho_double_text(x, buffer));
      if (i == j) continue;
      range[0] = fmin(range[0], x);
      range[1] = fmax(range[1], x);
    }
  if (!(range[1] > range[0])) range[1] = range[0] * 2; /* all alike: one shade */
  ho_figure_text(preamble, "title_text", title);
  ho_figure_int(preamble, "n", n);
  ho_figure_texts(preamble, "name", n, name);
  g_string_append_printf(preamble, "least = %s\n", ho_double_text(range[0], buffer));
  g_string_append_printf(preamble, "most = %s\n", ho_double_text(range[1], buffer));
  return ho_figure_draw("matrix", outputs, preamble->str, data->str, note, error);
}
