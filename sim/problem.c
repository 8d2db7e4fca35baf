/* problem.c: names of objectives and measures. */
#include "sim/problem.h"

const char *ho_objective_name(ho_objective o) {
  static const char *const names[HO_N_OBJECTIVES] = {"latency", "energy", "memory"};
  return names[o];
}

const char *ho_memory_measure_name(ho_memory_measure m) {
  static const char *const names[] = {"tightest", "total", "accelerator"};
  return names[m];
}
