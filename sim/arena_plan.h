/* arena_plan.h: offsets of buffers in one arena per memory, so that no two that live at once overlap.
 *
 * Greedy by size, best fit (Pisarchyk & Lee, "Efficient Memory Management for Deep Neural Net Inference", MLSys 2020 workshop, section 5.3):
 * the largest buffer first, into the smallest gap between those placed whose lifetimes meet its own, else above them. Equal sizes: the
 * earlier buffer first. Lifetimes go by the order in which buffers are taken and freed (born, died), so that one that is freed at an
 * instant can be reused at it, and what lives for an instant only has a place too. */
#ifndef HO_SIM_ARENA_PLAN_H
#define HO_SIM_ARENA_PLAN_H

#include "sim/replay.h"

/* Sets `offset` of every buffer; arena[m] = B that memory m needs. Buffers that do not live at the
 * same time are not compared: O(n √n) where most live shortly, O(n²) where all live at once. */
void ho_arena_plan(ho_replay_buffer *buffers, int32_t n, int32_t n_memories, double *arena);

#endif
