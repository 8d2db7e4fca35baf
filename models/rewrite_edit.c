/* rewrite_edit.c: the primitives that change a work graph, their log, and the way back; see rewrite_graph.h. */
#include <string.h>

#include "models/rewrite_private.h"

static void record(ho_workgraph *w, ho_edit_kind kind, ho_row_kind row, int32_t owner, int32_t at, int64_t value) {
  ho_edit e = {(int8_t)kind, (int8_t)row, owner, at, value};
  g_array_append_val(w->own->log, e);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

static ho_row *row_of(ho_workgraph *w, ho_row_kind kind, int32_t owner) {
  return kind == ROW_USE ? &w->tensor[owner].use : kind == ROW_IN ? &w->op[owner].in : &w->op[owner].out;
}

static void make_room(ho_row *r) {
  if (r->n < r->room) return;
  int32_t room = MAX(4, 2 * r->n);
  int32_t *item = g_new(int32_t, room);
  if (r->n) memcpy(item, r->item, sizeof *item * (size_t)r->n);
  if (r->room) g_free(r->item);
  r->item = item;
  r->room = room;
}

static void insert(ho_workgraph *w, ho_row_kind kind, int32_t owner, int32_t value) {
  ho_row *r = row_of(w, kind, owner);
  make_room(r);
  r->item[r->n++] = value;
  record(w, EDIT_INSERTED, kind, owner, 0, 0);
}

/* Moves what lies behind, so that going back restores the order. */
static void erase(ho_workgraph *w, ho_row_kind kind, int32_t owner, int32_t value) {
  ho_row *r = row_of(w, kind, owner);
  int32_t at = 0;
  while (at < r->n && r->item[at] != value) at++;
  if (at == r->n) return;
  memmove(r->item + at, r->item + at + 1, sizeof *r->item * (size_t)(r->n - at - 1));
  r->n--;
  record(w, EDIT_ERASED, kind, owner, at, value);
}

/* A slice of the pool has room for what it lost; a row that moved out of it after losing items may not. */
static void put_back(ho_row *r, int32_t at, int32_t value) {
  if (r->room) make_room(r);
  memmove(r->item + at + 1, r->item + at, sizeof *r->item * (size_t)(r->n - at));
  r->item[at] = value;
  r->n++;
}

/* ---- levels ---------------------------------------------------------------------------------------------------------- */

void ho_work_search_begin(const ho_workgraph *w) {
  ho_workgraph_private *own = w->own;
  if (own->room_search < w->n_ops) {
    own->room_search = MAX(w->n_ops, 2 * own->room_search);
    own->stack = g_renew(ho_op, own->stack, own->room_search);
    g_free(own->seen);
    own->seen = g_new0(uint32_t, own->room_search);
    own->stamp = 0;
  }
  if (++own->stamp == 0) {
    memset(own->seen, 0, sizeof *own->seen * (size_t)own->room_search);
    own->stamp = 1;
  }
}

static void set_level(ho_workgraph *w, ho_op o, int64_t level) {
  record(w, EDIT_LEVEL, ROW_IN, o, 0, w->op[o].level);
  w->op[o].level = level;
}

/* The edge before -> after is new: raises `after`, and what it reaches, above. FALSE when that reaches `before`. */
static gboolean raise_levels(ho_workgraph *w, ho_op before, ho_op after) {
  if (before == after) return FALSE;
  if (w->op[after].level > w->op[before].level) return TRUE;
  g_autoptr(GArray) work = g_array_new(FALSE, FALSE, sizeof(ho_op));
  set_level(w, after, w->op[before].level + 1);
  g_array_append_val(work, after);
  while (work->len > 0) {
    ho_op o = g_array_index(work, ho_op, work->len - 1);
    g_array_set_size(work, work->len - 1);
    const ho_row *out = &w->op[o].out;
    for (int32_t i = 0; i < out->n; i++) {
      const ho_row *use = &w->tensor[out->item[i]].use;
      for (int32_t k = 0; k < use->n; k++) {
        ho_op c = use->item[k];
        if (c == before) return FALSE;
        if (w->op[c].level > w->op[o].level) continue;
        set_level(w, c, w->op[o].level + 1);
        g_array_append_val(work, c);
      }
    }
  }
  return TRUE;
}

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

static const char *word(ho_workgraph *w, const char *text) {
  return text ? g_string_chunk_insert_const(w->own->words, text) : NULL;
}

ho_op ho_workgraph_add_op(ho_workgraph *w, const ho_op_info *info, ho_op place_of, int32_t n_origins, const ho_origin *origin) {
  if (w->n_ops == w->own->room_ops) {
    w->own->room_ops = w->own->room_ops * 2 + 16;
    w->op = g_renew(ho_work_op, w->op, (size_t)w->own->room_ops + 1);
  }
  ho_op o = w->n_ops++;
  ho_work_op *x = &w->op[o];
  *x = (ho_work_op){.info = *info, .place = w->op[place_of].place, .alive = 1, .added = 1, .n_origins = n_origins};
  x->info.name = g_strdup(info->name);
  x->info.kind = word(w, info->kind);
  x->info.layer = word(w, info->layer);
  x->info.family = ho_family_of_kind(info->kind);
  x->info.times = info->n_times > 0 ? g_memdup2(info->times, sizeof *info->times * (size_t)info->n_times) : NULL;
  ho_origin *copy = g_memdup2(origin, sizeof *origin * (size_t)n_origins);
  for (int32_t i = 0; i < n_origins; i++) copy[i].axis = word(w, copy[i].axis);
  x->origin = copy;
  g_hash_table_insert(w->own->ops_named, (gpointer)x->info.name, GINT_TO_POINTER(o + 1));
  record(w, EDIT_OP_ADDED, ROW_IN, o, 0, 0);
  return o;
}

void ho_work_op_clear(ho_work_op *x) {
  if (x->in.room) g_free(x->in.item);
  if (x->out.room) g_free(x->out.item);
  if (!x->added) return;
  g_free((char *)x->info.name);
  g_free((ho_time *)x->info.times);
  g_free((ho_origin *)x->origin);
}

void ho_workgraph_remove_op(ho_workgraph *w, ho_op o) {
  ho_work_op *x = &w->op[o];
  while (x->in.n > 0) ho_workgraph_unconsume(w, x->in.item[x->in.n - 1], o);
  while (x->out.n > 0) ho_workgraph_produce(w, x->out.item[x->out.n - 1], -1);
  x->alive = 0;
  record(w, EDIT_OP_REMOVED, ROW_IN, o, 0, 0);
}

void ho_workgraph_set_op(ho_workgraph *w, ho_op o, const ho_op_info *info) {
  ho_op_info *x = &w->op[o].info, old = *x;
  g_array_append_val(w->own->old_ops, old);
  *x = *info;
  x->name = old.name;
  x->kind = old.kind;
  x->layer = old.layer;
  x->kind_index = old.kind_index;
  x->family = old.family;
  x->n_times = old.n_times;
  x->times = old.times;
  record(w, EDIT_OP_SET, ROW_IN, o, 0, 0);
}

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

static void count_alias(ho_workgraph *w, ho_tensor alias, int32_t by) {
  if (alias >= 0) w->tensor[alias].n_aliases += by;
}

ho_tensor ho_workgraph_add_tensor(ho_workgraph *w, const ho_tensor_info *info, ho_tensor place_of) {
  if (w->n_tensors == w->own->room_tensors) {
    w->own->room_tensors = w->own->room_tensors * 2 + 16;
    w->tensor = g_renew(ho_work_tensor, w->tensor, (size_t)w->own->room_tensors + 1);
  }
  ho_tensor t = w->n_tensors++;
  ho_work_tensor *x = &w->tensor[t];
  *x = (ho_work_tensor){.info = *info, .place = w->tensor[place_of].place, .alive = 1, .added = 1};
  x->info.name = g_strdup(info->name);
  x->info.memory = word(w, info->memory);
  x->info.shape = info->rank > 0 ? g_memdup2(info->shape, sizeof *info->shape * (size_t)info->rank) : NULL;
  x->info.producer = -1;
  count_alias(w, info->alias, 1);
  g_hash_table_insert(w->own->tensors_named, (gpointer)x->info.name, GINT_TO_POINTER(t + 1));
  record(w, EDIT_TENSOR_ADDED, ROW_IN, t, 0, 0);
  return t;
}

void ho_work_tensor_clear(ho_work_tensor *x) {
  if (x->use.room) g_free(x->use.item);
  if (!x->added) return;
  g_free((char *)x->info.name);
  g_free((int64_t *)x->info.shape);
}

void ho_workgraph_remove_tensor(ho_workgraph *w, ho_tensor t) {
  ho_work_tensor *x = &w->tensor[t];
  while (x->use.n > 0) ho_workgraph_unconsume(w, t, x->use.item[x->use.n - 1]);
  if (x->info.producer >= 0) ho_workgraph_produce(w, t, -1);
  count_alias(w, x->info.alias, -1);
  x->alive = 0;
  record(w, EDIT_TENSOR_REMOVED, ROW_IN, t, 0, 0);
}

void ho_workgraph_set_tensor(ho_workgraph *w, ho_tensor t, const ho_tensor_info *info) {
  ho_tensor_info *x = &w->tensor[t].info, old = *x;
  g_array_append_val(w->own->old_tensors, old);
  count_alias(w, old.alias, -1);
  x->bytes = info->bytes;
  x->role = info->role;
  x->memory = word(w, info->memory);
  x->alias = info->alias;
  x->is_output = info->is_output;
  count_alias(w, x->alias, 1);
  record(w, EDIT_TENSOR_SET, ROW_IN, t, 0, 0);
}

gboolean ho_workgraph_consume(ho_workgraph *w, ho_tensor t, ho_op o) {
  if (ho_workgraph_consumes(w, t, o)) return TRUE;
  insert(w, ROW_IN, o, t);
  insert(w, ROW_USE, t, o);
  ho_op p = w->tensor[t].info.producer;
  return p < 0 || raise_levels(w, p, o);
}

void ho_workgraph_unconsume(ho_workgraph *w, ho_tensor t, ho_op o) {
  erase(w, ROW_IN, o, t);
  erase(w, ROW_USE, t, o);
}

gboolean ho_workgraph_produce(ho_workgraph *w, ho_tensor t, ho_op o) {
  ho_work_tensor *x = &w->tensor[t];
  record(w, EDIT_PRODUCER, ROW_IN, t, 0, x->info.producer);
  if (x->info.producer >= 0) erase(w, ROW_OUT, x->info.producer, t);
  x->info.producer = o;
  if (o < 0) return TRUE;
  insert(w, ROW_OUT, o, t);
  for (int32_t i = 0; i < x->use.n; i++)
    if (!raise_levels(w, o, x->use.item[i])) return FALSE;
  return TRUE;
}

/* ---- back ------------------------------------------------------------------------------------------------------------ */

int32_t ho_workgraph_mark(const ho_workgraph *w) {
  return (int32_t)w->own->log->len;
}

static void restore_op(ho_workgraph *w, ho_op o) {
  GArray *old = w->own->old_ops;
  w->op[o].info = g_array_index(old, ho_op_info, old->len - 1);
  g_array_set_size(old, old->len - 1);
}

static void restore_tensor(ho_workgraph *w, ho_tensor t) {
  GArray *old = w->own->old_tensors;
  ho_op producer = w->tensor[t].info.producer; /* has entries of its own in the log */
  count_alias(w, w->tensor[t].info.alias, -1);
  w->tensor[t].info = g_array_index(old, ho_tensor_info, old->len - 1);
  w->tensor[t].info.producer = producer;
  count_alias(w, w->tensor[t].info.alias, 1);
  g_array_set_size(old, old->len - 1);
}

static void take_back(ho_workgraph *w, const ho_edit *e) {
  switch (e->kind) {
    case EDIT_OP_ADDED:
      g_hash_table_remove(w->own->ops_named, w->op[e->owner].info.name);
      ho_work_op_clear(&w->op[e->owner]);
      w->n_ops--;
      break;
    case EDIT_OP_REMOVED:
      w->op[e->owner].alive = 1;
      break;
    case EDIT_OP_SET:
      restore_op(w, e->owner);
      break;
    case EDIT_TENSOR_ADDED:
      g_hash_table_remove(w->own->tensors_named, w->tensor[e->owner].info.name);
      count_alias(w, w->tensor[e->owner].info.alias, -1);
      ho_work_tensor_clear(&w->tensor[e->owner]);
      w->n_tensors--;
      break;
    case EDIT_TENSOR_REMOVED:
      w->tensor[e->owner].alive = 1;
      count_alias(w, w->tensor[e->owner].info.alias, 1);
      break;
    case EDIT_TENSOR_SET:
      restore_tensor(w, e->owner);
      break;
    case EDIT_PRODUCER:
      w->tensor[e->owner].info.producer = (ho_op)e->value;
      break;
    case EDIT_LEVEL:
      w->op[e->owner].level = e->value;
      break;
    case EDIT_INSERTED:
      row_of(w, (ho_row_kind)e->row, e->owner)->n--;
      break;
    case EDIT_ERASED:
      put_back(row_of(w, (ho_row_kind)e->row, e->owner), e->at, (int32_t)e->value);
      break;
  }
}

void ho_workgraph_undo(ho_workgraph *w, int32_t mark) {
  GArray *log = w->own->log;
  while ((int32_t)log->len > mark) {
    ho_edit e = g_array_index(log, ho_edit, log->len - 1);
    g_array_set_size(log, log->len - 1);
    take_back(w, &e);
  }
}
