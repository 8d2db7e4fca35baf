/* check.h: what a run of an experiment would do, without doing it: counts, exclusions, infeasible references, time and size. */
#ifndef HO_EXPERIMENTS_CHECK_H
#define HO_EXPERIMENTS_CHECK_H

#include <jansson.h>

#include "experiments/expand.h"

G_BEGIN_DECLS

typedef struct {
  const char *name;
  int32_t problems, contenders, runs;
  int32_t fresh; /* runs that the database does not hold finished */
} ho_check_study;

typedef struct {
  int32_t n_studies;
  ho_check_study *study;
  int32_t runs, fresh;
  GPtrArray *excluded; /* char*: "name (reason)" */
  GPtrArray *warnings; /* char*: references that are infeasible, with what the frame then does */
  double probe;        /* s spent measuring */
  double seconds;      /* estimate for all that is fresh on `jobs` threads; NAN: nothing is */
  double bytes;        /* estimate of the database's size after it; NAN likewise */
  int32_t jobs;
} ho_check;

/* `database`: a file that need not exist; it is not changed. Takes a few seconds: the cheapest way to know how long something takes
 * is to do a little of it. */
ho_check *ho_experiment_check(const ho_experiment *e, const char *database, int32_t jobs, GError **error);
void ho_check_free(ho_check *k); /* NULL is allowed */

char *ho_check_text(const ho_check *k); /* for people; g_free */
json_t *ho_check_json(const ho_check *k);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_check, ho_check_free)

G_END_DECLS

#endif
