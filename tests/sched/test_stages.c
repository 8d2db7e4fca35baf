/* test_stages.c: contiguous splits: against enumeration, against published optima, and on chains against the exact search. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/jsonio.h"
#include "lab.h"
#include "sched/ideals.h"
#include "sched/stages.h"
#include "sched/units.h"

#define MOST 8

typedef struct {
  ho_stages p;
  int32_t devices[2], before[64], after[64], from[MOST], use_start[MOST + 1], use[64];
  double seconds[2 * MOST], bytes[MOST], capacity[2], in[2 * MOST], out[2 * MOST];
} small;

/* Up to 5 units in a random order, every unit's data a message; up to 3 devices of two types. Whole numbers, so that sums are exact. */
static void make_small(small *x, uint64_t seed) {
  ho_stream r = ho_stream_small(seed);
  memset(x, 0, sizeof *x);
  x->p = (ho_stages){.n_units = 1 + (int32_t)ho_stream_below(&r, 5), .n_types = 2, .devices = x->devices};
  x->devices[0] = 1 + (int32_t)ho_stream_below(&r, 2);
  x->devices[1] = (int32_t)ho_stream_below(&r, 2);
  for (int32_t t = 0; t < 2; t++) x->capacity[t] = 6 + (double)ho_stream_below(&r, 10);
  for (int32_t u = 0; u < x->p.n_units; u++) {
    x->bytes[u] = (double)ho_stream_below(&r, 5);
    for (int32_t t = 0; t < 2; t++) {
      x->seconds[2 * u + t] = ho_stream_below(&r, 8) == 0 ? INFINITY : (double)ho_stream_below(&r, 20);
      x->in[2 * u + t] = (double)ho_stream_below(&r, 6);
      x->out[2 * u + t] = (double)ho_stream_below(&r, 6);
    }
    x->from[u] = u;
    int32_t n = x->use_start[u];
    for (int32_t v = 0; v < x->p.n_units; v++) {
      if (v == u || ho_stream_below(&r, 2)) continue;
      x->use[n++] = v; /* v < u: data of a backward pass, which orders nothing */
      if (v < u) continue;
      x->before[x->p.n_orders] = u;
      x->after[x->p.n_orders++] = v;
    }
    x->use_start[u + 1] = n;
  }
  x->p.seconds = x->seconds;
  x->p.bytes = x->bytes;
  x->p.capacity = x->capacity;
  x->p.before = x->before;
  x->p.after = x->after;
  x->p.n_messages = x->p.n_units;
  x->p.from = x->from;
  x->p.use_start = x->use_start;
  x->p.use = x->use;
  x->p.cost_in = x->in;
  x->p.cost_out = x->out;
}

/* Whether devices can be put in an order in which no data that orders runs backwards: at most 3 devices, all 6 orders. */
static int is_contiguous(const ho_stages *p, const int32_t *on) {
  static const int32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int k = 0; k < 6; k++) {
    int32_t i = 0;
    while (i < p->n_orders && orders[k][on[p->before[i]]] <= orders[k][on[p->after[i]]]) i++;
    if (i == p->n_orders) return 1;
  }
  return 0;
}

static double greatest_load(const ho_stages *p, const int32_t *on, int32_t n_devices) {
  double greatest = 0;
  for (int32_t d = 0; d < n_devices; d++) {
    uint8_t in[MOST] = {0};
    for (int32_t u = 0; u < p->n_units; u++) in[u] = on[u] == d;
    greatest = fmax(greatest, ho_stages_load(p, in, d < p->devices[0] ? 0 : 1));
  }
  return greatest;
}

static double enumerated(const ho_stages *p) {
  int32_t n = p->devices[0] + p->devices[1], on[MOST] = {0};
  double least = INFINITY;
  for (;;) {
    if (is_contiguous(p, on)) least = fmin(least, greatest_load(p, on, n));
    int32_t u = 0;
    while (u < p->n_units && ++on[u] == n) on[u++] = 0;
    if (u == p->n_units) return least;
  }
}

