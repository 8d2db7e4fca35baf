/* task_flow.h: workflows whose tasks hand each other files: from who writes and who reads which file, and who is whose parent, to
 * tensors. Not installed.
 *
 * A file is a tensor: made by the task that writes it, an input of the graph when none does. A reader takes it from those of its
 * parents that write it; when none of them does, from the first task that writes it, which is then a dependency too. A parent and
 * child that share no file are ordered by a tensor of no bytes. A task that reads what it writes itself only writes it. */
#ifndef HO_MODELS_TASK_FLOW_H
#define HO_MODELS_TASK_FLOW_H

#include <glib.h>

#include "models/graph_build.h"

typedef struct {
  ho_graph_build *build;
  GPtrArray *files; /* in order of appearance */
  GHashTable *file_by_name;
  GHashTable *parent_of; /* (parent << 32 | child) */
  GHashTable *carried;   /* the same, for pairs that share a file */
  int32_t beyond;        /* readings of a file that no parent writes */
  int32_t updated;       /* files that a task both reads and writes */
} ho_flow;

typedef enum { HO_FLOW_READS, HO_FLOW_WRITES } ho_flow_use;

void ho_flow_init(ho_flow *f);
void ho_flow_clear(ho_flow *f);
/* FALSE when no such file was added. `name` must outlive the flow. Adding it again keeps the largest size. */
gboolean ho_flow_has_file(const ho_flow *f, const char *name);
void ho_flow_add_file(ho_flow *f, const char *name, int64_t bytes);
void ho_flow_use_file(ho_flow *f, ho_op task, const char *name, ho_flow_use use);
void ho_flow_add_parent(ho_flow *f, ho_op parent, ho_op child);
/* Makes the tensors. `name` of every op, in order. */
void ho_flow_connect(ho_flow *f, ho_graph_build *build, const char *const *name);
/* Adds "; 3 readings …" to a note, when there is something to say. */
void ho_flow_put_note(const ho_flow *f, GString *note);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ho_flow, ho_flow_clear)

#endif
