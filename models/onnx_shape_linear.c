/* onnx_shape_linear.c: shapes of products, recurrences, attention and normalisation. */
#include <string.h>

#include "models/onnx_infer.h"

/* numpy.matmul: the last two dimensions multiply, those before them broadcast, a vector loses its dimension again. */
static gboolean multiply(ho_onnx_shape a, ho_onnx_shape b, ho_onnx_shape *y) {
  if (a.rank < 1 || b.rank < 1) return FALSE;
  const gboolean row = a.rank == 1, column = b.rank == 1;
  if (row) a = (ho_onnx_shape){.rank = 2, .dim = {1, a.dim[0]}};
  if (column) b = (ho_onnx_shape){.rank = 2, .dim = {b.dim[0], 1}};
  const int64_t m = a.dim[a.rank - 2], n = b.dim[b.rank - 1];
  if (a.dim[a.rank - 1] != b.dim[b.rank - 2]) return FALSE;
  a.rank -= 2;
  b.rank -= 2;
  if (!ho_onnx_broadcast(&a, &b, y) || y->rank + 2 > HO_ONNX_MAX_RANK) return FALSE;
  if (!row) y->dim[y->rank++] = m;
  if (!column) y->dim[y->rank++] = n;
  return TRUE;
}

static void transpose_last(ho_onnx_shape *s) {
  if (s->rank < 2) return;
  const int64_t last = s->dim[s->rank - 1];
  s->dim[s->rank - 1] = s->dim[s->rank - 2];
  s->dim[s->rank - 2] = last;
}

