/* svg.c: see svg.h. Numbers have two decimals: a hundredth of a pixel is not seen. */
#include "plots/svg.h"

#include <math.h>
#include <string.h>

/* Appends "before", the number without trailing zeros, "after". */
static void number(GString *s, const char *before, double v, const char *after) {
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(buffer, sizeof buffer, "%.2f", v);
  size_t n = strlen(buffer);
  while (buffer[n - 1] == '0') n--;
  if (buffer[n - 1] == '.') n--;
  buffer[n] = 0;
  g_string_append_printf(s, "%s%s%s", before, strcmp(buffer, "-0") ? buffer : "0", after);
}

static void attribute(GString *s, const char *name, double v) {
  g_autofree char *before = g_strdup_printf(" %s=\"", name);
  number(s, before, v, "\"");
}

static void text(GString *s, const char *t) {
  g_autofree char *valid = g_utf8_make_valid(t, -1);
  g_autofree char *escaped = g_markup_escape_text(valid, -1);
  g_string_append(s, escaped);
}

void ho_svg_begin(GString *s, double width, double height, const char *title) {
  g_string_append(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
  attribute(s, "width", width);
  attribute(s, "height", height);
  number(s, " viewBox=\"0 0 ", width, " ");
  number(s, "", height, "\"");
  g_string_append(s, " font-family=\"Helvetica,Arial,'DejaVu Sans',sans-serif\">\n<title>");
  text(s, title);
  g_string_append(s, "</title>\n");
  ho_svg_rect(s, 0, 0, width, height, "#ffffff", NULL);
}

void ho_svg_end(GString *s) {
  g_string_append(s, "</svg>\n");
}

void ho_svg_rect(GString *s, double x, double y, double w, double h, const char *fill, const char *tip) {
  g_string_append(s, "<rect");
  attribute(s, "x", x);
  attribute(s, "y", y);
  attribute(s, "width", w);
  attribute(s, "height", h);
  g_string_append_printf(s, " fill=\"%s\"", fill);
  if (!tip) {
    g_string_append(s, "/>\n");
    return;
  }
  g_string_append(s, "><title>");
  text(s, tip);
  g_string_append(s, "</title></rect>\n");
}

void ho_svg_text(GString *s, double x, double y, double size, ho_svg_anchor anchor, const char *fill, const char *t) {
  const char *const names[] = {"start", "middle", "end"};
  g_string_append(s, "<text");
  attribute(s, "x", x);
  attribute(s, "y", y);
  attribute(s, "font-size", size);
  g_string_append_printf(s, " text-anchor=\"%s\" fill=\"%s\">", names[anchor], fill);
  text(s, t);
  g_string_append(s, "</text>\n");
}

void ho_svg_line(GString *s, double x1, double y1, double x2, double y2, const char *stroke, double width) {
  g_string_append(s, "<line");
  attribute(s, "x1", x1);
  attribute(s, "y1", y1);
  attribute(s, "x2", x2);
  attribute(s, "y2", y2);
  attribute(s, "stroke-width", width);
  g_string_append_printf(s, " stroke=\"%s\"/>\n", stroke);
}

void ho_svg_steps(GString *s, int n, const double *x, const double *y, double right, double base, const char *fill,
                  const char *stroke) {
  if (n < 1) return;
  number(s, "<path d=\"M", x[0], " ");
  number(s, "", base, "");
  for (int i = 0; i < n; i++) {
    number(s, "H", x[i], "");
    number(s, "V", y[i], "");
  }
  number(s, "H", right, "");
  number(s, "V", base, "");
  g_string_append_printf(s, "Z\" fill=\"%s\" stroke=\"%s\" stroke-width=\"0.6\"/>\n", fill, stroke);
}

double ho_nice_step(double range, int most) {
  double step = pow(10, floor(log10(range / most)));
  const double factors[] = {1, 2, 5, 10};
  for (int k = 0; k < 4; k++)
    if (range / (step * factors[k]) <= most) return step * factors[k];
  return step * 10;
}
