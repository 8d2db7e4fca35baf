/* gantt.c: see gantt.h. Transfers are grey, ops have the colour of their device; neighbours alternate between two shades. */
#include "plots/gantt.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/jsonio.h"
#include "base/units.h"
#include "plots/figure.h"

typedef struct {
  const char *file;   /* or whatever the replay is called */
  GPtrArray *lanes;   /* char*: names, in order of first appearance */
  GPtrArray *devices; /* char*: names, likewise */
  GArray *drawn;      /* int per lane: how many activities it has */
  GString *data;
  const char *only; /* NULL, or the one device whose ops are added now */
} gantt;

static int find_or_add(GPtrArray *names, const char *name) {
  guint at;
  if (g_ptr_array_find_with_equal_func(names, name, g_str_equal, &at)) return (int)at;
  g_ptr_array_add(names, g_strdup(name));
  return (int)names->len - 1;
}

static void add(gantt *g, const char *lane, double start, double end, int colour, int shade) {
  int l = find_or_add(g->lanes, lane);
  if ((guint)l >= g->drawn->len) g_array_set_size(g->drawn, (guint)l + 1);
  int *n = &g_array_index(g->drawn, int, l);
  char a[32], b[32];
  g_string_append_printf(g->data, "%d %s %s %d\n", l + 1, ho_double_text(start, a), ho_double_text(end, b),
                         *n % 2 ? shade : colour);
  ++*n;
}

static gboolean read_times(const json_t *o, ho_json_at at, double *start, double *end, GError **error) {
  return ho_json_get_double(o, at, "start", TRUE, 0, start, error) && ho_json_get_double(o, at, "end", TRUE, *start, end, error);
}

static gboolean add_op(gantt *g, const json_t *o, ho_json_at at, GError **error) {
  static const int colours[][2] = {{0x0072b2, 0x3f95c5}, {0xd55e00, 0xe08640}, {0x009e73, 0x40b696},
                                   {0xcc79a7, 0xd99bbd}, {0xe69f00, 0xecb740}, {0x56b4e9, 0x80c7ef}};
  const char *device;
  int64_t stream = 0;
  double start = 0, end = 0;
  if (!ho_json_get_string(o, at, "device", TRUE, &device, error) || !ho_json_get_int(o, at, "stream", FALSE, 0, &stream, error) ||
      !read_times(o, at, &start, &end, error))
    return FALSE;
  if (g->only && strcmp(device, g->only)) return TRUE;
  const int *c = colours[(size_t)find_or_add(g->devices, device) % G_N_ELEMENTS(colours)];
  g_autofree char *lane = stream ? g_strdup_printf("%s/%d", device, (int)stream) : g_strdup(device);
  add(g, lane, start, end, c[0], c[1]);
  return TRUE;
}

static gboolean add_transfer(gantt *g, const json_t *o, ho_json_at at, GError **error) {
  const char *from, *to;
  double start = 0, end = 0;
  if (!ho_json_get_string(o, at, "from", TRUE, &from, error) || !ho_json_get_string(o, at, "to", TRUE, &to, error) ||
      !read_times(o, at, &start, &end, error))
    return FALSE;
  g_autofree char *lane = g_strdup_printf("%s to %s", from, to);
  add(g, lane, start, end, 0x555555, 0x888888);
  return TRUE;
}

static gboolean add_all(gantt *g, const json_t *root, const char *key,
                        gboolean (*one)(gantt *, const json_t *, ho_json_at, GError **), GError **error) {
  json_t *list = NULL;
  if (!ho_json_get_array(root, (ho_json_at){g->file, "the replay"}, key, TRUE, &list, error)) return FALSE;
  for (size_t i = 0; i < json_array_size(list); i++) {
    g_autofree char *place = g_strdup_printf("%s[%zu]", key, i);
    if (!one(g, json_array_get(list, i), (ho_json_at){g->file, place}, error)) return FALSE;
  }
  return TRUE;
}

/* Ops device by device, in the platform's order, so that the lanes are in that order too. */
static gboolean add_ops(gantt *g, const json_t *root, GError **error) {
  const char *device;
  json_t *ignored;
  json_t *devices = json_object_get(root, "devices");
  if (!json_is_object(devices)) return ho_fail(error, HO_ERROR_INPUT, "%s: the replay: key 'devices' is missing", g->file);
  json_object_foreach(devices, device, ignored) {
    g->only = device;
    if (!add_all(g, root, "ops", add_op, error)) return FALSE;
  }
  return TRUE;
}

static gboolean draw(const gantt *g, double makespan, const char *const *outputs, char **note, GError **error) {
  const char *unit;
  double scale = ho_axis_scale(HO_AXIS_SECONDS, makespan, &unit);
  g_autoptr(GString) preamble = g_string_new(NULL);
  g_autofree char *length = ho_unit_format(makespan, HO_UNIT_SECONDS);
  g_autofree char *title = g_strdup_printf("%s: %s", g->file, length);
  ho_figure_text(preamble, "title_text", title);
  ho_figure_int(preamble, "n_lanes", (int)g->lanes->len);
  ho_figure_texts(preamble, "lane", (int)g->lanes->len, (const char *const *)g->lanes->pdata);
  ho_figure_text(preamble, "tunit", unit);
  char a[32], b[32];
  g_string_append_printf(preamble, "tscale = %s\ntmax = %s\n", ho_double_text(scale, a), ho_double_text(makespan, b));
  return ho_figure_draw("gantt", outputs, preamble->str, g->data->str, note, error);
}

gboolean ho_gantt_draw(const json_t *replay, const char *name, const char *const *outputs, char **note, GError **error) {
  double makespan = 0;
  gantt g = {.file = name,
             .lanes = g_ptr_array_new_with_free_func(g_free),
             .devices = g_ptr_array_new_with_free_func(g_free),
             .drawn = g_array_new(FALSE, TRUE, sizeof(int)),
             .data = g_string_new("# lane, start (s), end (s), colour (rgb)\n")};
  gboolean ok = ho_json_get_double(replay, (ho_json_at){name, "the replay"}, "makespan", TRUE, 0, &makespan, error) &&
                add_ops(&g, replay, error) && add_all(&g, replay, "transfers", add_transfer, error);
  if (ok && !(makespan > 0)) ok = ho_fail(error, HO_ERROR_INPUT, "%s: makespan: 0, there is nothing to draw", name);
  ok = ok && draw(&g, makespan, outputs, note, error);
  g_ptr_array_unref(g.lanes);
  g_ptr_array_unref(g.devices);
  g_array_unref(g.drawn);
  g_string_free(g.data, TRUE);
  return ok;
}
