/* onnx_body.c: If, Loop and Scan: one op each, with the cost of what is inside.
 *
 * An If costs its dearer branch (the taken one when the condition is a constant); a Loop its body times its trips, which are a
 * constant, or bound as "NODE.trips", or 1; a Scan its body times the length of what it scans. Carried values are taken to keep the
 * shape they come in with. Workspace is the largest working set of one operator inside. */
#include <math.h>
#include <string.h>

#include "models/onnx_cost.h"
#include "models/onnx_infer.h"

#define MOST_TRIPS 1e9 /* a constant trip count beyond this means "until the condition says so" */

gboolean ho_onnx_has_body(const ho_onnx_node *n) {
  if (strcmp(n->op, "If") == 0)
    return ho_onnx_payload_graph(n, "then_branch") != NULL && ho_onnx_payload_graph(n, "else_branch") != NULL;
  if (strcmp(n->op, "Loop") == 0 || strcmp(n->op, "Scan") == 0) return ho_onnx_payload_graph(n, "body") != NULL;
  return FALSE;
}

/* Bytes of the tensors that a node of a body makes or reads from other nodes of it. */
static double working_set(const ho_onnx_graph *g, const ho_onnx_node *n) {
  double sum = (double)n->cost.workspace;
  for (int32_t k = 0; k < n->n_out; k++)
    if (n->out[k] != NULL && !n->cost.view) sum += ho_onnx_bytes(n->out[k]);
  for (int32_t k = 0; k < n->n_in; k++)
    if (n->in[k] != NULL && n->in[k]->graph == g && n->in[k]->source == HO_ONNX_COMPUTED) sum += ho_onnx_bytes(n->in[k]);
  return sum;
}

static ho_onnx_cost cost_of_graph(const ho_onnx_graph *g) {
  ho_onnx_cost c = {.known = TRUE};
  double workspace = 0;
  for (guint k = 0; k < g->nodes->len; k++) {
    const ho_onnx_node *n = g->nodes->pdata[k];
    if (n->is_constant) continue;
    c.flops += n->cost.flops;
    c.read += ho_onnx_read_bytes(n);
    c.write += ho_onnx_write_bytes(n);
    c.parallelism = fmax(c.parallelism, n->cost.parallelism);
    workspace = fmax(workspace, working_set(g, n));
  }
  c.workspace = (int64_t)fmin(workspace, (double)HO_ONNX_MAX_DIM * 1024);
  return c;
}

static void repeat(ho_onnx_cost *c, double trips) {
  c->flops *= trips;
  c->read *= trips;
  c->write *= trips;
}

/* Output k of the node looks like a tensor of the body. */
static void set_like(ho_onnx_inference *i, int32_t k, const ho_onnx_tensor *t) {
  ho_onnx_set(i, k, &t->shape);
  ho_onnx_set_type(i, k, t->dtype);
}

static ho_onnx_tensor *body_output(const ho_onnx_graph *g, int32_t k) {
  return k < (int32_t)g->outputs->len ? g->outputs->pdata[k] : NULL;
}

/* ---- If ---- */

static gboolean infer_if(ho_onnx_inference *i, ho_onnx_node *n, GError **error) {
  ho_onnx_graph *branch[2] = {ho_onnx_payload_graph(n, "then_branch"), ho_onnx_payload_graph(n, "else_branch")};
  ho_onnx_cost cost[2];
  for (int b = 0; b < 2; b++) {
    ho_onnx_infer_inputs(i->m, branch[b]);
    if (!ho_onnx_infer(i->m, branch[b], error)) return FALSE;
    cost[b] = cost_of_graph(branch[b]);
  }
  size_t known;
  const ho_onnx_scalar *condition = ho_onnx_values(i, 0, &known);
  const gboolean second_is_dearer =
      cost[1].flops > cost[0].flops ||
      (cost[1].flops == cost[0].flops && cost[1].read + cost[1].write > cost[0].read + cost[0].write);
  const int taken = condition && known == 1 ? condition->i == 0 : second_is_dearer;
  n->cost = cost[taken];
  for (int32_t k = 0; k < n->n_out; k++) {
    const ho_onnx_tensor *t = body_output(branch[taken], k), *other = body_output(branch[!taken], k);
    if (t == NULL || (t->shape.rank < 0 && other != NULL)) t = other;
    if (t != NULL) set_like(i, k, t);
  }
  return TRUE;
}

/* ---- Loop ---- */

static double trips_of_loop(ho_onnx_inference *i, const ho_onnx_node *n) {
  size_t known;
  const ho_onnx_scalar *most = ho_onnx_values(i, 0, &known);
  if (most != NULL && known == 1 && (double)most->i <= MOST_TRIPS) return fmax((double)most->i, 0);
  char *name = g_strdup_printf("%s.trips", n->name);
  const char *kept = ho_arena_strdup(i->m->arena, name);
  g_free(name);
  return (double)ho_onnx_bound(i->m, kept, 1, i->m->defaulted);
}

