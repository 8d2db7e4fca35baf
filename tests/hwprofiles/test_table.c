/* test_table.c: which device is best at what, on the shipped platforms: the tables of docs/platforms.md are made here.
 *
 * An op of ResNet-50 on a device, its data in place: seconds = launch on the device + kernel alone; joules = power while busy × these
 * seconds + energies per FLOP and byte. HO_UPDATE_TABLES=1 writes the tables into the document instead of comparing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "hwprofiles/platform_yaml.h"
#include "models/source.h"
#include "sim/cost.h"

#define MAX_DEVICES 16

typedef struct {
  int ops[HO_N_FAMILIES];
  int fastest[HO_N_FAMILIES][MAX_DEVICES], thriftiest[HO_N_FAMILIES][MAX_DEVICES];
  int n; /* ops of all families */
} score;

typedef struct {
  double seconds, joules;
} price;

static price price_of(const ho_cost *c, const ho_device_info *dev, ho_op o, ho_device d, ho_dtype wish) {
  ho_dtype p = wish != HO_DTYPE_NONE && dev->precisions & 1u << wish ? wish : ho_cost_default_precision(c, o, d);
  ho_kernel k = ho_cost_kernel_at(c, o, d, p, 0);
  double busy = dev->power_by_use ? dev->idle + (dev->peak_power - dev->idle) * k.use : dev->busy;
  return (price){k.time + dev->launch_device, busy * (k.time + dev->launch_device) + k.joules};
}

static score count(const ho_platform *p, const char *graph, ho_dtype wish) {
  g_autoptr(ho_graph) g = ho_graph_load(graph, NULL, NULL, NULL);
  cr_assert_not_null(g);
  ho_cost *c = ho_cost_new(g, p);
  score s = {.n = g->n_ops};
  for (ho_op o = 0; o < g->n_ops; o++) {
    int fast = 0, thrifty = 0;
    price least = {INFINITY, INFINITY};
    for (ho_device d = 0; d < p->n_devices; d++) {
      price k = price_of(c, &p->device[d], o, d, wish);
      if (k.seconds < least.seconds) least.seconds = k.seconds, fast = d;
      if (k.joules < least.joules) least.joules = k.joules, thrifty = d;
    }
    ho_family f = g->op[o].family;
    s.ops[f]++;
    s.fastest[f][fast]++;
    s.thriftiest[f][thrifty]++;
  }
  ho_cost_free(c);
  return s;
}

static void append_devices(GString *out, const ho_platform *p, const int *wins) {
  const char *comma = "";
  for (ho_device d = 0; d < p->n_devices; d++) {
    if (!wins[d]) continue;
    g_string_append_printf(out, "%s%s %d", comma, p->device[d].name, wins[d]);
    comma = ", ";
  }
}

static char *table(const char *platform, ho_dtype wish) {
  g_autoptr(ho_platform) p = ho_platform_load(platform, NULL);
  cr_assert_not_null(p);
  cr_assert_leq(p->n_devices, MAX_DEVICES);
  const score one = count(p, "resnet50:batch=1", wish), eight = count(p, "resnet50:batch=8", wish);
  GString *out = g_string_new(
      "| family | ops | fastest, batch 1 | least energy, batch 1 | fastest, batch 8 | least energy, batch 8 |\n"
      "|---|---|---|---|---|---|\n");
  for (int f = 0; f < HO_N_FAMILIES; f++) {
    if (!one.ops[f]) continue;
    g_string_append_printf(out, "| %s | %d | ", ho_family_name((ho_family)f), one.ops[f]);
    const int *const wins[] = {one.fastest[f], one.thriftiest[f], eight.fastest[f], eight.thriftiest[f]};
    for (int i = 0; i < 4; i++) {
      append_devices(out, p, wins[i]);
      g_string_append(out, i < 3 ? " | " : " |\n");
    }
  }
  return g_string_free(out, FALSE);
}

/* The document with what stands between "<!-- table NAME -->" and "<!-- end -->" replaced. */
static char *replaced(const char *document, const char *name, const char *text) {
  g_autofree char *mark = g_strdup_printf("<!-- table %s -->\n", name);
  const char *start = strstr(document, mark);
  cr_assert_not_null(start, "docs/platforms.md has no place for table %s", name);
  start += strlen(mark);
  const char *end = strstr(start, "<!-- end -->");
  cr_assert_not_null(end);
  return g_strdup_printf("%.*s%s%s", (int)(start - document), document, text, end);
}

Test(table, the_tables_of_the_document_are_what_the_cost_model_says) {
  static const char *const platforms[] = {"workstation", "server", "edge-soc"};
  g_autofree char *file = g_build_filename(g_getenv("HO_TEST_SRCDIR"), "docs", "platforms.md", NULL), *before = NULL;
  cr_assert(g_file_get_contents(file, &before, NULL, NULL));
  g_autofree char *after = g_strdup(before);
  for (size_t i = 0; i < G_N_ELEMENTS(platforms); i++)
    for (int low = 0; low < 2; low++) {
      g_autofree char *name = g_strconcat(platforms[i], low ? " int8" : "", NULL);
      g_autofree char *text = table(platforms[i], low ? HO_INT8 : HO_DTYPE_NONE), *old = after;
      after = replaced(old, name, text);
    }
  if (g_getenv("HO_UPDATE_TABLES"))
    cr_assert(g_file_set_contents(file, after, -1, NULL));
  else
    cr_expect_str_eq(before, after, "run this test with HO_UPDATE_TABLES=1 and look at what changed");
}

Test(table, no_device_is_both_fastest_and_thriftiest_for_every_op) {
  static const char *const platforms[] = {"workstation", "server", "edge-soc"}, *const graphs[] = {"resnet50:batch=1",
                                                                                                   "resnet50:batch=8"};
  for (size_t i = 0; i < G_N_ELEMENTS(platforms); i++)
    for (size_t g = 0; g < G_N_ELEMENTS(graphs); g++) {
      g_autoptr(ho_platform) p = ho_platform_load(platforms[i], NULL);
      const score s = count(p, graphs[g], HO_DTYPE_NONE);
      for (ho_device d = 0; d < p->n_devices; d++) {
        int wins = 0;
        for (int f = 0; f < HO_N_FAMILIES; f++) wins += s.fastest[f][d] + s.thriftiest[f][d];
        cr_expect_lt(wins, 2 * s.n, "%s, %s: %s", platforms[i], graphs[g], p->device[d].name);
      }
    }
}
