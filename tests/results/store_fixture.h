/* store_fixture.h: a small experiment to fill a database with: two problems, a deterministic and a seeded scheduler, replicates. */
#ifndef HO_TEST_STORE_FIXTURE_H
#define HO_TEST_STORE_FIXTURE_H

#include "results/store.h"

#define FIXTURE_MAX_RUNS 64

typedef struct {
  int64_t experiment, study, problem[2], scheduler[2];
  int32_t n_runs;
  int64_t run[FIXTURE_MAX_RUNS]; /* in order of id */
} fixture;

/* A new empty folder; remove with remove_folder, which frees the name. */
char *make_folder(void);
void remove_folder(char *folder);

/* Nothing here asserts, so that it can run in a process of its own: FALSE with the error. */
gboolean lay_out(ho_store *s, fixture *f, int32_t replicates, GError **error);
/* Claims a run and finishes it with results that depend on its id alone: three plans (the last dominated), five noisy replays each,
 * two checkpoints. A run that is finished already is left alone. */
gboolean compute_run(ho_store *s, int64_t run_id, GError **error);
/* References and figures of both problems. */
gboolean put_references(ho_store *s, const fixture *f, GError **error);

/* All rows of all tables and views, measured columns left out: what must not depend on jobs, order or interruptions. g_free. */
char *dump_content(const char *file);
/* One number out of SQL over the file. */
int64_t sql_number(const char *file, const char *sql);
char *sql_text(const char *file, const char *sql);

#endif
