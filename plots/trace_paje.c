/* trace_paje.c: a replay in Paje, see trace.h.
 *
 * Containers: the platform; in it devices (variable: W) with a container per stream, links with one per direction (variable: B/s) and in
 * that one per lane, and memories (variable: B). States: kernels on streams, by kind, with "launch" from an op's start to its kernel;
 * transfers on lanes. Links: the ways of data (arrows.h), from the end of what made or brought it to the start of what takes it.
 * At one instant ends come before beginnings, so that a state or an arrow ends where the next one begins. A quote within a name is written
 * as an apostrophe: Paje has no escape. */
#include <stdlib.h>

#include "base/fileio.h"
#include "base/units.h"
#include "plots/arrows.h"
#include "plots/blocks.h"
#include "plots/lanes.h"
#include "plots/trace.h"

#define EVENT(name, id) "%EventDef " name " " id "\n"
#define END "%EndEventDef\n"
static const char *const definitions =
    EVENT("PajeDefineContainerType", "0") "%  Alias string\n%  Type string\n%  Name string\n" END
    EVENT("PajeDefineStateType", "1") "%  Alias string\n%  Type string\n%  Name string\n" END
    EVENT("PajeDefineVariableType", "2") "%  Alias string\n%  Type string\n%  Name string\n%  Color color\n" END
    EVENT("PajeDefineLinkType", "3") "%  Alias string\n%  Type string\n%  StartContainerType string\n%  EndContainerType string\n"
                                     "%  Name string\n" END
    EVENT("PajeDefineEntityValue", "4") "%  Alias string\n%  Type string\n%  Name string\n%  Color color\n" END
    EVENT("PajeCreateContainer", "5") "%  Time date\n%  Alias string\n%  Type string\n%  Container string\n%  Name string\n" END
    EVENT("PajeDestroyContainer", "6") "%  Time date\n%  Type string\n%  Name string\n" END
    EVENT("PajePushState", "7") "%  Time date\n%  Type string\n%  Container string\n%  Value string\n%  What string\n" END
    EVENT("PajePopState", "8") "%  Time date\n%  Type string\n%  Container string\n" END
    EVENT("PajeSetVariable", "9") "%  Time date\n%  Type string\n%  Container string\n%  Value double\n" END
    EVENT("PajeStartLink", "10") "%  Time date\n%  Type string\n%  Container string\n%  StartContainer string\n%  Value string\n"
                                 "%  Key string\n" END
    EVENT("PajeEndLink", "11") "%  Time date\n%  Type string\n%  Container string\n%  EndContainer string\n%  Value string\n"
                               "%  Key string\n" END
    "0 P 0 \"platform\"\n0 D P \"device\"\n0 S D \"stream\"\n0 M P \"memory\"\n0 L P \"link\"\n0 R L \"direction\"\n0 T R \"lane\"\n"
    "1 K S \"kernel\"\n1 X T \"transfer\"\n"
    "2 W D \"power (W)\" \"0.84 0.37 0\"\n2 B M \"bytes (B)\" \"0 0.45 0.7\"\n2 F R \"rate (B/s)\" \"0.3 0.3 0.3\"\n"
    "3 SS P S S \"data\"\n3 ST P S T \"data out\"\n3 TT P T T \"data on\"\n3 TS P T S \"data in\"\n"
    "4 launch K \"launch\" \"0.6 0.6 0.6\"\n4 crossing X \"transfer\" \"0.25 0.25 0.25\"\n";

/* The order at one instant. An arrow of no length leaves before it arrives. */
typedef enum { ENDS, BEGINNINGS, ARROWS_LEAVE, ARROWS_ARRIVE } rank;

typedef struct {
  double time;
  int order; /* rank */
  guint index;
  char *text; /* all of the line but the time, which stands behind its first word */
} line;

typedef struct {
  const ho_problem *q;
  ho_replay *replay;
  const ho_replay_result *r;
  GString *out;
  GArray *lines;
  GArray *slices;
  int32_t *lanes;       /* by link and direction */
  int32_t *first_slice; /* of each transfer; -1 */
} paje;

static void line_clear(line *l) {
  g_free(l->text);
}

static char *quoted(const char *text) {
  char *s = g_strdup_printf("\"%s\"", text);
  for (char *c = s + 1; c[1]; c++)
    if (*c == '"')
      *c = '\'';
    else if ((unsigned char)*c < ' ')
      *c = ' ';
  return s;
}

/* A line that takes effect at a time; it begins with the number of its event. */
static void at(paje *p, double time, rank order, const char *event, const char *format, ...) G_GNUC_PRINTF(5, 6);
static void at(paje *p, double time, rank order, const char *event, const char *format, ...) {
  char number[32];
  va_list args;
  va_start(args, format);
  g_autofree char *rest = g_strdup_vprintf(format, args);
  va_end(args);
  line l = {time, order, p->lines->len, g_strdup_printf("%s %s %s\n", event, ho_double_text(time, number), rest)};
  g_array_append_val(p->lines, l);
}

