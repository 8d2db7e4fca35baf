/* tape_data.c: the ops of a tape that move data: views, transpositions, parts, rows by index, caches. */
#include "models/tape_private.h"

static double elements(ho_value v) {
  return (double)ho_value_elements(v);
}

static ho_work moved(ho_value out) {
  return ho_work_on_tensors(0, elements(out));
}

/* The gradient's op moves or adds up `flops` FLOP; its items are the elements of the input. */
static ho_tape_step local(ho_value x, ho_value out, const char *back, double flops, unsigned reads) {
  return (ho_tape_step){.rule = HO_RULE_LOCAL,
                        .n_in = 1,
                        .in = {x},
                        .out = out,
                        .back = back,
                        .back_work = ho_work_on_tensors(flops, elements(x)),
                        .reads = reads};
}

/* ---- the same elements ------------------------------------------------------------------------------------------------ */

ho_value ho_tape_reshape(ho_tape *t, const char *name, ho_value x, ho_value shape) {
  ho_tape_step s = {.rule = HO_RULE_VIEW, .n_in = 1, .in = {x}, .out = shape};
  ho_value y = ho_tape_record(t, name, "reshape", (ho_work){0}, &s);
  ho_graph_build_alias(t->build, y.tensor, x.tensor);
  return y;
}

ho_value ho_tape_transpose(ho_tape *t, const char *name, ho_value x, ho_value shape) {
  ho_tape_step s = local(x, shape, "transpose_grad", 0, 0);
  return ho_tape_record(t, name, "transpose", moved(shape), &s);
}

/* ---- parts ------------------------------------------------------------------------------------------------------------ */

void ho_tape_split(ho_tape *t, const char *name, ho_value x, int axis, int n, ho_value *out) {
  ho_tape_step s = {.rule = HO_RULE_SPLIT, .n_in = 1, .in = {x}, .n_out = n};
  ho_op o = ho_tape_record_op(t, name, "split", moved(x), &s);
  for (int i = 0; i < n; i++) {
    g_autofree char *part = g_strdup_printf("out%d", i);
    out[i] = x;
    out[i].dim[axis] = x.dim[axis] / n;
    out[i].tensor = ho_tape_tensor(t, s.name, part, out[i], o);
    g_array_index(t->wanted, guint8, out[i].tensor) = (guint8)ho_tape_wants(t, x.tensor);
  }
  s.many = ho_arena_memdup(t->arena, out, sizeof *out * (size_t)n);
  g_array_append_val(t->steps, s);
}

ho_value ho_tape_concat(ho_tape *t, const char *name, const ho_value *x, int n, int axis) {
  ho_value out = x[0];
  for (int i = 1; i < n; i++) out.dim[axis] += x[i].dim[axis];
  ho_tape_step s = {.rule = HO_RULE_CONCAT, .n_in = n, .out = out};
  s.many = ho_arena_memdup(t->arena, x, sizeof *x * (size_t)n);
  return ho_tape_record(t, name, "concat", moved(out), &s);
}

/* Reads what it writes; the way back fills the rest with zeros. */
ho_value ho_tape_slice(ho_tape *t, const char *name, ho_value x, ho_value shape) {
  ho_tape_step s = local(x, shape, "slice_grad", 0, 0);
  ho_work work = moved(shape);
  work.read = ho_tape_bytes(t, shape);
  return ho_tape_record(t, name, "slice", work, &s);
}

ho_value ho_tape_expand(ho_tape *t, const char *name, ho_weight w, ho_value shape) {
  ho_tape_step s = {.rule = HO_RULE_LOCAL, .out = shape, .n_weights = 1, .weight = {w}, .back = "expand_grad"};
  s.back_work = ho_work_on_tensors(elements(shape), elements(shape));
  return ho_tape_record(t, name, "expand", moved(shape), &s);
}

/* ---- rows by index ---------------------------------------------------------------------------------------------------- */

static double index_bytes(ho_value indices) {
  return 8 * elements(indices);
}

/* Reads the rows that are asked for, and of a table that is smaller than these the whole, once, as the ONNX reader says. The gradient of the table is dense: rows are added into zeros. */
ho_value ho_tape_embedding(ho_tape *t, const char *name, ho_weight w, ho_value indices, int64_t n) {
  ho_value out = indices;
  out.dim[out.rank++] = n;
  ho_tape_step s = {.rule = HO_RULE_LOCAL, .out = out, .n_side = 1, .side = {indices}, .n_weights = 1, .weight = {w}};
  s.back = "scatter";
  s.back_work = ho_work_on_tensors(elements(out), elements(out));
  s.reads = HO_READS_SIDE;
  ho_work work = moved(out);
  work.read = fmin(ho_tape_bytes(t, out), ho_tape_bytes(t, ho_tape_weight_at(t, w)->shape)) + index_bytes(indices);
  return ho_tape_record(t, name, "gather", work, &s);
}

