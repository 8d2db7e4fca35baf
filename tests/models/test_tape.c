/* test_tape.c: what training adds to a model that is made of a tape, whichever it is. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"

/* Small ones of every builder; `free_macs`: of products whose input depends on no weight, so that it needs no gradient. */
static const struct {
  const char *spec;
  double free_macs;
} models[] = {
    {"bert-base:layers=2,seq=16", 0},
    {"gpt2:layers=2,seq=16,batch=2", 0},
    {"llama2-7b:layers=1,seq=16", 0},
    {"vit-b16:layers=2,image=64", 16 * 768.0 * 3 * 16 * 16},
    {"moe:width=64,hidden=128,seq=50,skew=1", 0},
    {"two-tower:batch=16,items=16", 0},
    {"gcn:dataset=cora", 2708.0 * 1433 * 16},
    {"gcn:dataset=cora,aggregation=spmm", 2708.0 * 1433 * 16},
    {"graphsage:dataset=cora", 2 * 2708.0 * 1433 * 16},
    {"gat:dataset=cora", 2708.0 * 1433 * 64},
    {"gcn:layers=2", 169343.0 * 128 * 256},
};

static ho_graph *in_training(const char *spec) {
  g_autofree char *full = g_strconcat(spec, ",mode=training", NULL);
  return built_in(full);
}

static double forward_macs(const ho_graph *g) {
  double macs = 0;
  for (ho_op o = 0; o < g->n_ops; o++)
    if (g->op[o].phase == HO_PHASE_FORWARD && ho_family_has_macs(g->op[o].family)) macs += g->op[o].flops / 2;
  return macs;
}

Test(tape, training_costs_three_times_the_way_forward_but_for_products_of_inputs) {
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autoptr(ho_graph) g = in_training(models[i].spec);
    g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
    cr_expect_eq(s->macs, 3 * forward_macs(g) - models[i].free_macs, "%s: %.0f", models[i].spec, 3 * forward_macs(g) - s->macs);
  }
}

Test(tape, every_weight_and_both_moments_are_updated_in_place_once) {
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autoptr(ho_graph) g = in_training(models[i].spec);
    g_autoptr(ho_graph) inference = built_in(models[i].spec);
    g_autofree int *updates = g_new0(int, g->n_tensors);
    int weights = 0, forward_weights = 0;
    for (ho_tensor t = 0; t < g->n_tensors; t++) {
      const ho_tensor_info *v = &g->tensor[t];
      weights += v->role == HO_ROLE_WEIGHT;
      if (v->producer < 0 || g->op[v->producer].phase != HO_PHASE_UPDATE) continue;
      cr_assert_eq(g->tensor[v->root].role, HO_ROLE_WEIGHT, "%s", v->name);
      cr_assert_eq(v->bytes, g->tensor[v->root].bytes);
      updates[v->root]++;
    }
    for (ho_tensor t = 0; t < g->n_tensors; t++)
      if (g->tensor[t].role == HO_ROLE_WEIGHT) cr_expect_eq(updates[t], 1, "%s: %s", models[i].spec, g->tensor[t].name);
    for (ho_tensor t = 0; t < inference->n_tensors; t++) forward_weights += inference->tensor[t].role == HO_ROLE_WEIGHT;
    if (!g_str_has_prefix(models[i].spec, "bert")) cr_expect_eq(weights, 3 * forward_weights, "%s", models[i].spec);
  }
}

Test(tape, only_losses_and_updates_come_out_of_training) {
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autoptr(ho_graph) g = in_training(models[i].spec);
    for (ho_tensor t = 0; t < g->n_tensors; t++) {
      const ho_tensor_info *v = &g->tensor[t];
      gboolean expected = !v->is_output || g->op[v->producer].phase == HO_PHASE_UPDATE || strcmp(v->name, "loss.value") == 0;
      cr_expect(expected, "%s: %s is an output", models[i].spec, v->name);
    }
  }
}

/* What backward ops read of the way forward stays in memory by being read: products need both their inputs. */
Test(tape, saved_activations_live_until_their_gradients) {
  g_autoptr(ho_graph) g = built_in("gpt2:layers=1,seq=16,mode=training");
  static const char *const needed[][2] = {{"h.0.attn.q.transpose.out", "h.0.attn.scores.dgrad.1"},
                                          {"h.0.attn.k.transpose.out", "h.0.attn.scores.dgrad.0"},
                                          {"h.0.attn.softmax.out", "h.0.attn.softmax.grad"},
                                          {"h.0.attn.softmax.out", "h.0.attn.context.dgrad.1"},
                                          {"h.0.mlp.c_fc.add.out", "h.0.mlp.act.grad"},
                                          {"h.0.mlp.act.out", "h.0.mlp.c_proj.matmul.wgrad"},
                                          {"h.0.ln_1.statistics", "h.0.ln_1.grad"}};
  for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
    ho_tensor t = ho_graph_find_tensor(g, needed[i][0]);
    ho_op o = ho_graph_find_op(g, needed[i][1]);
    cr_assert(t >= 0 && o >= 0, "%s, %s", needed[i][0], needed[i][1]);
    gboolean reads = FALSE;
    for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++) reads |= g->in[k] == t;
    cr_expect(reads, "%s reads %s", needed[i][1], needed[i][0]);
  }
}

/* The word embeddings are also the head: their two gradients are added, and they are updated once. */
Test(tape, gradients_of_a_shared_weight_are_added) {
  g_autoptr(ho_graph) g = built_in("gpt2:layers=1,seq=16,mode=training");
  ho_tensor words = ho_graph_find_tensor(g, "embeddings.wte.weight");
  int additions = 0;
  for (ho_op o = 0; o < g->n_ops; o++)
    additions += strcmp(g->op[o].kind, "add") == 0 && g->tensor[g->out[g->out_start[o]]].bytes == g->tensor[words].bytes;
  cr_assert_eq(additions, 1);
}

Test(tape, work_grows_with_the_batch_and_weights_do_not) {
  g_autoptr(ho_graph) one = built_in("bert-base");
  g_autoptr(ho_graph) eight = built_in("bert-base:batch=8");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(one);
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(eight);
  cr_assert_eq(t->macs, 8 * s->macs);
  cr_assert_eq(t->parameters, s->parameters);
  cr_assert_eq(eight->samples, 8);
}

Test(tape, half_the_bits_are_half_the_bytes_but_of_indices) {
  g_autoptr(ho_graph) full = built_in("llama2-7b:layers=1");
  g_autoptr(ho_graph) half = built_in("llama2-7b:layers=1,precision=fp16");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(full);
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(half);
  double indices = 128 * 8;
  cr_assert_eq(2 * (t->bytes - indices), s->bytes - indices);
  cr_assert_eq(2 * t->weight_bytes, s->weight_bytes);
}
