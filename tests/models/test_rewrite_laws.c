/* test_rewrite_laws.c: what every rewrite rule must hold, on built-in models, random graphs and the ONNX files at hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"
#include "models/rewrite.h"

/* ---- graphs ---------------------------------------------------------------------------------------------------------- */

typedef void (*law)(const ho_graph *g, const ho_rewrite_rule *rule, const char *name);

static void on_one(const ho_graph *g, const char *name, law check) {
  for (int r = 0; ho_rewrite_rules[r]; r++) check(g, ho_rewrite_rules[r], name);
}

static void on_spec(const char *spec, law check) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_graph) g = ho_graph_load(spec, NULL, NULL, &error);
  if (g) on_one(g, spec, check); /* what cannot be read is another test's business */
}

static void on_folder(const char *folder, law check) {
  GDir *d = g_dir_open(folder, 0, NULL);
  if (!d) return;
  for (const char *name = g_dir_read_name(d); name; name = g_dir_read_name(d)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      on_folder(path, check);
    else if (g_str_has_suffix(name, ".onnx"))
      on_spec(path, check);
  }
  g_dir_close(d);
}

/* Every built-in as it is and, where it has that, in training; random graphs; the project's ONNX files and the shared ones. */
static void everywhere(law check) {
  for (int i = 0; ho_model_builders[i]; i++) {
    on_spec(ho_model_builders[i]->name, check);
    g_autofree char *training = g_strdup_printf("%s:mode=training", ho_model_builders[i]->name);
    on_spec(training, check);
  }
  ho_stream s = ho_stream_small(17);
  for (int i = 0; i < 40; i++) {
    g_autoptr(ho_graph) g = random_graph(&s, 2 + (int32_t)ho_stream_below(&s, 40));
    on_one(g, "random", check);
  }
  const char *source = g_getenv("HO_TEST_SRCDIR"), *shared = g_getenv("HO_SHARED");
  g_autofree char *own = g_build_filename(source ? source : ".", "tests", "data", "onnx", NULL);
  g_autofree char *files = shared ? g_build_filename(shared, "onnx", "files", NULL)
                                  : g_build_filename(source ? source : ".", "..", "shared", "onnx", "files", NULL);
  on_folder(own, check);
  on_folder(files, check);
}

/* ---- figures --------------------------------------------------------------------------------------------------------- */

static double macs_of(const ho_graph *g) {
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  return s->macs;
}

static double traffic_of(const ho_graph *g) {
  double sum = 0;
  for (ho_op o = 0; o < g->n_ops; o++) sum += g->op[o].read + g->op[o].write;
  return sum;
}

static double flops_of(const ho_graph *g) {
  double sum = 0;
  for (ho_op o = 0; o < g->n_ops; o++) sum += g->op[o].flops;
  return sum;
}

static gboolean keeps_macs(const ho_rewrite_rule *rule) {
  return strcmp(rule->name, "fuse") == 0 || strcmp(rule->name, "split") == 0;
}

static void assert_near(double a, double b, const char *what, const char *name) {
  cr_assert_leq(fabs(a - b), 1e-9 * fmax(fabs(a), fabs(b)) + 1e-6, "%s: %s is %.17g, expected %.17g", name, what, a, b);
}

static void assert_same_ends(const ho_graph *a, const ho_graph *b, const char *name) {
  for (ho_tensor t = 0; t < a->n_tensors; t++) {
    const ho_tensor_info *x = &a->tensor[t];
    if (x->role != HO_ROLE_INPUT && !x->is_output) continue;
    ho_tensor u = ho_graph_find_tensor(b, x->name);
    cr_assert_geq(u, 0, "%s: '%s' is gone", name, x->name);
    const ho_tensor_info *y = &b->tensor[u];
    cr_assert_eq(x->role, y->role, "%s: '%s'", name, x->name);
    cr_assert_eq(x->is_output, y->is_output, "%s: '%s'", name, x->name);
    cr_assert_eq(x->bytes, y->bytes);
    cr_assert_eq(x->dtype, y->dtype);
    cr_assert_eq(x->rank, y->rank);
    for (int32_t k = 0; k < x->rank; k++) cr_assert_eq(x->shape[k], y->shape[k]);
  }
  for (ho_tensor u = 0; u < b->n_tensors; u++) {
    if (b->tensor[u].role != HO_ROLE_INPUT && !b->tensor[u].is_output) continue;
    ho_tensor t = ho_graph_find_tensor(a, b->tensor[u].name);
    cr_assert(t >= 0 && (a->tensor[t].role == HO_ROLE_INPUT || a->tensor[t].is_output), "%s: '%s' became an end", name,
              b->tensor[u].name);
  }
}

