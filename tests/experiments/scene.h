/* scene.h: a folder with a small graph, two platforms and a config, for tests of experiments. */
#ifndef HO_TESTS_EXPERIMENTS_SCENE_H
#define HO_TESTS_EXPERIMENTS_SCENE_H

#include "experiments/runner.h"

typedef struct {
  char *folder, *config_file, *database;
} ho_scene;

/* Two workloads (a.json, b.json) × two platforms (pair, tiny); on `tiny` b.json fits nowhere. */
ho_scene *ho_scene_new(void);
void ho_scene_free(ho_scene *s); /* removes the folder */

/* The config that most tests start from: `extra` is appended to its list of schedulers (heft, random, nsga2 with 3 replicates). */
void ho_scene_configure(const ho_scene *s, const char *replays, const char *extra);
void ho_scene_write(const ho_scene *s, const char *config);

/* Loads the config; asserts that it can be. */
typedef struct {
  ho_config *config;
  ho_experiment *experiment;
} ho_scene_loaded;
ho_scene_loaded ho_scene_load(const ho_scene *s);
void ho_scene_unload(ho_scene_loaded *l);

/* Runs the config against the scene's database; asserts that it succeeds. `setup` NULL: everything, one job. */
ho_run_outcome ho_scene_run(const ho_scene *s, const ho_run_setup *setup);

/* A progress call-back that kills the process (SIGKILL) when as many tasks are done as the int32_t at `user` says. */
void ho_scene_kill_at(const ho_run_progress *p, void *user);

/* Every row of every table, without what a clock or the number of attempts says. g_free. */
char *ho_scene_dump(const char *database);
/* One number by SQL. */
double ho_scene_number(const char *database, const char *sql);
/* A new path in the folder. */
char *ho_scene_path(const ho_scene *s, const char *name);

#endif
