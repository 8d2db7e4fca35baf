/* profile_path.c: see profile_path.h. */
#include "cli/profile_path.h"

#include "base/units.h"
#include "cli/command.h"
#include "sim/energy_split.h"

#define MOST_STEPS 20

static void put_quantity(GString *out, double value, ho_unit unit) {
  g_autofree char *text = ho_unit_format(value, unit);
  g_string_append_printf(out, "%10s", value > 0 ? text : "-");
}

/* ---- critical path -------------------------------------------------------------------------------------------------------------- */

static const char *op_name(const ho_replay_result *r, const ho_path_step *s) {
  return s->entry >= 0 ? r->problem->graph->op[r->plan->entry[s->entry].op].name : "-";
}

static const char *device_name(const ho_replay_result *r, const ho_path_step *s) {
  return s->entry >= 0 ? r->problem->platform->device[r->plan->entry[s->entry].device].name : "-";
}

static const char *copied(const ho_replay_result *r, const ho_path_step *s) {
  return r->problem->graph->tensor[r->transfer[s->transfer].tensor].name;
}

static int longer(gconstpointer a, gconstpointer b) {
  const ho_path_step *x = *(const ho_path_step *const *)a, *y = *(const ho_path_step *const *)b;
  double dx = x->to - x->from, dy = y->to - y->from;
  if (dx != dy) return dx > dy ? -1 : 1;
  return x < y ? -1 : x > y; /* they lie in order of time */
}

static int earlier(gconstpointer a, gconstpointer b) {
  const ho_path_step *x = *(const ho_path_step *const *)a, *y = *(const ho_path_step *const *)b;
  return x < y ? -1 : x > y;
}

/* The longest steps of a path, in order of time. */
static GPtrArray *longest(GArray *steps) {
  GPtrArray *list = g_ptr_array_new();
  for (guint i = 0; i < steps->len; i++) g_ptr_array_add(list, &g_array_index(steps, ho_path_step, i));
  g_ptr_array_sort(list, longer);
  if (list->len > MOST_STEPS) g_ptr_array_set_size(list, MOST_STEPS);
  g_ptr_array_sort(list, earlier);
  return list;
}

static void put_step(const ho_replay_result *r, const ho_path_step *s, GString *out) {
  g_autofree char *cause = s->transfer >= 0 ? g_strdup_printf("%s of %s", ho_path_cause_name(s->cause), copied(r, s))
                                            : g_strdup(ho_path_cause_name(s->cause));
  g_string_append_printf(out, "  %-24.24s %-10s %-20.20s", op_name(r, s), device_name(r, s), cause);
  for (int c = 0; c < HO_N_PATH_CLASSES; c++) put_quantity(out, s->seconds[c], HO_UNIT_SECONDS);
  g_string_append_c(out, '\n');
}

void ho_cli_path(ho_replay *replay, const ho_replay_result *r, GString *out) {
  g_autoptr(GArray) steps = ho_replay_path(replay);
  g_autoptr(GPtrArray) shown = longest(steps);
  g_string_append_printf(out, "critical path: %u op%s\n  %-24s %-10s %-20s", steps->len, steps->len == 1 ? "" : "s", "op", "on",
                         "waited last for");
  for (int c = 0; c < HO_N_PATH_CLASSES; c++) g_string_append_printf(out, "%10s", ho_path_class_name((ho_path_class)c));
  g_string_append_c(out, '\n');
  double rest = r->figures.latency;
  for (guint i = 0; i < shown->len; i++) {
    const ho_path_step *s = g_ptr_array_index(shown, i);
    put_step(r, s, out);
    rest -= s->to - s->from;
  }
  if (steps->len == shown->len) return;
  g_autofree char *text = ho_unit_format(rest, HO_UNIT_SECONDS);
  g_string_append_printf(out, "  and %u shorter, together %s\n", steps->len - shown->len, text);
}