static ho_graph *frozen(const ho_workgraph *w, const char *name) {
  GError *error = NULL;
  ho_graph *g = ho_workgraph_freeze(w, HO_FREEZE_NAMED, &error);
  cr_assert_not_null(g, "%s: %s", name, error ? error->message : "");
  return g;
}

/* ---- laws ------------------------------------------------------------------------------------------------------------ */

static void check_identity(const ho_graph *g, const ho_rewrite_rule *rule, const char *name) {
  (void)rule;
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  g_autoptr(ho_graph) same = frozen(w, name);
  cr_assert_str_eq(same->digest, g->digest, "%s", name);
  cr_assert_eq(same->n_edges, g->n_edges);
  cr_assert_arr_eq(same->topo, g->topo, sizeof *g->topo * (size_t)g->n_ops);
}

Test(rewrite_laws, a_work_graph_freezes_into_the_graph_it_was_made_of) {
  everywhere(check_identity);
}

typedef struct {
  GArray *all; /* ho_candidate */
} collection;

static ho_find_answer collect(const ho_candidate *c, void *data) {
  g_array_append_vals(((collection *)data)->all, c, 1);
  return HO_FIND_ON;
}

static void check_each(const ho_graph *g, const ho_rewrite_rule *rule, const char *name) {
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  collection c = {g_array_new(FALSE, FALSE, sizeof(ho_candidate))};
  rule->find(w, -1, collect, &c);
  double traffic = traffic_of(g), macs = macs_of(g), flops = flops_of(g);
  for (guint i = 0; i < c.all->len; i += 1 + c.all->len / 80) { /* of large models every so many */
    const ho_candidate *x = &g_array_index(c.all, ho_candidate, i);
    g_autoptr(GError) error = NULL;
    cr_assert(ho_candidate_apply(w, x, &error), "%s: %s (%s): %s", name, rule->name, x->pattern, error ? error->message : "");
    g_autoptr(ho_graph) after = frozen(w, name);
    assert_same_ends(g, after, name);
    assert_near(traffic - traffic_of(after), x->bytes_saved, "bytes saved", name);
    assert_near(flops_of(after), flops + x->flops_added, "FLOPs", name);
    if (keeps_macs(rule)) assert_near(macs_of(after), macs, "MACs", name);
    ho_workgraph_undo(w, 0);
  }
  g_array_free(c.all, TRUE);
  g_autoptr(ho_graph) back = frozen(w, name);
  cr_assert_str_eq(back->digest, g->digest, "%s: %s", name, rule->name);
}

Test(rewrite_laws, what_is_found_can_be_applied_saves_what_it_says_and_is_undone, .timeout = 120) {
  everywhere(check_each);
}

static void check_all(const ho_graph *g, const ho_rewrite_rule *rule, const char *name) {
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  cr_assert_geq(ho_rewrite_everywhere(w, rule->name, NULL, NULL), 0);
  g_autoptr(ho_graph) after = frozen(w, name);
  assert_same_ends(g, after, name);
  if (strcmp(rule->name, "fuse") == 0) assert_near(flops_of(after), flops_of(g), "FLOPs", name);
  if (keeps_macs(rule)) assert_near(macs_of(after), macs_of(g), "MACs", name);
  ho_workgraph_undo(w, 0);
  g_autoptr(ho_graph) back = frozen(w, name);
  cr_assert_str_eq(back->digest, g->digest, "%s: %s", name, rule->name);
}

Test(rewrite_laws, a_rule_applied_everywhere_keeps_the_ends_and_is_undone, .timeout = 120) {
  everywhere(check_all);
}

typedef struct {
  GArray *all;
  guint8 *taken;
} disjoint;

static ho_find_answer collect_disjoint(const ho_candidate *c, void *data) {
  disjoint *d = data;
  for (int32_t i = 0; i < c->n_ops; i++)
    if (d->taken[c->op[i]]) return HO_FIND_ON;
  for (int32_t i = 0; i < c->n_ops; i++) d->taken[c->op[i]] = 1;
  g_array_append_vals(d->all, c, 1);
  return HO_FIND_ON;
}