void ho_onnx_shape_matmul(ho_onnx_inference *i) {
  const gboolean quantised = strcmp(i->n->op, "QLinearMatMul") == 0;
  ho_onnx_shape a = *ho_onnx_in(i, 0), b = *ho_onnx_in(i, quantised ? 3 : 1), y;
  if (quantised && ho_onnx_input(i, 7)) ho_onnx_set_type(i, 0, ho_onnx_input(i, 7)->dtype);
  if (ho_onnx_int(i->n, "transA", 0)) transpose_last(&a); /* FusedMatMul */
  if (ho_onnx_int(i->n, "transB", 0)) transpose_last(&b);
  if (multiply(a, b, &y)) ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_gemm(ho_onnx_inference *i) {
  ho_onnx_shape a = *ho_onnx_in(i, 0), b = *ho_onnx_in(i, 1);
  if (a.rank != 2 || b.rank != 2) return;
  if (ho_onnx_int(i->n, "transA", 0)) transpose_last(&a);
  if (ho_onnx_int(i->n, "transB", 0)) transpose_last(&b);
  ho_onnx_set_dims(i, 0, 2, (int64_t[]){a.dim[0], b.dim[1]});
}

void ho_onnx_shape_matmul_nbits(ho_onnx_inference *i) {
  ho_onnx_shape y = *ho_onnx_in(i, 0);
  const int64_t n = ho_onnx_int(i->n, "N", -1);
  if (y.rank < 1 || n < 0) return;
  y.dim[y.rank - 1] = n;
  ho_onnx_set(i, 0, &y);
}

/* Letters only: an ellipsis, and an output that is not written out, are left to value_info. */
void ho_onnx_shape_einsum(ho_onnx_inference *i) {
  const char *equation = ho_onnx_string(i->m, i->n, "equation");
  const char *arrow = strstr(equation, "->");
  int64_t size[128];
  int32_t k = 0, at = 0;
  for (int c = 0; c < 128; c++) size[c] = -1;
  if (arrow == NULL || strchr(equation, '.') != NULL) return;
  for (const char *p = equation; p < arrow; p++) {
    if (*p == ' ') continue;
    if (*p == ',') {
      k++;
      at = 0;
      continue;
    }
    const ho_onnx_shape *x = ho_onnx_in(i, k);
    if ((unsigned char)*p >= 128 || at >= x->rank) return;
    size[(int)*p] = x->dim[at++];
  }
  ho_onnx_shape y = {.rank = 0};
  for (const char *p = arrow + 2; *p; p++) {
    if (*p == ' ') continue;
    if ((unsigned char)*p >= 128 || size[(int)*p] < 0 || y.rank >= HO_ONNX_MAX_RANK) return;
    y.dim[y.rank++] = size[(int)*p];
  }
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_recurrent(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0), *r = ho_onnx_in(i, 2);
  if (x->rank != 3) return;
  const int64_t hidden = ho_onnx_int(i->n, "hidden_size", r->rank == 3 ? r->dim[2] : -1);
  const int64_t directions = ho_onnx_string_is(i->n, "direction", "bidirectional") ? 2 : 1;
  if (hidden < 0) return;
  if (ho_onnx_int(i->n, "layout", 0)) {
    ho_onnx_set_dims(i, 0, 4, (int64_t[]){x->dim[0], x->dim[1], directions, hidden});
    ho_onnx_set_dims(i, 1, 3, (int64_t[]){x->dim[0], directions, hidden});
    ho_onnx_set_dims(i, 2, 3, (int64_t[]){x->dim[0], directions, hidden});
  } else {
    ho_onnx_set_dims(i, 0, 4, (int64_t[]){x->dim[0], directions, x->dim[1], hidden});
    ho_onnx_set_dims(i, 1, 3, (int64_t[]){directions, x->dim[1], hidden});
    ho_onnx_set_dims(i, 2, 3, (int64_t[]){directions, x->dim[1], hidden});
  }
}

/* Normalisations have the shape of their input; further outputs are statistics, per channel for batches and per row for layers, but
 * output 3 of the Skip… variants is the sum that was normalised. */
void ho_onnx_shape_norm(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  ho_onnx_set(i, 0, x);
  if (x->rank < 1) return;
  if (strcmp(i->n->op, "BatchNormalization") == 0) {
    for (int32_t k = 1; k < i->n->n_out; k++) ho_onnx_set(i, k, ho_onnx_in(i, 1));
    return;
  }
  ho_onnx_shape row = *x;
  const int32_t axis = ho_onnx_axis(ho_onnx_int(i->n, "axis", -1), x->rank);
  for (int32_t k = MAX(axis, 0); k < row.rank; k++) row.dim[k] = 1;
  ho_onnx_set(i, 1, &row);
  ho_onnx_set(i, 2, &row);
  ho_onnx_set(i, 3, x);
}

void ho_onnx_shape_loss(ho_onnx_inference *i) {
  const ho_onnx_shape *scores = ho_onnx_in(i, 0), *labels = ho_onnx_in(i, 1);
  if (ho_onnx_string_is(i->n, "reduction", "none"))
    ho_onnx_set(i, 0, labels);
  else
    ho_onnx_set_dims(i, 0, 0, NULL);
  ho_onnx_set(i, 1, scores);
}

/* ---- attention ---- */

/* Sets output k to a cache of keys or values, [batch, heads, past + new, size]. */
static void set_present(ho_onnx_inference *i, int32_t k, const ho_onnx_shape *past, int64_t batch, int64_t heads, int64_t fresh,
                        int64_t size) {
  const int64_t before = past->rank == 4 ? past->dim[2] : 0;
  ho_onnx_set_dims(i, k, 4, (int64_t[]){batch, heads, before + fresh, size});
}

/* Operator set 23: 4-dimensional [batch, heads, sequence, size], or 3-dimensional with the heads in an attribute. */
void ho_onnx_shape_attention(ho_onnx_inference *i) {
  const ho_onnx_shape *q = ho_onnx_in(i, 0), *k = ho_onnx_in(i, 1), *v = ho_onnx_in(i, 2);
  const int64_t q_heads = ho_onnx_int(i->n, "q_num_heads", 0), kv_heads = ho_onnx_int(i->n, "kv_num_heads", 0);
  if (q->rank == 4 && k->rank == 4 && v->rank == 4) {
    ho_onnx_set_dims(i, 0, 4, (int64_t[]){q->dim[0], q->dim[1], q->dim[2], v->dim[3]});
    set_present(i, 1, ho_onnx_in(i, 4), k->dim[0], k->dim[1], k->dim[2], k->dim[3]);
    set_present(i, 2, ho_onnx_in(i, 5), v->dim[0], v->dim[1], v->dim[2], v->dim[3]);
  } else if (q->rank == 3 && k->rank == 3 && v->rank == 3 && q_heads > 0 && kv_heads > 0) {
    ho_onnx_set_dims(i, 0, 3, (int64_t[]){q->dim[0], q->dim[1], ho_onnx_mul(q_heads, v->dim[2] / kv_heads)});
    set_present(i, 1, ho_onnx_in(i, 4), k->dim[0], kv_heads, k->dim[1], k->dim[2] / kv_heads);
    set_present(i, 2, ho_onnx_in(i, 5), v->dim[0], kv_heads, v->dim[1], v->dim[2] / kv_heads);
  }
}

/* com.microsoft::Attention: projection included; past and present hold keys and values together. */
void ho_onnx_shape_attention_contrib(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0), *w = ho_onnx_in(i, 1), *past = ho_onnx_in(i, 4);
  size_t n_sizes;
  const int64_t *sizes = ho_onnx_ints(i->n, "qkv_hidden_sizes", &n_sizes);
  const int64_t heads = ho_onnx_int(i->n, "num_heads", 0);
  if (x->rank != 3 || w->rank != 2) return;
  const int64_t hidden = sizes && n_sizes == 3 ? ho_onnx_at(sizes, 3, 2, 0) : w->dim[1] / 3;
  ho_onnx_set_dims(i, 0, 3, (int64_t[]){x->dim[0], x->dim[1], hidden});
  if (heads < 1) return;
  const int64_t before = past->rank == 5 ? past->dim[3] : 0;
  ho_onnx_set_dims(i, 1, 5, (int64_t[]){2, x->dim[0], heads, before + x->dim[1], hidden / heads});
}

