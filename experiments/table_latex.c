/* table_latex.c: the indicator's block as a LaTeX tabular (package booktabs). */
#include <string.h>

#include "experiments/table_study.h"

/* Characters that LaTeX reads as commands. g_free. */
static char *escaped(const char *text) {
  g_autoptr(GString) out = g_string_new(NULL);
  for (const char *c = text; *c; c++) {
    if (*c == '\\')
      g_string_append(out, "\\textbackslash{}");
    else if (*c == '~' || *c == '^')
      g_string_append_printf(out, "\\%c{}", *c);
    else if (strchr("&%$#_{}", *c))
      g_string_append_printf(out, "\\%c", *c);
    else
      g_string_append_c(out, *c);
  }
  return g_string_free(g_steal_pointer(&out), FALSE);
}

static void write_cell(const ho_table_study *t, int32_t row, int32_t column, GString *out) {
  const ho_cell *c = t->cell[row * t->n_columns + column];
  if (!c || c->n_value == 0) {
    g_autofree char *status = ho_table_status(t, row, column);
    g_string_append(out, strcmp(status, "-") == 0 ? "--" : status);
    return;
  }
  g_autofree char *median = ho_table_number(t, c->median);
  g_string_append_printf(out, t->best[row * t->n_columns + column] ? "\\textbf{%s}" : "%s", median);
  if (c->n_value > 1) {
    g_autofree char *range = ho_table_range(t, c);
    g_string_append_printf(out, " $\\pm$ %s", range);
  }
  if (c->n_value < c->n) g_string_append_printf(out, " (%d/%d)", c->n_value, c->n);
}

void ho_table_write_latex(const ho_table_study *t, GString *out) {
  g_string_append_printf(out, "%% study %s, %s", t->study, t->indicator);
  if (t->frame) g_string_append_printf(out, ", frame %s", t->frame);
  g_string_append(out,
                  ": median $\\pm$ interquartile range; bold: best of the row\n"
                  "% \\usepackage{booktabs}\n\\begin{tabular}{l");
  for (int32_t k = 0; k < t->n_columns; k++) g_string_append_c(out, 'r');
  g_string_append(out, "}\n\\toprule\n");
  for (int32_t k = 0; k < t->n_columns; k++) {
    g_autofree char *label = escaped(t->label[k]);
    g_string_append_printf(out, " & %s", label);
  }
  g_string_append(out, " \\\\\n\\midrule\n");
  for (int32_t r = 0; r < t->n_rows; r++) {
    g_autofree char *problem = escaped(t->problem[r]);
    g_string_append(out, problem);
    for (int32_t k = 0; k < t->n_columns; k++) {
      g_string_append(out, " & ");
      write_cell(t, r, k, out);
    }
    g_string_append(out, " \\\\\n");
  }
  g_string_append(out, "\\bottomrule\n\\end{tabular}\n");
  for (int32_t r = 0; r < t->n_rows; r++) {
    if (t->why[r]) g_string_append_printf(out, "%% %s: excluded: %s\n", t->problem[r], t->why[r]);
    if (t->undefined[r]) g_string_append_printf(out, "%% %s: frame undefined: %s\n", t->problem[r], t->undefined[r]);
    if (t->note[r]) g_string_append_printf(out, "%% %s: %s\n", t->problem[r], t->note[r]);
  }
}
