/* synthetic.c: random graphs; see synthetic.h.
 *
 * Work is drawn log-uniformly around `flops`, within a factor `spread` between least and most; an op's output then takes
 * ccr · FLOP / 100 bytes, so that `ccr` is the time of moving it at 10 GB/s over the time of computing it at 1 TFLOP/s, drawn
 * anew within the same spread. With `kinds=mixed` half of the ops are of kinds that are bound by memory: they do one FLOP per
 * element of their output. Every number comes from a stream keyed by seed and model: same options, same graph. */
#include "models/synthetic.h"

#include "base/fmath.h"
#include "base/optparse.h"
#include "base/stream.h"
#include "models/graph_build.h"
#include "models/synthetic_dag.h"

#define FLOPS 1e12           /* per second */
#define FLOPS_PER_BYTE 100.0 /* 1 TFLOP/s over 10 GB/s */
#define ELEMENT 4.0          /* B */

static const char *const kind_choices[] = {"mixed", "generic", NULL};

#define COMMON_OPTIONS                                                                                                          \
  {"ops", HO_OPTION_INT, "1000", 3, 10000000, NULL, "number of ops"},                                                           \
      {"flops", HO_OPTION_DOUBLE, "1e9", 0, 1e18, NULL, "FLOP of a typical op (geometric mean)"},                               \
      {"spread", HO_OPTION_DOUBLE, "100", 1, 1e6, NULL, "most FLOP of an op over least"},                                       \
      {"ccr", HO_OPTION_DOUBLE, "0.1", 0, 1e4, NULL, "time to move an output at 10 GB/s over time to compute it at 1 TFLOP/s"}, \
      {"kinds", HO_OPTION_CHOICE, "mixed", 0, 0, kind_choices, "mixed: compute- and memory-bound kinds; generic: one kind"},    \
      {"beta", HO_OPTION_DOUBLE, "1", 0, 2, NULL, "with devices: an op's times are within ± beta/2 of that at 1 TFLOP/s"},      \
      HO_DAG_DEVICES_OPTION, {"seed", HO_OPTION_INT, "1", 0, 9007199254740992.0, NULL, "seed of everything that is drawn"}, {   \
    .name = NULL                                                                                                                \
  }

static const ho_option layered_options[] = {
    {"width", HO_OPTION_INT, "10", 1, 100000, NULL, "mean number of ops on a level"},
    {"degree", HO_OPTION_DOUBLE, "2", 1, 64, NULL, "mean number of inputs drawn for an op from earlier levels"},
    {"skip", HO_OPTION_DOUBLE, "0.1", 0, 1, NULL, "share of inputs that come from any earlier level, not the last"},
    COMMON_OPTIONS};

static const ho_option fork_join_options[] = {{"width", HO_OPTION_INT, "10", 1, 100000, NULL, "ops between fork and join"},
                                              COMMON_OPTIONS};

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

typedef struct {
  ho_graph_build *build;
  ho_stream stream, times; /* of structure and work; of times on devices */
  double flops, log_spread, ccr;
  gboolean mixed;
  double beta;
  char **devices;    /* NULL-terminated; empty: no time tables */
  ho_tensor *output; /* of every op */
} maker;

static double draw_factor(maker *m) {
  return ho_exp((ho_stream_uniform(&m->stream) - 0.5) * m->log_spread);
}

/* Elements of an output; what is absurd is refused with the graph, not cast beyond int64 here. */
static double draw_elements(maker *m) {
  double elements = floor(m->ccr * m->flops * draw_factor(m) / FLOPS_PER_BYTE / ELEMENT);
  return MIN(elements, (double)HO_GRAPH_MAX_BYTES);
}

/* An op without inputs as yet, and its output. */
static ho_op draw_op(maker *m, int32_t i) {
  static const char *const kinds[] = {"conv", "gemm", "attention", "add", "layernorm", "gather"};
  static const uint64_t n_kinds = G_N_ELEMENTS(kinds), n_compute = 3;
  char name[24], out[24];
  g_snprintf(name, sizeof name, "op%d", i);
  g_snprintf(out, sizeof out, "t%d", i);
  double flops = m->flops * draw_factor(m);
  double elements = draw_elements(m);
  uint64_t k = ho_stream_below(&m->stream, n_kinds);
  ho_op_info op = ho_op_info_init(name, m->mixed ? kinds[k] : "generic");
  op.flops = m->mixed && k >= n_compute ? elements : flops;
  op.parallelism = elements;
  ho_op o = ho_graph_build_op(m->build, &op);
  for (char **device = m->devices; *device; device++)
    ho_graph_build_time(m->build, o, *device, op.flops / FLOPS * (1 + m->beta * (ho_stream_uniform(&m->times) - 0.5)));
  m->output[i] = ho_graph_build_tensor(m->build, out, HO_FP32, -1, NULL, (int64_t)(elements * ELEMENT), HO_ROLE_NONE, o);
  return o;
}

