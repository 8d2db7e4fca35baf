/* test_shared.c: published files against what an independent count of them gives. The counts were made with a few lines of Python
 * over the files (json.load, split), which know nothing of the readers; where a paper or program states the number, it is named. */
#include <criterion/criterion.h>
#include <math.h>

#include "files.h"

static ho_graph *read_shared(const char *name, const char *const *bind) {
  g_autofree char *path = shared_path("data/graphs", name);
  return read_file(path, bind, NULL);
}

static double sum_flops(const ho_graph *g) {
  double sum = 0;
  for (ho_op o = 0; o < g->n_ops; o++) sum += g->op[o].flops;
  return sum;
}

static double sum_times(const ho_graph *g, const char *device, ho_phase phase) {
  double sum = 0;
  for (ho_op o = 0; o < g->n_ops; o++)
    if (g->op[o].phase == phase) sum += time_on(g, g->op[o].name, device);
  return sum;
}

static int64_t sum_weights(const ho_graph *g) {
  int64_t sum = 0;
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (g->tensor[t].role == HO_ROLE_WEIGHT) sum += g->tensor[t].bytes;
  return sum;
}

#define NEAR(a, b) cr_assert(fabs((a) - (b)) <= 1e-9 * fabs(b), "%.17g, expected %.17g", (double)(a), (double)(b))

/* WfInstances: tasks, pairs of (file that a task writes, task that reads it), run times in s, bytes that tasks write. */
Test(shared, workflows_of_wfinstances) {
  g_autoptr(ho_graph) g = read_shared("helloworld-forkjoin-10-chameleon.json", NULL);
  cr_assert_eq(g->n_ops, 10);
  cr_assert_eq(g->n_edges, 16);
  NEAR(sum_flops(g), 1028.704e9);
  cr_assert_eq(bytes_made(g), 90909100);
  g_autoptr(ho_graph) h = read_shared("srasearch-chameleon-10a-001.json", NULL);
  cr_assert_eq(h->n_ops, 22);
  cr_assert_eq(h->n_edges, 100);
  NEAR(sum_flops(h), 6996.779e9);
  cr_assert_eq(bytes_made(h), INT64_C(10686723449));
}

typedef struct {
  const char *file;
  int32_t nodes, edges;
  double cpu, fpga; /* ms, of all nodes */
  int64_t weights, made;
} network;

/* dnn-partitioning. `fpga` is also what the authors' program prints as the load of one accelerator: 92.406, 182.563, 217.813 ms. */
static const network networks[] = {
    {"latency_layer_bert24_inference.json", 32, 55, 924.06, 92.406, 1824824592, 229883920},
    {"latency_layer_gnmt_inference.json", 96, 122, 1825.63, 182.563, 2466507520, 920969728},
    {"latency_op_bert_l-3_inference.json", 235, 250, 1135.1090857658728, 49.352568946342295, 1512867688, 1197459275},
    {"throughput_layer_bert24_training.json", 64, 110, 2178.13, 217.813, 3649649184, 718192704},
    {"throughput_layer_resnet50_inference.json", 177, 193, 2014.5, 201.45, INT64_C(19410956452), INT64_C(19308216324)},
};

Test(shared, networks_of_dnn_partitioning) {
  for (guint i = 0; i < G_N_ELEMENTS(networks); i++) {
    const network *n = &networks[i];
    g_autoptr(ho_graph) g = read_shared(n->file, NULL);
    cr_assert_eq(g->n_ops, n->nodes, "%s", n->file);
    cr_assert_eq(g->n_edges, n->edges, "%s: %d edges", n->file, g->n_edges);
    NEAR(sum_times(g, "cpu0", HO_PHASE_FORWARD) + sum_times(g, "cpu0", HO_PHASE_BACKWARD), n->cpu / 1e3);
    NEAR(sum_times(g, "fpga0", HO_PHASE_FORWARD) + sum_times(g, "fpga0", HO_PHASE_BACKWARD), n->fpga / 1e3);
    cr_assert_eq(sum_weights(g), n->weights, "%s", n->file);
    cr_assert_eq(bytes_made(g), n->made, "%s", n->file);
  }
}

/* PipeDream. ResNet-50's parameters are the published 25,557,032, four bytes each. */
Test(shared, profiles_of_pipedream) {
  const char *const forward[] = {"backward=0", NULL};
  g_autoptr(ho_graph) g = read_shared("resnet50.graph.txt", forward);
  cr_assert_eq(g->n_ops, 177);
  cr_assert_eq(g->n_edges, 193);
  NEAR(sum_times(g, "gpu0", HO_PHASE_FORWARD), 201.45e-3);
  cr_assert_eq(sum_weights(g), INT64_C(4) * 25557032);
  cr_assert_eq(bytes_made(g), INT64_C(19308728324));
  g_autoptr(ho_graph) both = read_shared("resnet50.graph.txt", NULL);
  cr_assert_eq(both->n_ops, 354);
  NEAR(sum_times(both, "gpu0", HO_PHASE_BACKWARD), 260.931e-3);
  g_autoptr(ho_graph) h = read_shared("gnmt.graph.txt", forward);
  cr_assert_eq(h->n_ops, 48);
  cr_assert_eq(h->n_edges, 58);
  NEAR(sum_times(h, "gpu0", HO_PHASE_FORWARD), 33.533e-3);
  cr_assert_eq(sum_weights(h), 775063808);
}
