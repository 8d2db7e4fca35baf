/* test_tables.c: the tables of built-in models in docs/models.md are made here: ours beside what was published.
 *
 * Published values are those that the test files of the families cite: parameters must be equal, multiply-accumulates within one per
 * cent. HO_UPDATE_TABLES=1 writes the tables into the document instead of comparing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"

typedef struct {
  const char *spec;
  int64_t parameters; /* 0: none was published */
  double macs;        /* 0: none was published */
  const char *by;     /* who counted */
} published;

static const published table[] = {
    {"resnet18", 11689512, 1.814e9, "torchvision"},
    {"resnet34", 21797672, 3.664e9, "torchvision"},
    {"resnet50", 25557032, 4.089e9, "torchvision"},
    {"resnet101", 44549160, 7.801e9, "torchvision"},
    {"resnet152", 60192808, 11.514e9, "torchvision"},
    {"vgg16", 138357544, 15.470e9, "torchvision"},
    {"vgg19", 143667240, 19.632e9, "torchvision"},
    {"mobilenet_v2", 3504872, 0.301e9, "torchvision"},
    {"inception_v3:aux=yes", 27161264, 0, "torchvision"},
    {"inception_v3", 0, 5.713e9, "torchvision"},
    {"densenet121", 7978856, 2.834e9, "torchvision"},
    {"bert-base", 109482240, 11.17e9, "Hugging Face; Vitis AI (22.34 GOP)"},
    {"bert-base:seq=384", 109482240, 35.33e9, "Hugging Face; Vitis AI (70.66 GOP)"},
    {"bert-large", 335141888, 0, "Hugging Face"},
    {"gpt2:phase=decode,past=0", 124439808, 123.5e6, "Hugging Face; 144 d² + d·V a token"},
    {"gpt2", 124439808, 0, "Hugging Face"},
    {"gpt2-medium", 354823168, 0, "Hugging Face"},
    {"gpt2-large", 774030080, 0, "Hugging Face"},
    {"gpt2-xl", 1557611200, 0, "Hugging Face"},
    {"vit-b16", 86567656, 17.564e9, "torchvision"},
    {"llama2-7b", 6738415616, 0, "Hugging Face"},
    {"llama2-7b:phase=decode,past=0", 6738415616, 6.607e9, "Hugging Face; products of a token"},
    {"moe", 0, 0, "—"},
    {"two-tower", 0, 0, "—"},
    {"gcn:dataset=cora", 23063, 0, "sizes of the paper"},
    {"gcn", 110120, 0, "OGB leaderboard"},
    {"gcn:dataset=products", 103727, 0, "OGB leaderboard"},
    {"graphsage", 218664, 0, "OGB leaderboard"},
    {"graphsage:dataset=products", 206895, 0, "OGB leaderboard"},
    {"gat:dataset=cora", 0, 0, "—"},
    {"gat", 0, 0, "—"},
};

/* With thousands separators. */
static char *grouped(double value) {
  g_autofree char *digits = g_strdup_printf("%.0f", value);
  GString *s = g_string_new(NULL);
  size_t n = strlen(digits);
  for (size_t i = 0; i < n; i++) g_string_append_printf(s, "%s%c", i && (n - i) % 3 == 0 ? "," : "", digits[i]);
  return g_string_free(s, FALSE);
}

static char *published_count(double value) {
  return value > 0 ? grouped(value) : g_strdup("—");
}

static char *published_macs(double value) {
  return value > 0 ? g_strdup_printf("%.4g G", value / 1e9) : g_strdup("—");
}

static char *row(const published *p) {
  g_autoptr(ho_graph) g = built_in(p->spec);
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  if (p->parameters) cr_expect_eq(s->parameters, p->parameters, "%s", p->spec);
  if (p->macs > 0) cr_expect_float_eq(s->macs / p->macs, 1, 0.01, "%s: %.17g", p->spec, s->macs);
  g_autofree char *parameters = grouped((double)s->parameters), *macs = grouped(s->macs), *bytes = grouped(s->bytes);
  g_autofree char *theirs = published_count((double)p->parameters), *their_macs = published_macs(p->macs);
  return g_strdup_printf("| `%s` | %d | %d | %s | %s | %s | %s | %s | %s |\n", p->spec, g->n_ops, g->n_edges, bytes, parameters,
                         theirs, macs, their_macs, p->by);
}

static char *whole_table(void) {
  GString *s = g_string_new(
      "| model | ops | edges | bytes | parameters | published | MACs | published | by |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autofree char *line = row(&table[i]);
    g_string_append(s, line);
  }
  return g_string_free(s, FALSE);
}

/* The document with what stands between "<!-- table models -->" and "<!-- end -->" replaced. */
static char *replaced(const char *document, const char *text) {
  static const char mark[] = "<!-- table models -->\n";
  const char *start = strstr(document, mark);
  cr_assert_not_null(start, "docs/models.md has no place for the table");
  start += strlen(mark);
  const char *end = strstr(start, "<!-- end -->");
  cr_assert_not_null(end);
  return g_strdup_printf("%.*s%s%s", (int)(start - document), document, text, end);
}

Test(tables, the_table_of_the_document_is_what_comes_out) {
  g_autofree char *file = g_build_filename(g_getenv("HO_TEST_SRCDIR"), "docs", "models.md", NULL), *before = NULL;
  cr_assert(g_file_get_contents(file, &before, NULL, NULL), "%s", file);
  g_autofree char *text = whole_table(), *after = replaced(before, text);
  if (g_getenv("HO_UPDATE_TABLES"))
    cr_assert(g_file_set_contents(file, after, -1, NULL));
  else
    cr_expect_str_eq(before, after, "run this test with HO_UPDATE_TABLES=1 and look at what changed");
}

/* Every network is in the table, so that none is added without saying what it is held against. */
Test(tables, every_network_is_in_the_table) {
  for (int i = 0; ho_model_builders[i]; i++) {
    gboolean network = FALSE, listed = FALSE;
    for (const ho_option *o = ho_model_builders[i]->options; o->name; o++) network |= strcmp(o->name, "mode") == 0;
    for (size_t k = 0; k < G_N_ELEMENTS(table); k++) {
      size_t n = strcspn(table[k].spec, ":");
      listed |= strncmp(table[k].spec, ho_model_builders[i]->name, n) == 0 && ho_model_builders[i]->name[n] == '\0';
    }
    cr_expect(!network || listed, "%s", ho_model_builders[i]->name);
  }
}