static void enter(ho_onnx_model *m, ho_onnx_graph *body, guint k, const ho_onnx_shape *shape, ho_dtype dtype) {
  if (k < body->inputs->len) ho_onnx_settle(m, body->inputs->pdata[k], shape, dtype);
}

static gboolean infer_loop(ho_onnx_inference *i, ho_onnx_node *n, GError **error) {
  static const ho_onnx_shape scalar = {.rank = 0};
  ho_onnx_graph *body = ho_onnx_payload_graph(n, "body");
  const double trips = trips_of_loop(i, n);
  enter(i->m, body, 0, &scalar, HO_INT64);
  enter(i->m, body, 1, &scalar, HO_BOOL);
  for (int32_t k = 2; k < MAX(n->n_in, (int32_t)body->inputs->len); k++)
    enter(i->m, body, (guint)k, ho_onnx_in(i, k), ho_onnx_input(i, k) ? ho_onnx_input(i, k)->dtype : HO_DTYPE_NONE);
  if (!ho_onnx_infer(i->m, body, error)) return FALSE;
  n->cost = cost_of_graph(body);
  repeat(&n->cost, trips);
  const int32_t carried = MAX(n->n_in - 2, 0);
  for (int32_t k = 0; k < n->n_out; k++) {
    const ho_onnx_tensor *t = body_output(body, k + 1);
    if (t == NULL) continue;
    set_like(i, k, t);
    if (k < carried || t->shape.rank < 0 || t->shape.rank >= HO_ONNX_MAX_RANK) continue;
    ho_onnx_shape all = {.rank = t->shape.rank + 1, .dim = {(int64_t)trips}}; /* one slice of every trip */
    memcpy(all.dim + 1, t->shape.dim, sizeof *all.dim * (size_t)t->shape.rank);
    ho_onnx_set(i, k, &all);
  }
  return TRUE;
}

/* ---- Scan ---- */

static gboolean infer_scan(ho_onnx_inference *i, ho_onnx_node *n, GError **error) {
  ho_onnx_graph *body = ho_onnx_payload_graph(n, "body");
  const gboolean batched = n->opset < 9; /* sequence lengths first and a batch before every axis: shapes are left to the file */
  const int32_t scanned = (int32_t)CLAMP(ho_onnx_int(n, "num_scan_inputs", 1), 0, n->n_in);
  const int32_t states = n->n_in - scanned;
  size_t n_in_axes, n_out_axes;
  const int64_t *in_axes = ho_onnx_ints(n, "scan_input_axes", &n_in_axes),
                *out_axes = ho_onnx_ints(n, "scan_output_axes", &n_out_axes);
  int64_t trips = 1;
  for (int32_t k = 0; k < n->n_in; k++) {
    ho_onnx_shape s = *ho_onnx_in(i, k);
    const int32_t axis = k >= states ? ho_onnx_axis(ho_onnx_at(in_axes, n_in_axes, (size_t)(k - states), 0), MAX(s.rank, 0)) : -1;
    if (axis >= 0) {
      trips = s.dim[axis];
      memmove(s.dim + axis, s.dim + axis + 1, sizeof *s.dim * (size_t)(s.rank - axis - 1));
      s.rank--;
    }
    enter(i->m, body, (guint)k, &s, ho_onnx_input(i, k) ? ho_onnx_input(i, k)->dtype : HO_DTYPE_NONE);
  }
  if (!ho_onnx_infer(i->m, body, error)) return FALSE;
  n->cost = cost_of_graph(body);
  repeat(&n->cost, (double)trips);
  for (int32_t k = 0; k < n->n_out && !batched; k++) {
    const ho_onnx_tensor *t = body_output(body, k);
    if (t == NULL) continue;
    set_like(i, k, t);
    if (k < states || t->shape.rank < 0 || t->shape.rank >= HO_ONNX_MAX_RANK) continue;
    ho_onnx_shape all = {.rank = t->shape.rank + 1};
    const int32_t axis = ho_onnx_axis(ho_onnx_at(out_axes, n_out_axes, (size_t)(k - states), 0), all.rank);
    for (int32_t d = 0, from = 0; d < all.rank; d++) all.dim[d] = d == MAX(axis, 0) ? trips : t->shape.dim[from++];
    ho_onnx_set(i, k, &all);
  }
  return TRUE;
}

gboolean ho_onnx_infer_body(ho_onnx_inference *i, ho_onnx_node *n, GError **error) {
  gboolean ok;
  if (strcmp(n->op, "If") == 0)
    ok = infer_if(i, n, error);
  else if (strcmp(n->op, "Loop") == 0)
    ok = infer_loop(i, n, error);
  else
    ok = infer_scan(i, n, error);
  n->cost.kind = n->op[0] == 'I' ? "if" : n->op[0] == 'L' ? "loop" : "scan";
  return ok;
}