/* Rows are read anew for every index, although there are fewer of them: graphs are too large and too irregular for caches. */
ho_value ho_tape_gather(ho_tape *t, const char *name, ho_value x, ho_value indices) {
  ho_value out = x;
  out.dim[0] = ho_value_elements(indices);
  ho_tape_step s = local(x, out, "scatter", elements(out), HO_READS_SIDE);
  s.n_side = 1;
  s.side[0] = indices;
  s.back_work.items = elements(out);
  ho_work work = moved(out);
  work.read = ho_tape_bytes(t, out) + index_bytes(indices);
  return ho_tape_record(t, name, "gather", work, &s);
}

ho_value ho_tape_scatter(ho_tape *t, const char *name, ho_value x, ho_value indices, int64_t rows) {
  ho_value out = x;
  out.dim[0] = rows;
  ho_tape_step s = local(x, out, "gather", 0, HO_READS_SIDE);
  s.n_side = 1;
  s.side[0] = indices;
  s.back_work.read = ho_tape_bytes(t, x) + index_bytes(indices);
  return ho_tape_record(t, name, "scatter", ho_work_on_tensors(elements(x), elements(x)), &s);
}

/* One multiply and one add per stored value and column; rows are gathered, so that they are read once per stored value. */
ho_value ho_tape_spmm(ho_tape *t, const char *name, ho_value x, ho_value values, ho_value indices) {
  double edges = elements(values), columns = elements(x) / (double)x.dim[0];
  ho_work work = ho_work_on_tensors(2 * edges * columns, elements(x));
  work.read = edges * columns * ho_dtype_bits(t->dtype) / 8 + ho_tape_bytes(t, values) + index_bytes(indices);
  ho_tape_step s = local(x, x, "spmm", 0, HO_READS_SIDE);
  s.back_work = work;
  s.n_side = 2;
  s.side[0] = values;
  s.side[1] = indices;
  return ho_tape_record(t, name, "spmm", work, &s);
}

/* A sort, as the ONNX reader counts it: ⌈log2 n⌉ comparisons per element of a row of n. */
static double sort_flops(ho_value x) {
  double levels = 0;
  for (int64_t reach = 1; reach < x.dim[x.rank - 1]; reach *= 2) levels++;
  return elements(x) * levels;
}

ho_value ho_tape_topk(ho_tape *t, const char *name, ho_value x, int64_t k, ho_value *indices) {
  ho_value out = x;
  out.dim[out.rank - 1] = k;
  ho_tape_step s = local(x, out, "scatter", 0, HO_READS_SAVED);
  ho_value y = ho_tape_record(t, name, "topk", ho_work_on_tensors(sort_flops(x), elements(x)), &s);
  ho_tape_step *step = ho_tape_step_at(t, (int32_t)t->steps->len - 1);
  g_autofree char *full = g_strconcat(step->name, ".indices", NULL);
  ho_op o = ho_graph_build_find_op(t->build, step->name);
  *indices = out;
  indices->tensor = step->saved = ho_graph_build_tensor(t->build, full, HO_INT64, out.rank, out.dim, 0, HO_ROLE_NONE, o);
  g_array_set_size(t->wanted, (guint)indices->tensor + 1);
  return y;
}

/* ---- caches ----------------------------------------------------------------------------------------------------------- */

/* The buffer is a weight by role, since it lies where it is used; that an op of the way forward writes it says that it is no
 * parameter. Only what is new moves. */
ho_value ho_tape_append(ho_tape *t, const char *name, const char *cache, ho_value x, ho_value shape) {
  ho_tape_step s = {.rule = HO_RULE_NONE, .n_in = 1, .in = {x}, .out = shape};
  double bytes = ho_tape_bytes(t, x);
  g_autofree char *full = t->layer ? g_strconcat(t->layer, ".", cache, NULL) : g_strdup(cache);
  ho_tensor buffer = ho_tape_tensor(t, full, NULL, shape, -1);
  ho_value y = ho_tape_record(t, name, "scatter", (ho_work){0, bytes, bytes, elements(x)}, &s);
  ho_graph_build_consume(t->build, buffer, ho_graph_build_find_op(t->build, s.name));
  ho_graph_build_alias(t->build, y.tensor, buffer);
  return y;
}
