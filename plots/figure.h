/* figure.h: a figure drawn by gnuplot, with its data and its script beside it.
 *
 * For outputs FOLDER/NAME.pdf, FOLDER/NAME.png … there are then also FOLDER/NAME.dat and FOLDER/NAME.gp: what the user edits and runs again.
 * The script is a preamble of assignments and a copy of the template plots/KIND.gp. Templates are looked for in
 * $HETEROOPT_DATA/plots, then where the project was installed, then in the source tree it was built from. The same data gives the same
 * bytes: the date that PDF files carry is set to a fixed one. */
#ifndef HO_PLOTS_FIGURE_H
#define HO_PLOTS_FIGURE_H

#include <glib.h>

G_BEGIN_DECLS

/* Draws `outputs` (NULL-terminated; all of one folder and name, ending in .pdf, .png or .svg). Without gnuplot data and script are
 * written all the same, and *note says so (g_free; else NULL). */
gboolean ho_figure_draw(const char *kind, const char *const *outputs, const char *preamble, const char *data, char **note,
                        GError **error);

/* Appends `name = "text"` / `array name[n] = [ … ]` in gnuplot's syntax. */
void ho_figure_text(GString *preamble, const char *name, const char *text);
void ho_figure_int(GString *preamble, const char *name, int value);
void ho_figure_texts(GString *preamble, const char *name, int n, const char *const *texts);
void ho_figure_numbers(GString *preamble, const char *name, int n, const double *values);

/* A factor from SI to a readable unit for values up to `largest`, and the unit's name: 1e3 and "ms". Static text. */
typedef enum { HO_AXIS_SECONDS, HO_AXIS_JOULES, HO_AXIS_BYTES } ho_axis_unit;
double ho_axis_scale(ho_axis_unit unit, double largest, const char **name);

G_END_DECLS

#endif
