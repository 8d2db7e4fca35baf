/* routes.h: the way between every pair of memories. Internal to hwprofiles/.
 *
 * Least latency, then fewest links, then lowest link index: of two equal ways the one whose set of links has the lower index where
 * the sets differ, which makes the ways there and back use the same links when all are two-way. Memories and switches alike can
 * be passed through; a simplex link only from its first end to its second. Dijkstra (Numer. Math. 1, 1959) from each memory,
 * O(vertices²) each. */
#ifndef HO_HWPROFILES_ROUTES_H
#define HO_HWPROFILES_ROUTES_H

#include "base/arena.h"
#include "hwprofiles/platform.h"

/* n_memories² routes, in the arena. `vertices` = memories + switches. */
const ho_route *ho_routes_new(int32_t n_memories, int32_t vertices, const ho_link_info *link, int32_t n_links, ho_arena *arena);

#endif
