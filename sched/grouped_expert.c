/* grouped_expert.c: an expert's placement by groups of operators.
 *
 * Source: the human expert baseline of Mirhoseini et al., "A hierarchical model for device placement", ICLR 2018: whole groups of
 * operators are assigned to devices by hand.
 * `table` is a list "key=device,…" (or with ';'): a key is a kind of the graph, a family (docs/schedulers.md lists them) or `default`; a
 * kind comes before its family. A device is a device name, or a device kind: then the first device of that kind, in platform order, that
 * can run the op. What the table's device cannot run, or no such device is on the platform, goes to the default's, and what that cannot run,
 * to the quickest device. Topological order, stream 0, default precision.
 * Complexity: O(ops · (entries + devices)). Options: table. Ties: the lower index. */
#include <glib.h>
#include <string.h>

#include "base/error.h"
#include "sched/builtin.h"
#include "sched/place.h"

static const ho_option options[] = {
    {"table", HO_OPTION_STRING,
     "conv=gpu,depthwise=gpu,norm=gpu,pool=gpu,elementwise=gpu,gemm=npu,attention=npu,softmax=npu,recurrent=gpu,default=cpu", 0,
     0, NULL, "device of each operator kind or family: key=device,…"},
    {0},
};

typedef struct {
  char *key, *device;
} rule;

static void free_rule(void *x) {
  g_free(((rule *)x)->key);
  g_free(((rule *)x)->device);
}

/* Device of kind or name `word` that can run o; -1: none. */
static int16_t find_device(const ho_problem *q, const char *word, ho_op o) {
  const ho_platform *p = q->platform;
  ho_device named = ho_platform_find_device(p, word);
  if (named >= 0) return ho_cost_can_run(q->cost, o, named) ? (int16_t)named : -1;
  for (ho_device d = 0; d < p->n_devices; d++)
    if (strcmp(ho_device_kind_name(p->device[d].kind), word) == 0 && ho_cost_can_run(q->cost, o, d)) return (int16_t)d;
  return -1;
}

static int is_device_word(const ho_problem *q, const char *word) {
  for (int k = 0; k <= HO_DEVICE_GENERIC; k++)
    if (strcmp(ho_device_kind_name((ho_device_kind)k), word) == 0) return 1;
  return ho_platform_find_device(q->platform, word) >= 0;
}

static int is_family(const char *word) {
  for (int f = 0; f < HO_N_FAMILIES; f++)
    if (strcmp(ho_family_name((ho_family)f), word) == 0) return 1;
  return 0;
}

static int is_key(const ho_problem *q, const char *word) {
  for (int32_t k = 0; k < q->graph->n_kinds; k++)
    if (strcmp(q->graph->kinds[k], word) == 0) return 1;
  return is_family(word) || ho_family_of_kind(word) != HO_FAMILY_DEFAULT;
}

static int fail_key(ho_search *s, const char *key) {
  const char *names[HO_N_FAMILIES + 1] = {0};
  for (int f = 0; f < HO_N_FAMILIES; f++) names[f] = ho_family_name((ho_family)f);
  const char *near = ho_did_you_mean(key, names);
  return ho_search_fail(s, "option table: '%s' is no operator kind or family%s%s%s", key, near ? " (did you mean '" : "",
                        near ? near : "", near ? "'?)" : "");
}

/* NULL after ho_search_fail. */
static GArray *read_table(ho_search *s, const char *text) {
  const ho_problem *q = ho_search_problem(s);
  GArray *rules = g_array_new(FALSE, TRUE, sizeof(rule));
  g_array_set_clear_func(rules, free_rule);
  g_auto(GStrv) parts = g_strsplit_set(text, ",;", -1);
  int status = 0;
  for (char **part = parts; *part && status == 0; part++) {
    char *word = g_strstrip(*part), *equals = strchr(word, '=');
    if (!*word) continue;
    if (!equals) {
      status = ho_search_fail(s, "option table: '%s' is not of the form key=device", word);
      continue;
    }
    rule r = {g_strstrip(g_strndup(word, (gsize)(equals - word))), g_strstrip(g_strdup(equals + 1))};
    g_array_append_val(rules, r);
    if (!is_key(q, r.key))
      status = fail_key(s, r.key);
    else if (!is_device_word(q, r.device))
      status = ho_search_fail(
          s, "option table: '%s' is neither a device of platform '%s' nor one of cpu, gpu, npu, fpga, dsp, generic", r.device,
          q->platform->name);
  }
  if (status == 0) return rules;
  g_array_free(rules, TRUE);
  return NULL;
}

/* What the table says about a word; NULL: nothing. A later rule for the same word replaces an earlier one. */
static const char *look_up(const GArray *rules, const char *word) {
  for (guint i = rules->len; i > 0; i--)
    if (strcmp(g_array_index(rules, rule, i - 1).key, word) == 0) return g_array_index(rules, rule, i - 1).device;
  return NULL;
}

static int16_t place(const ho_problem *q, const GArray *rules, ho_op o) {
  const ho_op_info *op = &q->graph->op[o];
  const char *fallback = ho_family_name(HO_FAMILY_DEFAULT);
  const char *word = look_up(rules, op->kind);
  if (!word) word = look_up(rules, ho_family_name(op->family));
  int16_t d = word ? find_device(q, word, o) : -1;
  if (d < 0 && look_up(rules, fallback)) d = find_device(q, look_up(rules, fallback), o);
  return d >= 0 ? d : ho_place_quickest(q, o, ~0U, NULL, 0);
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  ho_space *v = ho_space_new(s);
  if (!v) return -1;
  GArray *rules = read_table(s, ho_search_option_string(s, "table"));
  if (!rules) {
    ho_space_free(v);
    return -1;
  }
  g_autofree int16_t *device = g_new(int16_t, (size_t)v->n_ops + 1);
  for (ho_op o = 0; o < v->n_ops; o++) device[o] = place(q, rules, o);
  g_array_free(rules, TRUE);
  int status = ho_place_keep(s, v, device);
  ho_space_free(v);
  return status;
}

const ho_scheduler ho_scheduler_grouped_expert = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "grouped-expert",
    .summary = "a table says which kind of operator runs on which kind of device",
    .source = "human expert baseline of Mirhoseini et al., ICLR 2018",
    .options = options,
    .flags = HO_SCHEDULER_DETERMINISTIC | HO_SCHEDULER_SINGLE,
    .run = run,
};
