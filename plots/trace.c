/* trace.c: a replay as trace events, see trace.h. */
#include "plots/trace.h"

#include "base/jsonio.h"
#include "plots/arrows.h"
#include "plots/lanes.h"

/* Where everything stands in the trace: processes are numbered devices first, then links, then one for the memories. */
typedef struct {
  const ho_problem *q;
  const ho_replay_result *r;
  json_t *events;
  GArray *slices;       /* of ho_link_slice */
  int32_t *first_slice; /* of each transfer; -1: none (it crosses no link) */
  int64_t n_flows;
} trace;

static int device_process(ho_device d) {
  return d + 1;
}
static int link_process(const trace *t, ho_link l) {
  return t->q->platform->n_devices + l + 1;
}
static int memory_process(const trace *t) {
  return t->q->platform->n_devices + t->q->platform->n_links + 1;
}
/* Lanes of one direction are interleaved: forward 0, 2, …; backward 1, 3, …. */
static int lane_thread(const ho_link_slice *s) {
  return 2 * s->lane + s->backward;
}

static json_t *microseconds(double seconds) {
  return json_real(seconds * 1e6);
}

static json_t *event(const char *phase, const char *name, const char *category, int process, int thread, double at) {
  json_t *e = json_object();
  json_object_set_new(e, "ph", json_string(phase));
  json_object_set_new(e, "name", json_string(name));
  if (category) json_object_set_new(e, "cat", json_string(category));
  json_object_set_new(e, "pid", json_integer(process));
  json_object_set_new(e, "tid", json_integer(thread));
  json_object_set_new(e, "ts", microseconds(at));
  return e;
}

static void add(trace *t, json_t *e) {
  json_array_append_new(t->events, e);
}

static void add_name(trace *t, const char *what, int process, int thread, const char *name) {
  json_t *e =
      json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", what, "pid", process, "tid", thread, "args", "name", name);
  add(t, e);
}

static void add_process(trace *t, int process, const char *name) {
  add_name(t, "process_name", process, 0, name);
  add(t, json_pack("{s:s, s:s, s:i, s:i, s:{s:i}}", "ph", "M", "name", "process_sort_index", "pid", process, "tid", 0, "args",
                   "sort_index", process));
}

static void add_device_names(trace *t) {
  const ho_platform *p = t->q->platform;
  for (ho_device d = 0; d < p->n_devices; d++) {
    g_autofree char *name = g_strdup_printf("%s (%s)", p->device[d].name, ho_device_kind_name(p->device[d].kind));
    add_process(t, device_process(d), name);
    int32_t streams = 0;
    for (int32_t i = 0; i < t->r->plan->n; i++)
      if (t->r->plan->entry[i].device == d) streams = MAX(streams, t->r->plan->entry[i].stream + 1);
    for (int32_t s = 0; s < streams; s++) {
      g_autofree char *stream = g_strdup_printf("stream %d", s);
      add_name(t, "thread_name", device_process(d), s, stream);
    }
  }
}

static void add_link_names(trace *t, const int32_t *lanes) {
  const ho_platform *p = t->q->platform;
  for (ho_link l = 0; l < p->n_links; l++) {
    if (!lanes[2 * l] && !lanes[2 * l + 1]) continue;
    g_autofree char *name = g_strdup_printf("%s (link)", p->link[l].name);
    add_process(t, link_process(t, l), name);
    for (int32_t backward = 0; backward < 2; backward++)
      for (int32_t k = 0; k < lanes[2 * l + backward]; k++) {
        const ho_link_slice lane = {l, backward, k, -1};
        g_autofree char *direction = ho_direction_text(p, l, backward);
        add_name(t, "thread_name", link_process(t, l), lane_thread(&lane), direction);
      }
  }
}

static void add_kernels(trace *t) {
  const ho_problem *q = t->q;
  for (int32_t i = 0; i < t->r->plan->n; i++) {
    const ho_entry *e = &t->r->plan->entry[i];
    const ho_replay_op *o = &t->r->op[i];
    const ho_op_info *info = &q->graph->op[e->op];
    ho_dtype precision =
        e->precision == HO_DTYPE_NONE ? ho_cost_default_precision(q->cost, e->op, e->device) : (ho_dtype)e->precision;
    json_t *x = event("X", info->name, info->kind, device_process(e->device), e->stream, o->start);
    json_object_set_new(x, "dur", microseconds(o->end - o->start));
    json_t *args = json_pack("{s:s, s:s, s:f, s:f}", "precision", ho_dtype_name(precision), "point",
                             q->platform->device[e->device].point[e->point].name, "launched (us)", o->launched * 1e6,
                             "ready (us)", o->ready * 1e6);
    if (e->copy) json_object_set_new(args, "copy", json_integer(e->copy));
    json_object_set_new(x, "args", args);
    add(t, x);
  }
}

