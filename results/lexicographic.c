/* lexicographic.c: see lexicographic.h. */
#include "results/lexicographic.h"

#include <glib.h>
#include <stdlib.h>

static int by_objectives(const void *a, const void *b) {
  const ho_lex_row *p = a, *q = b;
  for (int32_t k = 0; k < p->d; k++)
    if (p->v[k] != q->v[k]) return p->v[k] < q->v[k] ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

ho_lex_row *ho_lex_sorted(const double *points, int32_t n, int32_t d) {
  ho_lex_row *row = g_new(ho_lex_row, MAX(n, 1));
  for (int32_t i = 0; i < n; i++) row[i] = (ho_lex_row){points + (int64_t)i * d, d, i};
  qsort(row, (size_t)n, sizeof *row, by_objectives);
  return row;
}
