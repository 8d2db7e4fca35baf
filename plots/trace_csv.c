/* trace_csv.c: a replay as a table, see trace.h: kernels in order of issue, then transfers in order of start, then buffers as taken. */
#include <string.h>

#include "base/fileio.h"
#include "base/units.h"
#include "plots/trace.h"

static void put_text(GString *s, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    g_string_append(s, text);
    return;
  }
  g_string_append_c(s, '"');
  for (; *text; text++) {
    if (*text == '"') g_string_append_c(s, '"');
    g_string_append_c(s, *text);
  }
  g_string_append_c(s, '"');
}

static void put(GString *s, const char *text) {
  g_string_append_c(s, ',');
  put_text(s, text);
}

static void put_number(GString *s, double value) {
  char text[32];
  g_string_append_c(s, ',');
  g_string_append(s, ho_double_text(value, text));
}

static void put_nothing(GString *s, int fields) {
  while (fields-- > 0) g_string_append_c(s, ',');
}

#define HEADER "event,name,on,stream,start,end,bytes,from,to,ready,launched,kernel,kind,precision,point,copy,offset\n"

static ho_dtype precision_of(const ho_problem *q, const ho_entry *e) {
  return e->precision == HO_DTYPE_NONE ? ho_cost_default_precision(q->cost, e->op, e->device) : (ho_dtype)e->precision;
}

static void put_kernels(const ho_problem *q, const ho_replay_result *r, GString *s) {
  g_autofree int8_t *precision = g_new(int8_t, (size_t)q->graph->n_ops + 1);
  for (int32_t i = 0; i < r->plan->n; i++) {
    const ho_entry *e = &r->plan->entry[i];
    if (e->copy == 0) precision[e->op] = (int8_t)precision_of(q, e);
  }
  for (int32_t i = 0; i < r->plan->n; i++) {
    const ho_entry *e = &r->plan->entry[i];
    const ho_replay_op *t = &r->op[i];
    const ho_device_info *d = &q->platform->device[e->device];
    g_string_append(s, "kernel");
    put(s, q->graph->op[e->op].name);
    put(s, d->name);
    put_number(s, e->stream);
    put_number(s, t->start);
    put_number(s, t->end);
    put_number(s, ho_cost_kernel_in(q->cost, e->op, e->device, precision_of(q, e), e->point, precision).bytes);
    put_nothing(s, 2);
    put_number(s, t->ready);
    put_number(s, t->launched);
    put_number(s, t->kernel);
    put(s, q->graph->op[e->op].kind);
    put(s, ho_dtype_name(precision_of(q, e)));
    put(s, d->point[e->point].name);
    put_number(s, e->copy);
    put_nothing(s, 1);
    g_string_append_c(s, '\n');
  }
}

/* The links of a route: "pcie0+pcie1". g_free. */
static char *links_of(const ho_platform *p, const ho_replay_transfer *t) {
  const ho_route *route = ho_platform_route(p, t->from, t->to);
  GString *names = g_string_new("");
  for (int32_t h = 0; h < route->n; h++) g_string_append_printf(names, "%s%s", h ? "+" : "", p->link[route->hop[h].link].name);
  return g_string_free(names, FALSE);
}

static void put_transfers(const ho_problem *q, const ho_replay_result *r, GString *s) {
  for (int32_t i = 0; i < r->n_transfers; i++) {
    const ho_replay_transfer *t = &r->transfer[i];
    g_autofree char *links = links_of(q->platform, t);
    g_string_append(s, "transfer");
    put(s, q->graph->tensor[t->tensor].name);
    put(s, links);
    put_nothing(s, 1);
    put_number(s, t->start);
    put_number(s, t->end);
    put_number(s, t->bytes);
    put(s, q->platform->memory[t->from].name);
    put(s, q->platform->memory[t->to].name);
    put_number(s, t->requested);
    put_nothing(s, 7);
    g_string_append_c(s, '\n');
  }
}

static void put_buffers(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, GString *s) {
  const ho_replay_buffer *buffer;
  int32_t n = ho_replay_buffers(replay, &buffer);
  for (int32_t i = 0; i < n; i++) {
    const ho_replay_buffer *b = &buffer[i];
    g_string_append(s, b->tensor >= 0 ? "buffer" : "workspace");
    put(s, b->tensor >= 0 ? q->graph->tensor[b->tensor].name : q->graph->op[r->plan->entry[b->entry].op].name);
    put(s, q->platform->memory[b->memory].name);
    put_nothing(s, 1);
    put_number(s, b->from);
    put_number(s, b->to);
    put_number(s, b->bytes);
    put_nothing(s, 9);
    put_number(s, b->offset);
    g_string_append_c(s, '\n');
  }
}

gboolean ho_trace_write_csv(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error) {
  g_autoptr(GString) s = g_string_new(HEADER);
  put_kernels(q, r, s);
  put_transfers(q, r, s);
  put_buffers(q, replay, r, s);
  return ho_file_write(file, s->str, s->len, error);
}