static void add_transfers(trace *t) {
  const ho_problem *q = t->q;
  for (guint k = 0; k < t->slices->len; k++) {
    const ho_link_slice *s = &g_array_index(t->slices, ho_link_slice, k);
    const ho_replay_transfer *x = &t->r->transfer[s->transfer];
    json_t *e = event("X", q->graph->tensor[x->tensor].name, "transfer", link_process(t, s->link), lane_thread(s), x->start);
    json_object_set_new(e, "dur", microseconds(x->end - x->start));
    json_object_set_new(e, "args",
                        json_pack("{s:f, s:s, s:s, s:f}", "bytes", x->bytes, "from", q->platform->memory[x->from].name, "to",
                                  q->platform->memory[x->to].name, "requested (us)", x->requested * 1e6));
    add(t, e);
  }
}

/* One end of an arrow, at the start of its slice, so that the viewer finds the slice; it draws from end to start. Returns 0 where there is
 * none: a transfer that crosses no link. */
static int add_end(trace *t, const char *phase, ho_activity a) {
  const ho_entry *e = a.entry >= 0 ? &t->r->plan->entry[a.entry] : NULL;
  int32_t k = e ? -1 : t->first_slice[a.transfer];
  if (!e && k < 0) return 0;
  const ho_link_slice *s = e ? NULL : &g_array_index(t->slices, ho_link_slice, k);
  json_t *x = event(phase, "data", "data", e ? device_process(e->device) : link_process(t, s->link),
                    e ? e->stream : lane_thread(s), e ? t->r->op[a.entry].start : t->r->transfer[a.transfer].start);
  json_object_set_new(x, "id", json_integer(t->n_flows));
  if (*phase == 'f') json_object_set_new(x, "bp", json_string("e"));
  add(t, x);
  return 1;
}

static void add_arrows(trace *t) {
  g_autoptr(GArray) arrows = ho_arrows(t->q, t->r);
  for (guint i = 0; i < arrows->len; i++) {
    const ho_arrow *a = &g_array_index(arrows, ho_arrow, i);
    t->n_flows++;
    if (add_end(t, "s", a->from)) add_end(t, "f", a->to);
  }
}

static void add_curve(trace *t, int process, const char *name, const char *unit, const GArray *curve) {
  for (guint i = 0; i < curve->len; i++) {
    const ho_curve_point *point = &g_array_index(curve, ho_curve_point, i);
    json_t *e = event("C", name, NULL, process, 0, point->time);
    json_object_set_new(e, "args", json_pack("{s:f}", unit, point->value));
    add(t, e);
  }
}

static void add_counters(trace *t, ho_replay *replay) {
  const ho_platform *p = t->q->platform;
  add_process(t, memory_process(t), "memories");
  for (ho_memory m = 0; m < p->n_memories; m++) {
    g_autoptr(GArray) curve = ho_memory_curve(replay, m);
    if (ho_curve_peak(curve) > 0) add_curve(t, memory_process(t), p->memory[m].name, "B", curve);
  }
  g_autoptr(ho_rates) rates = ho_rates_new(replay);
  for (ho_device d = 0; d < p->n_devices; d++)
    if (ho_curve_peak(rates->device[d]) > 0) add_curve(t, device_process(d), "power", "W", rates->device[d]);
  for (ho_link l = 0; l < p->n_links; l++)
    for (int32_t backward = 0; backward < 2; backward++) {
      const GArray *curve = rates->link[2 * l + backward];
      g_autofree char *direction = ho_direction_text(p, l, backward);
      if (ho_curve_peak(curve) > 0) add_curve(t, link_process(t, l), direction, "B/s", curve);
    }
}

gboolean ho_trace_write_json(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file,
                             GError **error) {
  g_autofree int32_t *lanes = g_new0(int32_t, 2 * (size_t)q->platform->n_links + 1);
  g_autofree int32_t *first = g_new(int32_t, (size_t)r->n_transfers + 1);
  trace t = {.q = q, .r = r, .events = json_array(), .first_slice = first};
  t.slices = ho_link_slices(q->platform, r, lanes);
  ho_first_slices(t.slices, r->n_transfers, first);
  add_device_names(&t);
  add_link_names(&t, lanes);
  add_kernels(&t);
  add_transfers(&t);
  add_arrows(&t);
  add_counters(&t, replay);
  json_t *root = json_pack("{s:o, s:s, s:{s:s, s:s, s:s}}", "traceEvents", t.events, "displayTimeUnit", "ns", "otherData",
                           "graph", q->graph->name, "platform", q->platform->name, "format", "heteroopt-trace/1");
  gboolean ok = ho_json_write(root, file, error);
  json_decref(root);
  g_array_unref(t.slices);
  return ok;
}