/* Applies candidates that share no op, from the first or from the last. The digest is "" when one of them has become illegal. */
static char *digest_of(const ho_graph *g, const GArray *all, gboolean backwards) {
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  for (guint i = 0; i < all->len; i++)
    if (!ho_candidate_apply(w, &g_array_index(all, ho_candidate, backwards ? all->len - 1 - i : i), NULL)) return g_strdup("");
  g_autoptr(ho_graph) after = frozen(w, "order");
  return g_strdup(after->digest);
}

static void check_order(const ho_graph *g, const ho_rewrite_rule *rule, const char *name) {
  if (!rule->shrinks) return;
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  g_autofree guint8 *taken = g_malloc0((gsize)g->n_ops);
  disjoint d = {g_array_new(FALSE, FALSE, sizeof(ho_candidate)), taken};
  rule->find(w, -1, collect_disjoint, &d);
  g_autofree char *forwards = digest_of(g, d.all, FALSE), *backwards = digest_of(g, d.all, TRUE);
  if (*forwards && *backwards) cr_assert_str_eq(forwards, backwards, "%s: %s", name, rule->name);
  g_array_free(d.all, TRUE);
}

Test(rewrite_laws, rewrites_that_share_no_op_give_one_graph_in_any_order, .timeout = 120) {
  everywhere(check_order);
}

/* A walk over edges from a random op, now and then with an op from anywhere. */
static void random_group(const ho_workgraph *w, ho_stream *s, ho_candidate *c) {
  int32_t n = 1 + (int32_t)ho_stream_below(s, 8);
  ho_op o = -1;
  for (c->n_ops = 0; c->n_ops < n;) {
    const ho_work_op *x = o >= 0 ? &w->op[o] : NULL;
    const ho_row *row = x && ho_stream_below(s, 2) ? &x->in : x ? &x->out : NULL;
    ho_tensor t = row && row->n ? row->item[ho_stream_below(s, (uint64_t)row->n)] : -1;
    const ho_row *use = t >= 0 ? &w->tensor[t].use : NULL;
    ho_op next = use && use->n ? use->item[ho_stream_below(s, (uint64_t)use->n)] : -1;
    if (row && t >= 0 && row == &x->in && w->tensor[t].info.producer >= 0) next = w->tensor[t].info.producer;
    if (next < 0 || ho_stream_below(s, 10) == 0) do
        next = (ho_op)ho_stream_below(s, (uint64_t)w->n_ops);
      while (!w->op[next].alive);
    o = next;
    int32_t k = 0;
    while (k < c->n_ops && c->op[k] != o) k++;
    if (k == c->n_ops)
      c->op[c->n_ops++] = o;
    else
      n--;
  }
}

static int32_t fuse_at_random(ho_workgraph *w, ho_stream *s, int32_t tries) {
  int32_t done = 0;
  for (int32_t i = 0; i < tries; i++) {
    ho_candidate c = {.rule = ho_rewrite_rule_find("fuse"), .pattern = "random", .tensor = -1};
    random_group(w, s, &c);
    g_autoptr(GError) error = NULL;
    if (ho_candidate_apply(w, &c, &error))
      done++;
    else
      cr_assert(error && *error->message && !strchr(error->message, '\n'));
  }
  return done;
}

static void check_random_groups(const ho_graph *g, const ho_rewrite_rule *rule, const char *name) {
  if (strcmp(rule->name, "fuse") != 0) return;
  ho_stream s = ho_stream_small(99);
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  for (int round = 0; round < 3; round++) {
    int32_t mark = ho_workgraph_mark(w);
    fuse_at_random(w, &s, 60);
    g_autoptr(ho_graph) between = frozen(w, name); /* has no cycle */
    assert_same_ends(g, between, name);
    assert_near(macs_of(between), macs_of(g), "MACs", name);
    g_autofree char *digest = g_strdup(between->digest);
    int32_t inner = ho_workgraph_mark(w);
    fuse_at_random(w, &s, 30);
    ho_workgraph_undo(w, inner);
    g_autoptr(ho_graph) again = frozen(w, name);
    cr_assert_str_eq(again->digest, digest, "%s", name);
    if (round == 1) ho_workgraph_undo(w, mark);
  }
  ho_workgraph_undo(w, 0);
  g_autoptr(ho_graph) back = frozen(w, name);
  cr_assert_str_eq(back->digest, g->digest, "%s", name);
}

Test(rewrite_laws, any_group_of_ops_is_fused_without_a_cycle_or_refused, .timeout = 120) {
  everywhere(check_random_groups);
}
