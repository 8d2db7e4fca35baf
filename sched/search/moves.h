/* moves.h: the neighbourhood: how one solution becomes another one nearby.
 *
 * Kinds of moves are drawn by what they have brought so far (probability matching: Thierens, GECCO 2005, section 2.1): a kind's quality is an
 * exponential mean of whether its children entered the archive, its probability in proportion to that and a least. Kinds that
 * cannot apply to a problem (no second device, no lower precision, no operating point, rewrites switched off) have none. */
#ifndef HO_SCHED_SEARCH_MOVES_H
#define HO_SCHED_SEARCH_MOVES_H

#include "base/stream.h"
#include "sched/search/region.h"

typedef enum {
  HO_MOVE_PLACE,     /* a region to a device */
  HO_MOVE_PLACE_ONE, /* an op to a device */
  HO_MOVE_CUT,       /* where an edge crosses devices, a piece beyond it comes over */
  HO_MOVE_EVACUATE,  /* all of one device to another */
  HO_MOVE_ORDER,     /* an op next to another in the order */
  HO_MOVE_SHIFT,     /* a region earlier or later */
  HO_MOVE_RESET,     /* the topological or the depth-first order; streams used or not */
  HO_MOVE_PRECISION, /* of a region */
  HO_MOVE_POINT,     /* of a region */
  HO_MOVE_CROSS,     /* a region as another solution has it */
  HO_MOVE_ADD,       /* one more rewrite */
  HO_MOVE_DROP,      /* one less */
  HO_MOVE_SHARES,    /* a split's share */
  HO_N_MOVES
} ho_move;

typedef struct {
  int regions;   /* 0: every move changes a single op */
  int rewrites;  /* 0: stages stay */
  int precision; /* 0: default precisions */
  int points;    /* 0: nominal points */
} ho_move_setup;

typedef struct ho_mover ho_mover;

ho_mover *ho_mover_new(const ho_problem *q, const ho_move_setup *setup, ho_stream *s);
void ho_mover_free(ho_mover *m); /* NULL is allowed */

/* A neighbour of `a`; *kind: what was done. `mate`: another solution, of any stage. `may_rewrite` 0: on the same stage. NULL: what was drawn does not apply. */
ho_solution *ho_mover_child(ho_mover *m, const ho_solution *a, const ho_solution *mate, int may_rewrite, ho_move *kind);
/* Whether the child of that kind was worth it. */
void ho_mover_credit(ho_mover *m, ho_move kind, int success);

#endif
