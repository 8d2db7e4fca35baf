/* transformer_moe.c: a mixture-of-experts block: a router sends every token to its `top_k` of `experts` feed-forward networks
 * (Shazeer et al., ICLR 2017), each a SwiGLU as in Mixtral (Jiang et al. 2024), whose sizes are the defaults.
 *
 * Who gets how many tokens is data, and so it is stated: expert i gets a share proportional to (i + 1)^-skew of the tokens·top_k
 * assignments, rounded by largest remainder; skew 0 is a balanced load. No expert can get a token twice. Experts that get none have no
 * ops, and their weights are not in the graph. */
#include <math.h>

#include "base/error.h"
#include "base/fmath.h"
#include "models/transformer.h"
#include "models/transformer_block.h"

#define MOST_EXPERTS HO_TAPE_MAX_PARTS

static const ho_option options_of_moe[] = {
    HO_OPTION_BATCH,
    {"seq", HO_OPTION_INT, "128", 1, 1048576, NULL, "tokens per sequence"},
    {"experts", HO_OPTION_INT, "8", 1, MOST_EXPERTS, NULL, "feed-forward networks of a block"},
    {"top_k", HO_OPTION_INT, "2", 1, MOST_EXPERTS, NULL, "experts that each token is sent to"},
    {"width", HO_OPTION_INT, "4096", 1, 65536, NULL, "size of a token"},
    {"hidden", HO_OPTION_INT, "14336", 1, 1048576, NULL, "size inside an expert"},
    {"skew", HO_OPTION_DOUBLE, "0", 0, 16, NULL, "expert i is chosen in proportion to (i + 1)^-skew; 0: balanced"},
    {"layers", HO_OPTION_INT, "1", 1, 1024, NULL, "number of blocks"},
    HO_OPTION_PRECISION,
    HO_OPTION_MODE,
    {.name = NULL}};

/* Gives out what is left one by one, largest remainder first; ties go to the first. */
static void give_remainders(int64_t left, int64_t most, int from, int n, double *rest, int64_t *share) {
  for (; left > 0; left--) {
    int best = -1;
    for (int i = from; i < n; i++)
      if (share[i] < most && (best < 0 || rest[i] > rest[best])) best = i;
    share[best]++;
    rest[best] = -1;
  }
}

/* Shares of `total` in proportion to (i + 1)^-skew, none above `most`; what the first ones cannot take is shared by the others. */
static void share_out(int64_t total, int64_t most, double skew, int n, int64_t *share) {
  double weight[MOST_EXPERTS], rest[MOST_EXPERTS], sum = 0;
  for (int i = 0; i < n; i++) sum += weight[i] = ho_exp(-skew * ho_log(i + 1));
  int from = 0; /* those before are full */
  for (; from < n && (double)total * weight[from] > sum * (double)most; from++) {
    share[from] = most;
    total -= most;
    sum -= weight[from];
  }
  int64_t left = total;
  for (int i = from; i < n; i++) {
    double exact = (double)total * weight[i] / sum;
    share[i] = MIN((int64_t)floor(exact), most);
    rest[i] = exact - (double)share[i];
    left -= share[i];
  }
  give_remainders(left, most, from, n, rest, share);
}

static ho_value project(ho_tape *t, const char *name, ho_value x, int64_t n) {
  ho_weight w = ho_tape_weight(t, ho_tape_name(t, name, "weight"), ho_shape2(x.dim[1], n));
  return ho_tape_linear(t, name, x, w, n);
}

typedef struct {
  ho_tape *t;
  int64_t tokens, hidden;
  int experts;
  int64_t top_k;
  const int64_t *share; /* of every expert, in assignments */
} moe;

/* The rows of the expert's tokens go through it and are weighted by what the router said. */
static ho_value expert(const moe *m, int i, ho_value x, ho_value gates, ho_value choice) {
  ho_tape *t = m->t;
  g_autofree char *name = g_strdup_printf("experts.%d", i);
  ho_value rows = {.tensor = choice.tensor, .rank = 1, .dim = {m->share[i]}}; /* its part of the choices */
  ho_value y = ho_tape_gather(t, ho_tape_name(t, name, "dispatch"), x, rows);
  ho_value gate = project(t, ho_tape_name(t, name, "w1"), y, m->hidden);
  gate = ho_tape_pointwise(t, ho_tape_name(t, name, "act"), &ho_silu, gate);
  y = ho_tape_mul(t, ho_tape_name(t, name, "mul"), gate, project(t, ho_tape_name(t, name, "w3"), y, m->hidden));
  y = project(t, ho_tape_name(t, name, "w2"), y, x.dim[1]);
  return ho_tape_mul(t, ho_tape_name(t, name, "weight"), y, gates);
}

static ho_value block(const moe *m, ho_value x) {
  ho_tape *t = m->t;
  ho_value y = ho_tape_rmsnorm(t, "norm", x), parts[MOST_EXPERTS], choice;
  ho_value gates = ho_tape_softmax(t, "router.softmax", project(t, "router", y, m->experts));
  gates = ho_tape_topk(t, "router.topk", gates, m->top_k, &choice);
  int n = 0;
  for (int i = 0; i < m->experts; i++)
    if (m->share[i] > 0) parts[n++] = expert(m, i, y, gates, choice);
  y = n > 1 ? ho_tape_concat(t, "concat", parts, n, 0) : parts[0];
  return ho_tape_add(t, "add", ho_tape_scatter(t, "combine", y, choice, m->tokens), x);
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  int64_t share[MOST_EXPERTS], batch = ho_options_int(options, "batch"), width = ho_options_int(options, "width");
  moe m = {.tokens = batch * ho_options_int(options, "seq"),
           .hidden = ho_options_int(options, "hidden"),
           .experts = (int)ho_options_int(options, "experts"),
           .top_k = ho_options_int(options, "top_k"),
           .share = share};
  if (m.top_k > m.experts) {
    ho_fail(error, HO_ERROR_INPUT, "%s: top_k is %" G_GINT64_FORMAT ": expected at most %d, the number of experts", name, m.top_k,
            m.experts);
    return NULL;
  }
  share_out(m.tokens * m.top_k, m.tokens, ho_options_double(options, "skew"), m.experts, share);
  m.t = ho_tape_of_options(name, options, (double)batch);
  ho_value x = ho_tape_input(m.t, "tokens", ho_shape2(m.tokens, width));
  for (int64_t i = 0, n = ho_options_int(options, "layers"); i < n; i++) {
    g_autofree char *layer = g_strdup_printf("layers.%" G_GINT64_FORMAT, i);
    ho_tape_layer(m.t, layer);
    x = block(&m, x);
  }
  return ho_tape_finish(m.t, x, error);
}

const ho_model_builder ho_model_moe = {.name = "moe",
                                       .summary = "mixture-of-experts block, of Mixtral's sizes, with a stated load of experts",
                                       .source = "Shazeer et al., ICLR 2017; Jiang et al., Mixtral of Experts, 2024",
                                       .options = options_of_moe,
                                       .build = build};
