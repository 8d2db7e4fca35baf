/* inputs.h: the graph, the platform and the objectives that several sub-commands take. */
#ifndef HO_CLI_INPUTS_H
#define HO_CLI_INPUTS_H

#include <glib.h>

#include "cli/command.h"
#include "hwprofiles/platform_yaml.h"
#include "models/rewrite_graph.h"
#include "models/source.h"
#include "sched/exec.h"
#include "sim/plan.h"
#include "sim/problem.h"

/* Texts are filled in by GOption; the rest by ho_cli_inputs_load. */
typedef struct {
  char *graph_spec, *platform_name, *objectives, *measure;
  char **bind, **limit;
  ho_graph *graph;
  ho_platform *platform;
  ho_cost *cost;
  ho_problem problem;
} ho_cli_inputs;

/* Option entries over an ho_cli_inputs, to stand in a command's own table. */
#define HO_CLI_GRAPH_ENTRIES(inputs)                                                                                         \
  {"graph",                                                                                                                  \
   'g',                                                                                                                      \
   0,                                                                                                                        \
   G_OPTION_ARG_FILENAME,                                                                                                    \
   &(inputs)->graph_spec,                                                                                                    \
   "graph: a file, or a built-in such as resnet50:batch=8,mode=training",                                                    \
   "G"},                                                                                                                     \
  {                                                                                                                          \
    "bind", 'b', 0, G_OPTION_ARG_FILENAME_ARRAY, &(inputs)->bind, "value of a symbolic dimension of the graph (repeatable)", \
        "NAME=N"                                                                                                             \
  }
#define HO_CLI_PLATFORM_ENTRIES(inputs)                                  \
  {                                                                      \
    "platform", 'p', 0, G_OPTION_ARG_FILENAME, &(inputs)->platform_name, \
        "platform: a file, or an installed one such as workstation", "P" \
  }
#define HO_CLI_LIMIT_ENTRIES(inputs)                                                                                     \
  {                                                                                                                      \
    "limit", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &(inputs)->limit,                                                        \
        "what if a memory, named by itself or by the one device on it, had only so much (repeatable), such as gpu0=4GB", \
        "NAME=BYTES"                                                                                                     \
  }
#define HO_CLI_MEASURE_ENTRIES(inputs)                                                                               \
  {                                                                                                                  \
    "memory", 'm', 0, G_OPTION_ARG_STRING, &(inputs)->measure,                                                       \
        "what the objective memory is: tightest (peak / capacity; default), total or accelerator (bytes)", "MEASURE" \
  }

/* The texts NAME=N of --bind. NULL with a usage error. */
typedef struct {
  GPtrArray *names;
  GArray *values;
  ho_bindings of; /* points into these */
} ho_cli_bindings;
ho_cli_bindings *ho_cli_bindings_read(char **bind, GError **error);
void ho_cli_bindings_free(ho_cli_bindings *b); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_cli_bindings, ho_cli_bindings_free)

/* Writes the rewritten graph w of the ONNX file `spec`, read with these bindings, as an ONNX file. */
gboolean ho_cli_write_onnx(const char *spec, char **bind, const ho_workgraph *w, const char *output, GError **error);
/* Loads what graph_spec names; a reader's note goes to standard error. */
ho_graph *ho_cli_load_graph(const char *spec, char **bind, GError **error);
/* The same, where the times of a file are those of `device` (NULL-terminated or NULL), and those of a profiler's trace (NULL: none) are
 * laid over it. */
ho_graph *ho_cli_load_measured(const char *spec, char **bind, char **device, const char *trace, GError **error);

/* Loads graph and platform, limits its memories, and makes the cost table and the problem. A missing --graph or --platform is a usage error. */
gboolean ho_cli_inputs_load(ho_cli_inputs *in, const ho_command *self, GError **error);
/* Cost table and problem of a graph and a platform that are there already. */
void ho_cli_inputs_finish(ho_cli_inputs *in);
void ho_cli_inputs_clear(ho_cli_inputs *in);

/* "3.41 ms", "1.92 J", "0.310" or "24.9 GB": a figure of the problem's kind for people. Caller frees. */
char *ho_cli_objective_text(const ho_problem *q, ho_objective objective, double value);
/* The measure that --memory names; NULL: tightest. */
gboolean ho_cli_measure(const char *text, ho_memory_measure *measure, GError **error);
/* The scheduler that --scheduler names, or a process for exec:COMMAND, which is then *exec and the caller's (ho_exec_free). NULL with an
 * error; a usage error of the command where the name is missing or not known. */
const ho_scheduler *ho_cli_scheduler(const char *command, const char *name, ho_exec **exec, GError **error);
/* A plan of a file: of a front, the one that `number` says, from 1; 0: the only one. ho_plan_free. */
ho_plan *ho_cli_read_plan(const ho_problem *q, const char *file, gint64 number, GError **error);
/* The memory figure that the problem's measure picks. */
double ho_cli_memory_figure(const ho_problem *q, const ho_figures *f);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ho_cli_inputs, ho_cli_inputs_clear)

#endif
