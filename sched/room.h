/* room.h: how many bytes each memory holds when, for schedulers that look at memory.
 *
 * Per memory the bytes held as a step function of time; something is held from an instant on, until an end that may become known later.
 * Cost: O(steps) to add, O(steps) to ask; a memory has at most two steps per addition. */
#ifndef HO_SCHED_ROOM_H
#define HO_SCHED_ROOM_H

#include "sched/costs.h"

typedef struct ho_room ho_room;

ho_room *ho_room_new(const ho_platform *p);
void ho_room_free(ho_room *r); /* NULL is allowed */

/* Adds `bytes` (negative: gives them back) in memory m from `from` (s) on, for good. */
void ho_room_add(ho_room *r, ho_memory m, double from, double bytes);
/* Most bytes that m holds at any time from `from` on, B. */
double ho_room_most(const ho_room *r, ho_memory m, double from);
/* The earliest time from which on `bytes` more always fit into m, s; INFINITY: they never do. */
double ho_room_from(const ho_room *r, ho_memory m, double bytes);

#endif
