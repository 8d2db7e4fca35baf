/* parametric.c: list scheduling taken apart: which op next, on which device, in gaps or behind.
 *
 * Source: Coleman, Agrawal, Hirani & Krishnamachari, "Parameterized task graph scheduling algorithm for comparing algorithmic components", 2024,
 * section III.
 * priority: upward (HEFT's rank), downward + upward (cpop), optimistic (PEFT's), level (static, no communication), none (ready ops by index).
 * criterion: finish (earliest), start (earliest), quickest (least time there), optimistic (finish plus PEFT's table). insertion: yes or no.
 * upward, finish, yes is heft; optimistic, optimistic, yes is peft. none orders ready ops by index, which is not mct: that takes them first come,
 * first served.
 * Complexity: as HEFT, with optimistic as PEFT. Options: priority, criterion, insertion. Ties: the lower index of ops and of devices; start: the
 * earlier finish before. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/levels.h"
#include "sched/list.h"
#include "sched/peft.h"

enum { UPWARD, CPOP, OPTIMISTIC, LEVEL, NONE };
enum { FINISH, START, QUICKEST, LEAST_OPTIMISTIC };

static const char *const priorities[] = {"upward", "cpop", "optimistic", "level", "none", NULL};
static const char *const criteria[] = {"finish", "start", "quickest", "optimistic", NULL};
static const char *const yes_no[] = {"yes", "no", NULL};

static const ho_option options[] = {
    {"priority", HO_OPTION_CHOICE, "upward", 0, 0, priorities, "which ready op comes next"},
    {"criterion", HO_OPTION_CHOICE, "finish", 0, 0, criteria, "on which device"},
    {"insertion", HO_OPTION_CHOICE, "yes", 0, 0, yes_no, "whether an op may start in a gap between others"},
    {0},
};

typedef struct {
  int64_t priority, criterion, append;
  const double *table; /* PEFT's; NULL: not needed */
} parameters;

static double value_of(const ho_list *l, ho_op o, ho_device d, const parameters *p) {
  int64_t k = (int64_t)o * l->c->n_devices + d;
  double finish = ho_list_finish_on(l, o, d);
  if (!isfinite(finish)) return INFINITY;
  return p->criterion == QUICKEST ? l->c->time[k] : p->criterion == LEAST_OPTIMISTIC ? finish + p->table[k] : finish;
}

static ho_device choose(ho_list *l, ho_op o, void *data) {
  const parameters *p = data;
  if (p->criterion == START) return ho_list_first_start(l, o, NULL);
  ho_list_ready(l, o);
  ho_device best = -1;
  double least = INFINITY;
  for (ho_device d = 0; d < l->c->n_devices; d++) {
    double value = value_of(l, o, d, p);
    if (!(value < least)) continue;
    least = value;
    best = d;
  }
  return best;
}

/* First ready, first placed; of those that one op makes ready, the lower index: higher priorities for who comes earlier. */
static void fill_as_ready(const ho_graph *g, double *priority) {
  g_autofree int32_t *missing = g_new0(int32_t, (size_t)g->n_ops + 1);
  g_autofree ho_op *queue = g_new(ho_op, (size_t)g->n_ops + 1);
  int32_t n = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) missing[o] += g->tensor[g->in[i]].producer >= 0;
    if (missing[o] == 0) queue[n++] = o;
  }
  for (int32_t k = 0; k < n; k++) {
    ho_op o = queue[k];
    int32_t first = n;
    priority[o] = g->n_ops - k;
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) {
        if (--missing[g->use[u]] > 0) continue;
        int32_t at = n++;
        for (; at > first && queue[at - 1] > g->use[u]; at--) queue[at] = queue[at - 1];
        queue[at] = g->use[u];
      }
  }
}

static void fill_priority(const ho_costs *c, const parameters *p, double *priority) {
  size_t n = (size_t)c->n_ops;
  g_autofree double *down = g_new(double, n + 1);
  if (p->priority == OPTIMISTIC)
    ho_peft_rank(c, p->table, priority);
  else if (p->priority == LEVEL)
    ho_static_level(c, c->mean, priority);
  else if (p->priority == NONE)
    fill_as_ready(c->g, priority);
  else
    ho_rank_upward(c, priority);
  if (p->priority != CPOP) return;
  ho_rank_downward(c, down);
  for (size_t i = 0; i < n; i++) priority[i] += down[i];
}

static ho_op parametric_fill(ho_list *l, void *data) {
  parameters *p = data;
  size_t n = (size_t)l->c->n_ops;
  g_autofree double *priority = g_new(double, n + 1), *table = g_new(double, n *(size_t)l->c->n_devices + 1);
  if (p->priority == OPTIMISTIC || p->criterion == LEAST_OPTIMISTIC) ho_peft_table(l->c, table);
  p->table = table;
  fill_priority(l->c, p, priority);
  l->append = p->append != 0;
  return ho_list_by_priority(l, priority, choose, p);
}

static int parametric_run(ho_search *s) {
  parameters p = {.priority = ho_search_option_int(s, "priority"),
                  .criterion = ho_search_option_int(s, "criterion"),
                  .append = ho_search_option_int(s, "insertion")};
  return ho_list_run_with(s, parametric_fill, &p);
}

const ho_scheduler ho_scheduler_parametric = {
    HO_LIST_SCHEDULER,
    .name = "parametric",
    .summary = "a list scheduler put together out of priority, criterion and insertion",
    .source = "Coleman, Agrawal, Hirani, Krishnamachari, 2024, section III",
    .options = options,
    .run = parametric_run,
};
