/* svg.h: the few SVG elements that our pictures need, appended to a string. Coordinates are pixels. */
#ifndef HO_PLOTS_SVG_H
#define HO_PLOTS_SVG_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum { HO_SVG_LEFT, HO_SVG_MIDDLE, HO_SVG_RIGHT } ho_svg_anchor;

void ho_svg_begin(GString *s, double width, double height, const char *title);
void ho_svg_end(GString *s);

/* `tip` NULL: none; it is what a browser shows when the pointer rests there. */
void ho_svg_rect(GString *s, double x, double y, double w, double h, const char *fill, const char *tip);
void ho_svg_text(GString *s, double x, double y, double size, ho_svg_anchor anchor, const char *fill, const char *text);
void ho_svg_line(GString *s, double x1, double y1, double x2, double y2, const char *stroke, double width);
/* A filled step curve of n points (x[i], y[i]) from (x[0], base) to (right, base). */
void ho_svg_steps(GString *s, int n, const double *x, const double *y, double right, double base, const char *fill,
                  const char *stroke);

/* A round step (1, 2 or 5 times a power of ten) that cuts `range` into at most `most` parts. */
double ho_nice_step(double range, int most);

G_END_DECLS

#endif