json_t *ho_cli_path_json(ho_replay *replay, const ho_replay_result *r) {
  g_autoptr(GArray) steps = ho_replay_path(replay);
  json_t *list = json_array();
  for (guint i = 0; i < steps->len; i++) {
    const ho_path_step *s = &g_array_index(steps, ho_path_step, i);
    json_t *j = json_object();
    if (s->entry >= 0) {
      json_object_set_new(j, "op", json_string(op_name(r, s)));
      json_object_set_new(j, "device", json_string(device_name(r, s)));
    }
    json_object_set_new(j, "waited_for", json_string(ho_path_cause_name(s->cause)));
    if (s->transfer >= 0) json_object_set_new(j, "copy", json_string(copied(r, s)));
    json_object_set_new(j, "from", json_real(s->from));
    json_object_set_new(j, "to", json_real(s->to));
    for (int c = 0; c < HO_N_PATH_CLASSES; c++)
      json_object_set_new(j, ho_path_class_name((ho_path_class)c), json_real(s->seconds[c]));
    json_array_append_new(list, j);
  }
  return list;
}

/* ---- energy --------------------------------------------------------------------------------------------------------------------- */

static void put_split(const char *name, const ho_energy_split *split, GString *out) {
  double sum = 0;
  g_string_append_printf(out, "  %-12s", name);
  for (int k = 0; k < HO_N_ENERGY_PARTS; k++) {
    put_quantity(out, split->part[k], HO_UNIT_JOULES);
    sum += split->part[k];
  }
  put_quantity(out, sum, HO_UNIT_JOULES);
  g_string_append_c(out, '\n');
}

void ho_cli_energy(const ho_replay_result *r, GString *out) {
  const ho_platform *p = r->problem->platform;
  g_autofree ho_energy_split *split = g_new(ho_energy_split, (gsize)p->n_devices + 1);
  ho_energy_split all = ho_energy_split_of(r, split);
  g_string_append_printf(out, "energy spent on\n  %-12s", "");
  for (int k = 0; k < HO_N_ENERGY_PARTS; k++) g_string_append_printf(out, "%10s", ho_energy_part_name((ho_energy_part)k));
  g_string_append_printf(out, "%10s\n", "sum");
  for (ho_device d = 0; d < p->n_devices; d++) put_split(p->device[d].name, &split[d], out);
  put_split("all", &all, out);
}

json_t *ho_cli_energy_json(const ho_replay_result *r, ho_device device) {
  g_autofree ho_energy_split *split = g_new(ho_energy_split, (gsize)r->problem->platform->n_devices + 1);
  ho_energy_split all = ho_energy_split_of(r, split), *shown = device < 0 ? &all : &split[device];
  json_t *j = json_object();
  for (int k = 0; k < HO_N_ENERGY_PARTS; k++)
    if (device < 0 || k != HO_ENERGY_LINK)
      json_object_set_new(j, ho_energy_part_name((ho_energy_part)k), json_real(shown->part[k]));
  return j;
}

/* ---- memory --------------------------------------------------------------------------------------------------------------------- */

static double lost(double peak, double arena) {
  return arena > 0 ? 1 - peak / arena : 0;
}

void ho_cli_arena(ho_replay *replay, const ho_replay_result *r, GString *out) {
  const ho_platform *p = r->problem->platform;
  const double *arena = ho_replay_arena(replay);
  g_string_append(out, "arena:");
  for (ho_memory m = 0; m < p->n_memories; m++) {
    g_autofree char *bytes = ho_unit_format(arena[m], HO_UNIT_BYTES), *share = ho_share_format(lost(r->memory[m].peak, arena[m]));
    g_string_append_printf(out, "%s %s %s (%s fragmented)", m ? "," : "", p->memory[m].name, bytes, share);
  }
  g_string_append_c(out, '\n');
}

json_t *ho_cli_arena_json(ho_replay *replay, const ho_replay_result *r) {
  const ho_platform *p = r->problem->platform;
  const double *arena = ho_replay_arena(replay);
  json_t *j = json_object();
  for (ho_memory m = 0; m < p->n_memories; m++)
    json_object_set_new(j, p->memory[m].name,
                        json_pack("{s:o, s:o, s:f}", "peak", ho_cli_number(r->memory[m].peak), "arena", ho_cli_number(arena[m]),
                                  "fragmentation", lost(r->memory[m].peak, arena[m])));
  return j;
}