static int by_time(gconstpointer a, gconstpointer b) {
  const line *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  if (x->order != y->order) return x->order - y->order;
  return (x->index > y->index) - (x->index < y->index);
}

/* ---- containers ---------------------------------------------------------------------------------------------------------------- */

static void container(paje *p, const char *alias, const char *type, const char *within, const char *name) {
  g_autofree char *text = quoted(name);
  g_string_append_printf(p->out, "5 0 %s %s %s %s\n", alias, type, within, text);
}

static void add_devices(paje *p) {
  for (ho_device d = 0; d < p->q->platform->n_devices; d++) {
    g_autofree char *alias = g_strdup_printf("d%d", d);
    int32_t streams = 0;
    container(p, alias, "D", "p", p->q->platform->device[d].name);
    for (int32_t i = 0; i < p->r->plan->n; i++)
      if (p->r->plan->entry[i].device == d) streams = MAX(streams, p->r->plan->entry[i].stream + 1);
    for (int32_t s = 0; s < streams; s++) {
      g_autofree char *stream = g_strdup_printf("d%d.%d", d, s),
                      *name = g_strdup_printf("%s stream %d", p->q->platform->device[d].name, s);
      container(p, stream, "S", alias, name);
    }
  }
}

static void add_links(paje *p) {
  const ho_platform *of = p->q->platform;
  for (ho_link l = 0; l < of->n_links; l++) {
    g_autofree char *alias = g_strdup_printf("l%d", l);
    container(p, alias, "L", "p", of->link[l].name);
    for (int32_t b = 0; b < 2; b++) {
      g_autofree char *direction = g_strdup_printf("l%d.%d", l, b), *way = ho_direction_text(of, l, b);
      g_autofree char *name = g_strdup_printf("%s: %s", of->link[l].name, way);
      container(p, direction, "R", alias, name);
      for (int32_t k = 0; k < p->lanes[2 * l + b]; k++) {
        g_autofree char *lane = g_strdup_printf("l%d.%d.%d", l, b, k), *title = g_strdup_printf("%s lane %d", name, k);
        container(p, lane, "T", direction, title);
      }
    }
  }
}

static void add_memories(paje *p) {
  for (ho_memory m = 0; m < p->q->platform->n_memories; m++) {
    g_autofree char *alias = g_strdup_printf("m%d", m);
    container(p, alias, "M", "p", p->q->platform->memory[m].name);
  }
}

/* A value of the state "kernel" for every kind of the graph: "channels of its family's colour". */
static void add_kinds(paje *p) {
  const ho_graph *g = p->q->graph;
  g_autofree int8_t *seen = g_new0(int8_t, (gsize)g->n_kinds + 1);
  for (ho_op o = 0; o < g->n_ops; o++) {
    const ho_op_info *op = &g->op[o];
    if (seen[op->kind_index]++) continue;
    unsigned long rgb = strtoul(ho_family_colour(op->family) + 1, NULL, 16);
    g_autofree char *name = quoted(op->kind);
    g_string_append_printf(p->out, "4 k%d K %s \"", op->kind_index, name);
    for (int shift = 16; shift >= 0; shift -= 8) {
      char number[32];
      g_string_append_printf(p->out, "%s%s", shift < 16 ? " " : "", ho_double_text((double)(rgb >> shift & 255) / 255, number));
    }
    g_string_append(p->out, "\"\n");
  }
}

/* ---- states -------------------------------------------------------------------------------------------------------------------- */

static void state(paje *p, double from, double to, const char *type, const char *container_alias, const char *value,
                  const char *what) {
  if (!(to > from)) return;
  g_autofree char *text = quoted(what);
  at(p, from, BEGINNINGS, "7", "%s %s %s %s", type, container_alias, value, text);
  at(p, to, ENDS, "8", "%s %s", type, container_alias);
}

static void add_kernels(paje *p) {
  for (int32_t i = 0; i < p->r->plan->n; i++) {
    const ho_entry *e = &p->r->plan->entry[i];
    const ho_op_info *op = &p->q->graph->op[e->op];
    const ho_replay_op *t = &p->r->op[i];
    g_autofree char *stream = g_strdup_printf("d%d.%d", e->device, e->stream), *kind = g_strdup_printf("k%d", op->kind_index);
    state(p, t->start, t->kernel, "K", stream, "launch", op->name);
    state(p, t->kernel, t->end, "K", stream, kind, op->name);
  }
}

static char *lane_alias(const ho_link_slice *s) {
  return g_strdup_printf("l%d.%d.%d", s->link, s->backward, s->lane);
}

