/* synthetic_dag.h: task graphs as papers on list scheduling use them: a structure, and costs drawn over it. Not installed.
 *
 * A builder describes tasks and edges; ho_dag_finish draws the costs in the parameters of Topcuoglu, Hariri, Wu (TPDS 2002, section 5) and
 * makes the graph:
 *   seconds    the mean time of a task, w. A task's own mean is uniform in [0, 2w]; with weights it is in proportion to these
 *   beta       heterogeneity: a task's time on a device is uniform in its mean · [1 - beta/2, 1 + beta/2]
 *   devices    whose times are drawn, into `time` tables: a number (d0, d1, …) or names joined by '+'. 0: none; tasks then have the FLOP that
 *              take their mean at 1 TFLOP/s, for the cost model of any platform
 *   ccr        the mean time to move an edge's data at `bandwidth`, over w; an edge's own is uniform in [0, 2·ccr·w]; with weights all are equal
 * Tasks of one class have equal costs, and so have edges. Same options, same graph; `devices` and `beta` change times alone. */
#ifndef HO_MODELS_SYNTHETIC_DAG_H
#define HO_MODELS_SYNTHETIC_DAG_H

#include "base/optparse.h"
#include "base/stream.h"
#include "models/graph_build.h"

#define HO_DAG_COST_OPTIONS                                                                                  \
  {"ccr", HO_OPTION_DOUBLE, "1", 0, 1e4, NULL, "mean time to move an edge's data over mean time of a task"}, \
      {"beta", HO_OPTION_DOUBLE, "1", 0, 2, NULL, "a task's times are within ± beta/2 of its mean"},         \
      {"devices",                                                                                            \
       HO_OPTION_STRING,                                                                                     \
       "0",                                                                                                  \
       0,                                                                                                    \
       0,                                                                                                    \
       NULL,                                                                                                 \
       "that have times: a number (d0, d1, …) or names joined by '+'; 0: FLOP instead"},                     \
      {"seconds", HO_OPTION_DOUBLE, "1e-3", 0, 1e9, NULL, "mean time of a task"},                            \
      {"bandwidth", HO_OPTION_DOUBLE, "1e10", 1, 1e18, NULL, "B/s at which ccr is meant"},                   \
      {"seed", HO_OPTION_INT, "1", 0, 9007199254740992.0, NULL, "seed of everything that is drawn"}, {       \
    .name = NULL                                                                                             \
  }

#define HO_DAG_NO_CLASS (-1) /* costs of its own */

#define HO_DAG_DEVICES_OPTION                                                             \
  {                                                                                       \
    "devices", HO_OPTION_STRING, "0", 0, 0, NULL,                                         \
        "that have times: a number (d0, d1, …) or names joined by '+'; 0: FLOP instead" \
  }

/* The names of such an option, for g_strfreev; NULL and an error when it makes no sense. */
char **ho_dag_devices(const char *model, const ho_options *options, GError **error);

typedef struct ho_dag ho_dag;

/* NULL and an error when the devices make no sense. */
ho_dag *ho_dag_new(const char *name, const ho_options *options, GError **error);
ho_graph *ho_dag_finish(ho_dag *d, GError **error); /* consumes */

ho_stream *ho_dag_stream(ho_dag *d); /* for structures that are drawn */

/* Weight 0: drawn. Tasks with a weight give one tensor that all their successors read; others one per edge. */
ho_op ho_dag_task(ho_dag *d, const char *name, const char *kind, double weight, int32_t task_class);
void ho_dag_edge(ho_dag *d, ho_op from, ho_op to, int32_t edge_class);

#endif
