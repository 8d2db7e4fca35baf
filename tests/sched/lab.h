/* lab.h: problems for tests of schedulers and of the estimate, and runs on them. */
#ifndef HO_TESTS_SCHED_LAB_H
#define HO_TESTS_SCHED_LAB_H

#include "hwprofiles/platform_yaml.h"
#include "models/source.h"
#include "sched/search.h"
#include "sim/estimate.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

typedef struct {
  ho_graph *graph;
  ho_platform *platform;
  ho_cost *cost;
  ho_problem problem;
  GPtrArray *options; /* of the runs on it: a search keeps a pointer to its options */
} lab;

/* From a graph and a platform; takes both over. Objectives: latency, energy, memory. */
lab *lab_new(ho_graph *g, ho_platform *p);
void lab_free(lab *l);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lab, lab_free)

/* graph.json and platform.yaml in tests/data/NAME. */
lab *lab_own(const char *name);
/* The same in cases/NAME of the shared folder (HO_SHARED, or ../shared beside the sources); skips the test, saying so, where absent. */
lab *lab_shared(const char *name);
/* expected.json of the same folder as above. */
json_t *lab_expected(const char *name, int shared);
/* From texts. */
lab *lab_texts(const char *graph_json, const char *platform_yaml);
/* Specification of a graph as on the command line, and the text of a platform. */
lab *lab_spec(const char *graph, const char *platform_yaml);

/* A random graph of up to `most` ops with time tables in whole seconds, `least` at the least; some ops cannot run everywhere. */
ho_graph *lab_random_graph(uint64_t seed, int32_t most, int32_t least, const ho_platform *p);
/* Platforms of three devices for random graphs: exclusive, own memories, direct fat links, free launches, no contention. */
ho_platform *lab_plain_platform(void);

/* Runs a scheduler with "k=v" options; the search is the caller's. NULL with the error. */
ho_search *lab_run(const lab *l, const char *scheduler, const char *const *options, uint64_t seed, int64_t budget,
                   GError **error);
/* The same, failing the test on an error. */
ho_search *lab_must_run(const lab *l, const char *scheduler, const char *const *options, uint64_t seed, int64_t budget);

/* Makespan of the replay of the best plan (by latency) of a run. */
double lab_replayed(const lab *l, ho_search *s);
/* Every plan of the archive is valid and replays. */
void lab_check_plans(const lab *l, ho_search *s);

#endif
