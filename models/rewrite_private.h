/* rewrite_private.h: what the files of the work graph share; see rewrite_graph.h. Not installed. */
#ifndef HO_MODELS_REWRITE_PRIVATE_H
#define HO_MODELS_REWRITE_PRIVATE_H

#include "models/rewrite_graph.h"

typedef enum {
  EDIT_OP_ADDED,
  EDIT_OP_REMOVED,
  EDIT_OP_SET,
  EDIT_TENSOR_ADDED,
  EDIT_TENSOR_REMOVED,
  EDIT_TENSOR_SET,
  EDIT_PRODUCER, /* value: the one before */
  EDIT_LEVEL,    /* value: the one before */
  EDIT_INSERTED, /* at the end of a row */
  EDIT_ERASED    /* value, at a place of a row */
} ho_edit_kind;

typedef enum { ROW_IN, ROW_OUT, ROW_USE } ho_row_kind;

typedef struct {
  int8_t kind, row;
  int32_t owner, at;
  int64_t value;
} ho_edit;

typedef struct ho_workgraph_private {
  int32_t *pool; /* the rows of the first graph */
  int32_t room_ops, room_tensors;
  GArray *log;                           /* ho_edit */
  GArray *old_ops;                       /* ho_op_info, one per EDIT_OP_SET in the log */
  GArray *old_tensors;                   /* ho_tensor_info */
  GHashTable *ops_named, *tensors_named; /* of what was added: name -> index + 1 */
  GStringChunk *words;                   /* kinds, layers, memories, axes */
  ho_op *stack;                          /* of searches */
  uint32_t *seen, stamp;                 /* by op */
  int32_t room_search;
} ho_workgraph_private;

/* A new stamp, and room for all ops in stack and seen. */
void ho_work_search_begin(const ho_workgraph *w);
/* Frees what a slot owns. */
void ho_work_op_clear(ho_work_op *x);
void ho_work_tensor_clear(ho_work_tensor *x);

#endif
