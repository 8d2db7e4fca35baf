/* timeline.h: when a device is taken, for insertion-based list scheduling.
 *
 * Slots are kept in order of time and do not overlap; those that touch are one. Cost: O(log n) to find where to look plus the slots looked at; O(n) moves in
 * the worst case to insert. */
#ifndef HO_SCHED_TIMELINE_H
#define HO_SCHED_TIMELINE_H

#include <stdint.h>

typedef struct {
  double start, end; /* s */
} ho_slot;

typedef struct {
  ho_slot *slot;
  int32_t n, capacity;
} ho_timeline; /* zeroed: empty */

void ho_timeline_clear(ho_timeline *t);

/* Earliest start ≥ ready of a piece of `length` seconds that fits between the slots or after them. */
double ho_timeline_earliest(const ho_timeline *t, double ready, double length);
void ho_timeline_insert(ho_timeline *t, double start, double length);
/* Takes back the piece that was inserted last among those that are still there. */
void ho_timeline_remove(ho_timeline *t, double start, double length);

#endif