Test(sched_stages, no_contiguous_split_is_better_than_the_one_found) {
  int feasible = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    small x;
    int32_t type[MOST], number[MOST], on[MOST];
    make_small(&x, seed);
    double found = ho_stages_solve(&x.p, 1000, type, number), best = enumerated(&x.p);
    cr_assert_eq(found, best, "seed %d: %g, enumerated %g", (int)seed, found, best);
    if (!isfinite(found)) continue;
    feasible++;
    for (int32_t u = 0; u < x.p.n_units; u++) {
      cr_assert(number[u] >= 0 && number[u] < x.devices[type[u]]);
      on[u] = type[u] == 0 ? number[u] : x.devices[0] + number[u];
    }
    cr_assert(is_contiguous(&x.p, on), "seed %d", (int)seed);
    cr_assert_eq(greatest_load(&x.p, on, x.devices[0] + x.devices[1]), found);
  }
  cr_assert(feasible > 200, "%d", feasible);
}

Test(sched_stages, an_order_of_n_free_units_has_two_to_the_n_ideals_and_a_chain_n_plus_one) {
  static const int32_t before[] = {0, 1, 2}, after[] = {1, 2, 3};
  ho_ideals *chain = ho_ideals_new(4, 3, before, after, 100), *unordered = ho_ideals_new(5, 0, NULL, NULL, 100);
  cr_assert_eq(chain->n, 5);
  cr_assert_eq(unordered->n, 32);
  cr_assert_null(ho_ideals_new(5, 0, NULL, NULL, 31));
  ho_ideals_free(chain);
  ho_ideals_free(unordered);
}

/* --- dnn-partitioning: what the authors' program finds over contiguous splits ---------------------------------------------------- */
typedef struct {
  ho_graph *g;
  ho_units *units;
  ho_stages p;
  int32_t devices[2];
  double capacity[2];
  double *seconds, *bytes, *in, *out;
  int32_t *from, *use_start, *use;
} network;

static json_t *read_json(const char *name, char **path) {
  const char *given = g_getenv("HO_SHARED"), *top = g_getenv("HO_TEST_SRCDIR");
  *path = given ? g_build_filename(given, "data", "graphs", name, NULL)
                : g_build_filename(top ? top : ".", "..", "shared", "data", "graphs", name, NULL);
  if (!g_file_test(*path, G_FILE_TEST_EXISTS)) cr_skip_test("no shared data %s", name);
  g_autoptr(GError) error = NULL;
  json_t *root = ho_json_read(*path, &error);
  cr_assert(root, "%s", error ? error->message : "");
  return root;
}

static double number_in(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

/* The cost of what each node sends: that of its edges, which all have the same. */
static double *costs_of_nodes(const json_t *root) {
  const json_t *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges");
  double *cost = g_new0(double, json_array_size(nodes) + 1);
  for (size_t i = 0; i < json_array_size(edges); i++)
    for (size_t k = 0; k < json_array_size(nodes); k++)
      if (number_in(json_array_get(nodes, k), "id") == number_in(json_array_get(edges, i), "sourceId"))
        cost[k] = number_in(json_array_get(edges, i), "cost");
  return cost;
}

static void add_messages(network *x, const double *cost) {
  const ho_graph *g = x->g;
  x->from = g_new(int32_t, g->n_ops + 1);
  x->use_start = g_new0(int32_t, g->n_ops + 2);
  x->use = g_new(int32_t, g->n_edges + 1);
  x->in = g_new0(double, 2 * (g->n_ops + 1));
  x->out = g_new0(double, 2 * (g->n_ops + 1));
  for (ho_op o = 0; o < g->n_ops; o++) { /* one message per node, to CPUs for nothing */
    int32_t n = x->use_start[o];
    x->from[o] = x->units->of[o];
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) {
        int32_t to = x->units->of[g->use[u]], k = x->use_start[o];
        while (k < n && x->use[k] != to) k++;
        if (k == n && to != x->from[o]) x->use[n++] = to;
      }
    x->use_start[o + 1] = n;
    x->in[2 * o + 1] = x->out[2 * o + 1] = cost[o];
  }
  x->p.n_messages = g->n_ops;
  x->p.from = x->from;
  x->p.use_start = x->use_start;
  x->p.use = x->use;
  x->p.cost_in = x->in;
  x->p.cost_out = x->out;
}

