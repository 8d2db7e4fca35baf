/* evolution.h: an evolutionary search over genomes that only their owner understands: breeding, and survival by whichever rule is plugged in.
 *
 * Each generation breeds as many children as there are parents; a survival keeps the best of both. Parents are chosen by binary tournaments over two
 * random permutations of the population, as in Deb's code of NSGA-II: lower rank, then larger score, then a coin; what rank and score are, the survival
 * says. Two parents give two children, crossed with probability `crossover_rate`, then mutated.
 * Deterministic in (problem, settings, stream). No cost of its own but O(population) per generation. */
#ifndef HO_SCHED_EVOLUTION_H
#define HO_SCHED_EVOLUTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/stream.h"

typedef struct {
  size_t genome_bytes;
  int32_t n_objectives;
  void *context;
  void (*create)(void *context, ho_stream *r, int32_t index, void *genome); /* individual `index` of the initial population */
  void (*cross)(void *context, ho_stream *r, void *a, void *b);             /* in place; both begin as copies of their parents */
  void (*mutate)(void *context, ho_stream *r, void *genome);
  /* Fills objectives and violation (0: feasible). Not 0: stop, this individual does not count. */
  int (*evaluate)(void *context, const void *genome, double *objectives, double *violation);
} ho_evolution_problem;

/* What a survival is given and what it fills in, by individual. Parents come before children. */
typedef struct {
  const double *objectives, *violation; /* n × d, n */
  int32_t n, d;
  int32_t keep;   /* how many survive: min(n, population) of them */
  int32_t *order; /* the survivors, the first `keep` that are filled in */
  int32_t *rank;  /* of survivors at least; lower is better */
  double *score;  /* of survivors at least; larger is better among equal ranks */
  ho_stream *r;
  void *data; /* of the settings */
} ho_survival_task;

typedef void (*ho_survival)(const ho_survival_task *t);

typedef struct {
  int32_t population;  /* even, ≥ 4 */
  int64_t generations; /* at most; INT64_MAX: until evaluate stops it */
  double crossover_rate;
  ho_survival survive;
  void *data; /* of the survival */
} ho_evolution_settings;

typedef struct ho_evolution ho_evolution;

/* Runs to the end. The result holds the last population and keeps pointers to `problem` and `settings`. */
ho_evolution *ho_evolution_run(const ho_evolution_problem *problem, const ho_evolution_settings *settings, ho_stream *r);
void ho_evolution_free(ho_evolution *n);

int32_t ho_evolution_size(const ho_evolution *n); /* less than the population when evaluate stopped in the first one */
const double *ho_evolution_objectives(const ho_evolution *n, int32_t i);
double ho_evolution_violation(const ho_evolution *n, int32_t i);
int32_t ho_evolution_rank(const ho_evolution *n, int32_t i); /* 0: the first front */
const void *ho_evolution_genome(const ho_evolution *n, int32_t i);

#endif
