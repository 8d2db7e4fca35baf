/* sizes.h: a distribution of the sizes that a symbolic dimension takes, and buckets over it.
 *
 * Texts: "64,128*3,512" (values, with weights behind '*'), "16..512/16" (a range and its step, 1 when left out, all alike), or a file,
 * "lengths.csv", with a value and a weight per line (comma or blank between; '#' begins a comment). Weights are made to add up to one.
 *
 * Buckets are given by their upper edges: a size belongs to the first edge that is not below it, and is padded up to it. */
#ifndef HO_MODELS_SIZES_H
#define HO_MODELS_SIZES_H

#include <glib.h>

G_BEGIN_DECLS

#define HO_SIZES_MOST 4096 /* distinct values */

typedef struct {
  int32_t n;
  int64_t *value; /* increasing, ≥ 1 */
  double *weight; /* > 0; they add up to one */
} ho_sizes;

/* NULL with an error that says place, what was found and what was expected. */
ho_sizes *ho_sizes_parse(const char *text, GError **error);
void ho_sizes_free(ho_sizes *s); /* NULL is allowed */

/* The k upper edges, increasing, out of the values, with the least expected padding Σ weight · (edge - value); ties: the lower edges. By
 * dynamic programming in O(k · n²). k is at most n. Caller frees. */
int64_t *ho_sizes_edges(const ho_sizes *s, int32_t k);
double ho_sizes_padding(const ho_sizes *s, const int64_t *edges, int32_t k); /* that sum */
/* The bucket of a size; -1: it is above the last edge. */
int32_t ho_sizes_bucket(const int64_t *edges, int32_t k, int64_t value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_sizes, ho_sizes_free)

G_END_DECLS

#endif
