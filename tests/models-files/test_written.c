/* test_written.c: graphs written as DOT and STG and read back. */
#include <criterion/criterion.h>
#include <string.h>

#include "files.h"

/* Every op and drawn tensor of `g` is in `h` with what DOT keeps. */
static void expect_same_drawing(const ho_graph *g, const ho_graph *h) {
  cr_assert_eq(g->n_ops, h->n_ops);
  cr_assert_eq(g->n_edges, h->n_edges);
  for (ho_op o = 0; o < g->n_ops; o++) {
    const ho_op_info *a = &g->op[o], *b = &h->op[o];
    cr_assert(strcmp(a->name, b->name) == 0 && strcmp(a->kind, b->kind) == 0 && g_strcmp0(a->layer, b->layer) == 0, "%s",
              a->name);
    cr_assert(a->flops == b->flops && a->read == b->read && a->write == b->write, "%s", a->name);
    cr_assert(a->workspace == b->workspace && a->parallelism == b->parallelism && a->phase == b->phase, "%s", a->name);
    cr_assert_eq(MAX(a->n_times, 0), MAX(b->n_times, 0), "%s", a->name);
    for (int32_t i = 0; i < a->n_times; i++)
      cr_assert_eq(time_on(h, a->name, g->time_devices[a->times[i].device]), a->times[i].seconds);
  }
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_tensor_info *a = &g->tensor[t];
    int32_t uses = g->use_start[t + 1] - g->use_start[t];
    if (a->role == HO_ROLE_WEIGHT || (a->producer < 0 && uses == 0)) continue;
    ho_tensor u = ho_graph_find_tensor(h, a->name);
    cr_assert_geq(u, 0, "%s", a->name);
    const ho_tensor_info *b = &h->tensor[u];
    cr_assert(a->bytes == b->bytes && a->dtype == b->dtype && a->producer == b->producer && a->role == b->role, "%s", a->name);
    cr_assert_eq(uses, h->use_start[u + 1] - h->use_start[u], "%s", a->name);
    for (int32_t i = 0; i < uses; i++) cr_assert_eq(g->use[g->use_start[t] + i], h->use[h->use_start[u] + i]);
  }
}

Test(written, dot_read_back_gives_the_same_structure) {
  const char *const models[] = {"resnet50:batch=2", "resnet18:mode=training", "layered:ops=300", "fork-join:ops=40", NULL};
  for (int i = 0; models[i]; i++) {
    g_autoptr(ho_graph) g = ho_graph_load(models[i], NULL, NULL, NULL);
    cr_assert_not_null(g);
    g_autoptr(ho_graph) h = write_and_read(g, ho_graph_write_dot, ".dot", NULL);
    expect_same_drawing(g, h);
  }
  for (int i = 0; samples[i]; i++) {
    g_autoptr(ho_graph) g = read_sample(samples[i]), h = write_and_read(g, ho_graph_write_dot, ".dot", NULL);
    expect_same_drawing(g, h);
  }
}

static void expect_same_tasks(const ho_graph *g, const ho_graph *h) {
  cr_assert_eq(g->n_ops, h->n_ops);
  for (ho_op o = 0; o < g->n_ops; o++) cr_assert_eq(g->op[o].flops, h->op[o].flops);
  for (ho_tensor t = 0; t < g->n_tensors; t++) cr_assert_eq(g->tensor[t].bytes, bytes_of(h, g->tensor[t].name));
  cr_assert_eq(g->n_edges, h->n_edges);
}

Test(written, stg_read_back_is_the_same_graph) {
  const char *const files[] = {"plain.stg", "costs.stg", NULL};
  for (int i = 0; files[i]; i++) {
    g_autoptr(ho_graph) g = read_sample(files[i]), h = write_and_read(g, ho_graph_write_stg, ".stg", NULL);
    expect_same_tasks(g, h);
    cr_assert_str_eq(g->digest, h->digest, "the dummies of the format are not added a second time");
  }
}

/* Between the dummies, op k is task k + 1. */
Test(written, stg_adds_the_dummies_and_keeps_times_and_bytes) {
  g_autoptr(ho_graph) g = read_sample("five.dax"), h = write_and_read(g, ho_graph_write_stg, ".stg", NULL);
  cr_assert_eq(h->n_ops, 7);
  for (ho_op o = 0; o < g->n_ops; o++) cr_assert_eq(h->op[o + 1].flops, g->op[o].flops);
  cr_assert_eq(bytes_of(h, "n1>n2"), 1000);
  cr_assert_eq(bytes_of(h, "n3>n5"), 60);
  cr_assert_eq(bytes_of(h, "n4>n5"), 0);
  cr_assert(has_edge(h, "n0", "n1") && has_edge(h, "n5", "n6"));
}

/* ---- the Standard Task Graphs among the reference cases -------------------------------------------------------------- */

/* Longest chain and sum of times on the first device: what no schedule on identical processors can beat. */
static void bounds(const ho_graph *g, double *chain, double *sum) {
  g_autofree double *end = g_new0(double, g->n_ops);
  *chain = *sum = 0;
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++) {
      ho_op p = g->tensor[g->in[j]].producer;
      if (p >= 0) end[o] = MAX(end[o], end[p]);
    }
    end[o] += g->op[o].times[0].seconds;
    *sum += g->op[o].times[0].seconds;
    *chain = MAX(*chain, end[o]);
  }
}

Test(written, cases_of_the_task_graph_set_survive_their_own_format) {
  const char *const cases[] = {"stg_50_rand0000_p2", "stg_50_rand0013_p8", "stg_100_rand0005_p8", "stg_100_rand0008_p2", NULL};
  for (int i = 0; cases[i]; i++) {
    g_autofree char *folder = shared_path("cases", cases[i]), *path = g_build_filename(folder, "graph.json", NULL);
    g_autoptr(ho_graph) g = read_file(path, NULL, NULL);
    g_autoptr(ho_graph) h = write_and_read(g, ho_graph_write_stg, ".stg", g->time_devices);
    double chain[2], sum[2];
    bounds(g, &chain[0], &sum[0]);
    bounds(h, &chain[1], &sum[1]);
    cr_assert_eq(chain[0], chain[1], "%s", cases[i]);
    cr_assert_eq(sum[0], sum[1], "%s", cases[i]);
    cr_assert_eq(g->n_ops, h->n_ops, "%s", cases[i]);
    for (ho_op o = 0; o < g->n_ops; o++)
      for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++) {
        ho_op p = g->tensor[g->in[j]].producer;
        cr_assert(p < 0 || has_edge(h, h->op[p].name, h->op[o].name), "%s", cases[i]);
      }
  }
}
