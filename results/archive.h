/* archive.h: the non-dominated plans seen so far.
 *
 * All objectives are minimised. a dominates b when it is no worse in all and better in one; of two points equal in every
 * objective the first stays (Zitzler et al., IEEE TEC 7(2), 2003, table I). Unbounded. Points with a NaN or an infinity are refused. */
#ifndef HO_RESULTS_ARCHIVE_H
#define HO_RESULTS_ARCHIVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ho_archive ho_archive;

/* `drop`, when not NULL, frees the payload of a point that is dominated or left over. */
ho_archive *ho_archive_new(int32_t n_objectives, void (*drop)(void *payload));
void ho_archive_free(ho_archive *a);

/* 1 when it was added (the archive then owns `payload`), 0 when a point dominates or equals it (the caller still owns it). */
int ho_archive_add(ho_archive *a, const double *objectives, void *payload);
/* Whether add would accept. */
int ho_archive_accepts(const ho_archive *a, const double *objectives);

int32_t ho_archive_size(const ho_archive *a);
/* Sorts by objectives lexicographically: the order of everything that is printed or stored. */
void ho_archive_sort(ho_archive *a);
const double *ho_archive_objectives(const ho_archive *a, int32_t i);
void *ho_archive_payload(const ho_archive *a, int32_t i);

/* Non-dominated mask of n points of d objectives (row-major): keep[i] = 1 when nothing dominates point i and no earlier point
 * equals it. */
void ho_nondominated(const double *points, int32_t n, int32_t d, uint8_t *keep);
/* Fronts by repeated removal, 0 the best; equal points share a rank (Deb et al., IEEE TEC 6(2), 2002, III A). */
void ho_nondominated_ranks(const double *points, int32_t n, int32_t d, int32_t *rank);

#ifdef __cplusplus
}
#endif

#endif
