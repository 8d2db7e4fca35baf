/* clusters.h: from clusters of ops to devices, for algorithms that cluster for as many equal processors as they like. */
#ifndef HO_SCHED_CLUSTERS_H
#define HO_SCHED_CLUSTERS_H

#include "sched/costs.h"

/* Clusters 0 … n-1 (`cluster` by op), those of most mean seconds first, each go to the device that then has least to do: Yang & Gerasoulis merge
 * clusters by load (PYRROS, ICS 1992). An op that a device cannot run counts there by its mean, since it will run elsewhere.
 * Ties: the lower cluster, the lower device. Fills device[op]. */
void ho_clusters_map(const ho_costs *c, const int32_t *cluster, int32_t n, int16_t *device);

#endif