void ho_onnx_shape_multi_head(ho_onnx_inference *i) {
  const ho_onnx_shape *q = ho_onnx_in(i, 0), *k = ho_onnx_in(i, 1), *v = ho_onnx_in(i, 2);
  const int64_t heads = ho_onnx_int(i->n, "num_heads", 0);
  if (q->rank == 5) { /* packed queries, keys and values: [batch, sequence, heads, 3, size] */
    ho_onnx_set_dims(i, 0, 3, (int64_t[]){q->dim[0], q->dim[1], ho_onnx_mul(q->dim[2], q->dim[4])});
    return;
  }
  if (q->rank != 3) return;
  const int64_t hidden = v->rank == 3 ? v->dim[2] : v->rank == 4 ? ho_onnx_mul(v->dim[1], v->dim[3]) : q->dim[2];
  ho_onnx_set_dims(i, 0, 3, (int64_t[]){q->dim[0], q->dim[1], hidden});
  if (heads < 1 || k->rank != 3 || v->rank != 3) return;
  set_present(i, 1, ho_onnx_in(i, 6), k->dim[0], heads, k->dim[1], k->dim[2] / heads);
  set_present(i, 2, ho_onnx_in(i, 7), v->dim[0], heads, v->dim[1], v->dim[2] / heads);
}

void ho_onnx_shape_group_query(ho_onnx_inference *i) {
  const ho_onnx_shape *q = ho_onnx_in(i, 0), *k = ho_onnx_in(i, 1);
  const int64_t heads = ho_onnx_int(i->n, "num_heads", 0), kv_heads = ho_onnx_int(i->n, "kv_num_heads", 0);
  if (q->rank != 3 || heads < 1 || kv_heads < 1) return;
  /* without keys the query holds all three, packed */
  const int64_t size = k->rank == 3                                            ? q->dim[2] / heads
                       : heads > HO_ONNX_MAX_DIM || kv_heads > HO_ONNX_MAX_DIM ? 0
                                                                               : q->dim[2] / (heads + 2 * kv_heads);
  ho_onnx_set_dims(i, 0, 3, (int64_t[]){q->dim[0], q->dim[1], ho_onnx_mul(heads, size)});
  set_present(i, 1, ho_onnx_in(i, 3), q->dim[0], kv_heads, q->dim[1], size);
  set_present(i, 2, ho_onnx_in(i, 4), q->dim[0], kv_heads, q->dim[1], size);
}

void ho_onnx_shape_embed_layer_norm(ho_onnx_inference *i) {
  const ho_onnx_shape *ids = ho_onnx_in(i, 0), *table = ho_onnx_in(i, 2);
  if (ids->rank != 2 || table->rank != 2) return;
  const ho_onnx_tensor *words = ho_onnx_input(i, 2);
  ho_onnx_set_dims(i, 0, 3, (int64_t[]){ids->dim[0], ids->dim[1], table->dim[1]});
  ho_onnx_set_dims(i, 1, 1, (int64_t[]){ids->dim[0]});
  ho_onnx_set_dims(i, 2, 3, (int64_t[]){ids->dim[0], ids->dim[1], table->dim[1]});
  ho_onnx_set_type(i, 0, words->dtype);
  ho_onnx_set_type(i, 1, HO_INT32);
  ho_onnx_set_type(i, 2, words->dtype);
}