/* An input of the whole graph, as large as the op's output. */
static void draw_input(maker *m, int32_t i, ho_op o) {
  char name[24];
  g_snprintf(name, sizeof name, "in%d", i);
  double elements = draw_elements(m);
  ho_tensor t = ho_graph_build_tensor(m->build, name, HO_FP32, -1, NULL, (int64_t)(elements * ELEMENT), HO_ROLE_INPUT, -1);
  ho_graph_build_consume(m->build, t, o);
}

/* FALSE and an error when the devices make no sense. */
static gboolean begin(maker *m, const char *name, const ho_options *options, GError **error) {
  char **devices = ho_dag_devices(name, options, error);
  if (!devices) return FALSE;
  g_autofree char *canonical = ho_options_canonical(options), *source = g_strconcat(name, ":", canonical, NULL);
  const char *const key[] = {"model", name, NULL}, *const times_key[] = {"model", name, "times", NULL};
  uint64_t seed = (uint64_t)ho_options_int(options, "seed");
  *m = (maker){
      .build = ho_graph_build_new(name, source),
      .stream = ho_stream_keyed(seed, key),
      .times = ho_stream_keyed(seed, times_key),
      .flops = ho_options_double(options, "flops"),
      .log_spread = ho_log(ho_options_double(options, "spread")),
      .ccr = ho_options_double(options, "ccr"),
      .mixed = ho_options_int(options, "kinds") == 0,
      .beta = ho_options_double(options, "beta"),
      .devices = devices,
      .output = g_new(ho_tensor, ho_options_int(options, "ops")),
  };
  return TRUE;
}

static ho_graph *end(maker *m, GError **error) {
  g_free(m->output);
  g_strfreev(m->devices);
  return ho_graph_build_finish(m->build, error);
}

/* ---- layered --------------------------------------------------------------------------------------------------------- */

/* One input is from the level before, so that levels are what they claim to be; the others are drawn until a geometric number
 * of them is reached. Drawing the same one twice counts once. */
static void draw_inputs(maker *m, ho_op o, int32_t level_start, int32_t previous_start, double degree, double skip) {
  int32_t width = level_start - previous_start;
  ho_op p = previous_start + (ho_op)ho_stream_below(&m->stream, (uint64_t)width);
  ho_graph_build_consume(m->build, m->output[p], o);
  while (ho_stream_uniform(&m->stream) * degree > 1) {
    gboolean any = ho_stream_uniform(&m->stream) < skip;
    int32_t from = any ? 0 : previous_start;
    p = from + (ho_op)ho_stream_below(&m->stream, (uint64_t)(level_start - from));
    ho_graph_build_consume(m->build, m->output[p], o);
  }
}

/* Levels have 1 to 2·width - 1 ops, all equally likely. */
static ho_graph *build_layered(const char *name, const ho_options *options, GError **error) {
  maker m;
  if (!begin(&m, name, options, error)) return NULL;
  int32_t n = (int32_t)ho_options_int(options, "ops"), width = (int32_t)ho_options_int(options, "width");
  double degree = ho_options_double(options, "degree"), skip = ho_options_double(options, "skip");
  int32_t previous = 0, start = 0, next = 0;
  for (int32_t i = 0; i < n; i++) {
    if (i == next) {
      previous = start;
      start = next;
      next += 1 + (int32_t)ho_stream_below(&m.stream, (uint64_t)(2 * width - 1));
    }
    ho_op o = draw_op(&m, i);
    if (start == 0)
      draw_input(&m, i, o);
    else
      draw_inputs(&m, o, start, previous, degree, skip);
  }
  return end(&m, error);
}

const ho_model_builder ho_model_layered = {
    .name = "layered",
    .summary = "random graph in levels, with given width, degree and communication",
    .source = "in the manner of the layered graphs of Tobita & Kasahara, Journal of Scheduling 5(5), 2002",
    .options = layered_options,
    .build = build_layered,
};

/* ---- fork and join --------------------------------------------------------------------------------------------------- */

/* Op 0 forks into `width` ops, which the next joins and forks again; what is left for the last group may be fewer. */
static ho_graph *build_fork_join(const char *name, const ho_options *options, GError **error) {
  maker m;
  if (!begin(&m, name, options, error)) return NULL;
  int32_t n = (int32_t)ho_options_int(options, "ops"), width = (int32_t)ho_options_int(options, "width");
  draw_input(&m, 0, draw_op(&m, 0));
  int32_t fork = 0;
  for (int32_t i = 1; i < n; i++) {
    ho_op o = draw_op(&m, i);
    if (i <= fork + width && i < n - 1) {
      ho_graph_build_consume(m.build, m.output[fork], o);
      continue;
    }
    for (int32_t j = fork + 1; j < i; j++) ho_graph_build_consume(m.build, m.output[j], o);
    if (fork + 1 == i) ho_graph_build_consume(m.build, m.output[fork], o);
    fork = i;
  }
  return end(&m, error);
}

const ho_model_builder ho_model_fork_join = {
    .name = "fork-join",
    .summary = "random graph that forks into equal parts and joins them, again and again",
    .source = "the structure of data-parallel programs; made for this project",
    .options = fork_join_options,
    .build = build_fork_join,
};