static void add_transfers(paje *p) {
  for (guint k = 0; k < p->slices->len; k++) {
    const ho_link_slice *s = &g_array_index(p->slices, ho_link_slice, k);
    const ho_replay_transfer *x = &p->r->transfer[s->transfer];
    g_autofree char *lane = lane_alias(s);
    state(p, x->start, x->end, "X", lane, "crossing", p->q->graph->tensor[x->tensor].name);
  }
}

/* ---- arrows -------------------------------------------------------------------------------------------------------------------- */

/* Where an activity stands, 'S' on a stream or 'T' on a lane; 0: a transfer that crosses no link. */
static char stands_on(const paje *p, ho_activity a, char **alias) {
  const ho_entry *e = a.entry >= 0 ? &p->r->plan->entry[a.entry] : NULL;
  int32_t k = e ? -1 : p->first_slice[a.transfer];
  *alias = e        ? g_strdup_printf("d%d.%d", e->device, e->stream)
           : k >= 0 ? lane_alias(&g_array_index(p->slices, ho_link_slice, k))
                    : NULL;
  return e ? 'S' : k >= 0 ? 'T' : 0;
}

static void add_arrows(paje *p) {
  g_autoptr(GArray) arrows = ho_arrows(p->q, p->r);
  for (guint i = 0; i < arrows->len; i++) {
    const ho_arrow *a = &g_array_index(arrows, ho_arrow, i);
    g_autofree char *from = NULL, *to = NULL;
    char start = stands_on(p, a->from, &from), end = stands_on(p, a->to, &to);
    if (!start || !end) continue;
    double left = a->from.entry >= 0 ? p->r->op[a->from.entry].end : p->r->transfer[a->from.transfer].end;
    double arrived = a->to.entry >= 0 ? p->r->op[a->to.entry].start : p->r->transfer[a->to.transfer].start;
    at(p, left, ARROWS_LEAVE, "10", "%c%c p %s data a%u", start, end, from, i);
    at(p, arrived, ARROWS_ARRIVE, "11", "%c%c p %s data a%u", start, end, to, i);
  }
}

/* ---- curves -------------------------------------------------------------------------------------------------------------------- */

static void add_curve(paje *p, const char *type, char kind, const char *number, const GArray *curve) {
  for (guint i = 0; i < curve->len; i++) {
    const ho_curve_point *point = &g_array_index(curve, ho_curve_point, i);
    char value[32];
    at(p, point->time, ENDS, "9", "%s %c%s %s", type, kind, number, ho_double_text(point->value, value));
  }
}

static void add_curves(paje *p) {
  g_autoptr(ho_rates) rates = ho_rates_new(p->replay);
  for (ho_device d = 0; d < rates->n_devices; d++) {
    g_autofree char *number = g_strdup_printf("%d", d);
    add_curve(p, "W", 'd', number, rates->device[d]);
  }
  for (int32_t k = 0; k < 2 * rates->n_links; k++) {
    g_autofree char *number = g_strdup_printf("%d.%d", k / 2, k % 2);
    add_curve(p, "F", 'l', number, rates->link[k]);
  }
  for (ho_memory m = 0; m < p->q->platform->n_memories; m++) {
    g_autofree char *number = g_strdup_printf("%d", m);
    g_autoptr(GArray) curve = ho_memory_curve(p->replay, m);
    add_curve(p, "B", 'm', number, curve);
  }
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------- */

static void write_all(paje *p) {
  char end[32];
  g_string_append(p->out, definitions);
  add_kinds(p);
  container(p, "p", "P", "0", p->q->platform->name);
  add_devices(p);
  add_links(p);
  add_memories(p);
  add_kernels(p);
  add_transfers(p);
  add_arrows(p);
  add_curves(p);
  g_array_sort(p->lines, by_time);
  for (guint i = 0; i < p->lines->len; i++) g_string_append(p->out, g_array_index(p->lines, line, i).text);
  g_string_append_printf(p->out, "6 %s P p\n", ho_double_text(p->r->figures.latency, end));
}

gboolean ho_trace_write_paje(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file,
                             GError **error) {
  g_autofree int32_t *lanes = g_new0(int32_t, 2 * (size_t)q->platform->n_links + 1);
  g_autofree int32_t *first = g_new(int32_t, (size_t)r->n_transfers + 1);
  g_autoptr(GString) out = g_string_new("");
  g_autoptr(GArray) slices = ho_link_slices(q->platform, r, lanes), lines = g_array_new(FALSE, FALSE, sizeof(line));
  g_array_set_clear_func(lines, (GDestroyNotify)line_clear);
  ho_first_slices(slices, r->n_transfers, first);
  paje p = {q, replay, r, out, lines, slices, lanes, first};
  write_all(&p);
  return ho_file_write(file, out->str, out->len, error);
}