static void network_read(network *x, const char *name) {
  g_autofree char *path = NULL;
  g_autoptr(GError) error = NULL;
  json_t *root = read_json(name, &path), *nodes = json_object_get(root, "nodes");
  memset(x, 0, sizeof *x);
  x->g = ho_graph_load(path, NULL, NULL, &error);
  cr_assert(x->g, "%s", error ? error->message : "");
  x->units = ho_units_new(x->g, HO_UNITS_LAYERS);
  x->devices[0] = (int32_t)number_in(root, "maxCPUs");
  x->devices[1] = (int32_t)number_in(root, "maxFPGAs");
  x->capacity[0] = INFINITY;
  x->capacity[1] = number_in(root, "maxSizePerFPGA");
  x->seconds = g_new0(double, 2 * (x->units->n + 1));
  x->bytes = g_new0(double, x->units->n + 1);
  for (size_t i = 0; i < json_array_size(nodes); i++) {
    const json_t *node = json_array_get(nodes, i);
    int32_t u = x->units->of[i];
    x->seconds[2 * u] += number_in(node, "cpuLatency");
    x->seconds[2 * u + 1] += number_in(node, "supportedOnFpga") == 0 ? INFINITY : number_in(node, "fpgaLatency");
    x->bytes[u] += number_in(node, "size");
  }
  x->p = (ho_stages){.n_units = x->units->n, .n_types = 2, .devices = x->devices, .seconds = x->seconds, .bytes = x->bytes};
  x->p.capacity = x->capacity;
  x->p.n_orders = x->units->n_orders;
  x->p.before = x->units->before;
  x->p.after = x->units->after;
  g_autofree double *cost = costs_of_nodes(root);
  add_messages(x, cost);
  json_decref(root);
}

static void network_clear(network *x) {
  g_free(x->seconds);
  g_free(x->bytes);
  g_free(x->in);
  g_free(x->out);
  g_free(x->from);
  g_free(x->use_start);
  g_free(x->use);
  ho_units_free(x->units);
  ho_graph_free(x->g);
}

/* msr-fiddle/dnn-partitioning, throughput-dp: the optimum over contiguous splits, ms. */
Test(sched_stages, contiguous_optima_of_dnn_partitioning) {
  static const struct {
    const char *file;
    double load;
  } published[] = {{"throughput_layer_bert24_training.json", 41.7458}, {"throughput_layer_resnet50_inference.json", 33.7747}};
  for (size_t i = 0; i < G_N_ELEMENTS(published); i++) {
    network x;
    network_read(&x, published[i].file);
    g_autofree int32_t *type = g_new(int32_t, x.units->n), *number = g_new(int32_t, x.units->n);
    double load = ho_stages_solve(&x.p, 5000, type, number);
    cr_expect_float_eq(load, published[i].load, 5e-5, "%s: %.6f, published %g", published[i].file, load, published[i].load);
    network_clear(&x);
  }
}

/* --- the scheduler ------------------------------------------------------------------------------------------------------------ */
#define FPGA(n) "  - {name: fpga" n ", kind: generic, memory: m" n ", launch: {mode: async, host: 0, device: 0}}\n"
#define BANK(n) "  - {name: m" n ", capacity: 17185374208, bandwidth: 1e12}\n"
#define LINK(n) "  - {name: l" n ", ends: [host, m" n "], bandwidth: 2147483648000, latency: 0, duplex: full}\n"
#define SIX(x) x("0") x("1") x("2") x("3") x("4") x("5")

/* The plan of bert24's training has the published optimum, to what our costs count more: three gradients of cost 0 that have 4 MiB each. */
Test(sched_stages, the_plan_of_bert24_training_has_the_published_load) {
  network x;
  network_read(&x, "throughput_layer_bert24_training.json");
  g_autofree char *path = NULL;
  json_decref(read_json("throughput_layer_bert24_training.json", &path));
  g_autoptr(lab) l =
      lab_spec(path, "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e15, bandwidth: 1e12}\n"  //
               SIX(BANK) "devices:\n  - {name: cpu0, kind: cpu, memory: host, launch: {mode: async, host: 0, device: 0}}\n" SIX(
                   FPGA) "links:\n" SIX(LINK));
  g_autoptr(ho_search) s = lab_must_run(l, "contiguous", NULL, 1, 1);
  lab_check_plans(l, s);
  const ho_plan *plan = ho_archive_payload(ho_search_archive(s), 0);
  g_autofree uint8_t *in = g_new(uint8_t, x.units->n + 1);
  double greatest = 0;
  for (ho_device d = 0; d < l->platform->n_devices; d++) {
    memset(in, 0, (size_t)x.units->n);
    for (int32_t i = 0; i < plan->n; i++)
      if (plan->entry[i].device == d) in[x.units->of[plan->entry[i].op]] = 1;
    greatest = fmax(greatest, ho_stages_load(&x.p, in, l->platform->device[d].kind == HO_DEVICE_CPU ? 0 : 1));
  }
  cr_assert(greatest > 41.7458 - 5e-5 && greatest < 41.7458 + 0.01, "%.6f", greatest);
  network_clear(&x);
}

