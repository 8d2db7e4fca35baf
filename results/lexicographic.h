/* lexicographic.h: rows of objectives in lexicographic order, ties by index. Private to results/. */
#ifndef HO_RESULTS_LEXICOGRAPHIC_H
#define HO_RESULTS_LEXICOGRAPHIC_H

#include <stdint.h>

typedef struct {
  const double *v; /* the row */
  int32_t d, index;
} ho_lex_row;

/* n ≥ 0 rows of d objectives; points into `points`. Caller frees with g_free. */
ho_lex_row *ho_lex_sorted(const double *points, int32_t n, int32_t d);

#endif
