/* random_scene.h: random platforms, graphs and plans, from a seed. */
#ifndef HO_TESTS_SIM_RANDOM_SCENE_H
#define HO_TESTS_SIM_RANDOM_SCENE_H

#include "base/stream.h"
#include "scene.h"

/* 2 to 4 memories around a switch (some pairs peers), 1 to 2 devices each, of all launch modes and kinds of sharing; 5 to 40 ops with
 * time tables or FLOPs and bytes, inputs, weights, views; memory is ample unless `tight`. */
scene *random_scene(ho_stream *s, int tight);
/* A random topological order and placement, with duplicates now and then. */
ho_plan *random_plan(const scene *c, ho_stream *s);

#endif