/* On a chain the best latency is a shortest path: as good as the best of all plans, which `exact` proves. */
Test(sched_stages, for_latency_a_chain_is_split_best) {
  const char *const latency[] = {"objective=latency", NULL};
  for (uint64_t seed = 1; seed <= 40; seed++) {
    ho_stream r = ho_stream_small(seed);
    g_autoptr(GString) text = g_string_new("{\"format\":\"heteroopt-graph/1\",\"name\":\"chain\",\"ops\":[");
    int n = 2 + (int)ho_stream_below(&r, 5);
    for (int i = 0; i < n; i++)
      g_string_append_printf(text, "%s{\"name\":\"o%d\",\"time\":{\"d0\":%d,\"d1\":%d,\"d2\":%d}}", i ? "," : "", i,
                             1 + (int)ho_stream_below(&r, 12), 1 + (int)ho_stream_below(&r, 12),
                             1 + (int)ho_stream_below(&r, 12));
    g_string_append(text, "],\"tensors\":[");
    for (int i = 0; i + 1 < n; i++)
      g_string_append_printf(text, "%s{\"name\":\"t%d\",\"bytes\":%d,\"producer\":\"o%d\",\"consumers\":[\"o%d\"]}", i ? "," : "",
                             i, (int)ho_stream_below(&r, 8), i, i + 1);
    g_string_append(text, "]}");
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) texts = lab_texts(text->str,
                                     "format: heteroopt-platform/1\nname: q\nmemories:\n  - {name: m, capacity: 1, "
                                     "bandwidth: 1}\ndevices:\n  - {name: d0, kind: generic, memory: m}\n");
    g_autoptr(lab) l = lab_new(g_steal_pointer(&texts->graph), p);
    l->problem.n_objectives = 1;
    g_autoptr(ho_search) s = lab_must_run(l, "contiguous", latency, 1, 1);
    g_autoptr(ho_search) best = lab_must_run(l, "exact", NULL, 1, 1000000);
    cr_expect_eq(lab_replayed(l, s), ho_archive_objectives(ho_search_archive(best), 0)[0], "seed %d", (int)seed);
  }
}

/* Layers whose data runs in a circle become one unit; a backward op without a layer of its own goes with who it reads from. */
Test(sched_stages, units_are_layers_in_an_order_without_circles) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":["
      "{\"name\":\"a\",\"layer\":\"x\"},{\"name\":\"b\",\"layer\":\"y\"},{\"name\":\"c\",\"layer\":\"x\"},{\"name\":\"d\"},"
      "{\"name\":\"e\",\"phase\":\"backward\",\"layer\":\"loss\"}],\"tensors\":["
      "{\"name\":\"ab\",\"bytes\":1,\"producer\":\"a\",\"consumers\":[\"b\"]},"
      "{\"name\":\"bc\",\"bytes\":1,\"producer\":\"b\",\"consumers\":[\"c\"]},"
      "{\"name\":\"cd\",\"bytes\":1,\"producer\":\"c\",\"consumers\":[\"d\"]},"
      "{\"name\":\"de\",\"bytes\":1,\"producer\":\"d\",\"consumers\":[\"e\"]}]}",
      "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: 1e9, bandwidth: 1e9}\ndevices:\n"
      "  - {name: d0, kind: generic, memory: m, peak: {fp32: 1e9}}\n");
  ho_units *x = ho_units_new(l->graph, HO_UNITS_LAYERS), *ops = ho_units_new(l->graph, HO_UNITS_OPS);
  cr_assert_eq(x->n, 2);
  for (ho_op o = 0; o < 3; o++) cr_expect_eq(x->of[o], 0);
  cr_expect(x->of[3] == 1 && x->of[4] == 1);
  cr_expect(x->n_orders == 1 && x->before[0] == 0 && x->after[0] == 1);
  cr_assert_eq(ops->n, 5);
  for (ho_op o = 0; o < 5; o++) cr_expect_eq(ops->of[o], o);
  const double weight[] = {1, 1, 1, 1, 4};
  ho_units_to_chain(ops, 5, weight, 2); /* halves of the weight: four ops, and the heavy one */
  cr_assert_eq(ops->n, 2);
  for (ho_op o = 0; o < 5; o++) cr_expect_eq(ops->of[o], o == 4);
  ho_units_free(x);
  ho_units_free(ops);
}
