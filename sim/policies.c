/* policies.c: the online policies: which device an op goes to, or which op a device takes.
 *
 * A policy is a const struct; adding one is a line in `policies`, and its name in ho_policy_names. Ties: the lower device, the op that was ready first.
 * heteroprio: the acceleration factor of Beaumont, Eyraud-Dubois & Kumar, "Approximation proofs of a fast and efficient list scheduling algorithm for
 * task-based runtime systems on multicores and GPUs", IPDPS 2017, for any number of kinds; nothing is taken back from a slower device (spoliation).
 * ws: Blumofe & Leiserson, J. ACM 46(5), 1999; who steals looks for the device with most waiting ops, where they take a random one. */
#include "sim/policies.h"

#include <math.h>
#include <string.h>

#include "base/stream.h"

static int never(const ho_replay *r, ho_op a, ho_op b) {
  (void)r, (void)a, (void)b;
  return 0;
}

static int more_urgent(const ho_replay *r, ho_op a, ho_op b) {
  return r->q->graph->op[a].priority > r->q->graph->op[b].priority;
}

/* ---- which device ---------------------------------------------------------------------------------------------------------------- */
double ho_policy_seconds(const ho_replay *r, ho_op o, ho_device d) {
  return ho_cost_time(r->q->cost, o, d) + r->q->platform->device[d].launch_device;
}

static double first_device(const ho_replay *r, ho_op o, ho_device d) {
  (void)r, (void)o;
  return d;
}

static double any_device(const ho_replay *r, ho_op o, ho_device d) {
  ho_stream s = ho_stream_small(ho_mix(ho_mix(r->options.seed, (uint64_t)o), (uint64_t)d));
  return ho_stream_uniform(&s);
}

/* The memory that a copy of an input of o into memory m would come from; m when it is there or on its way. */
static ho_memory source_of(const ho_replay *r, ho_tensor t, ho_memory m) {
  int32_t there = ho_cells_find(r, t, m), home = r->tensor_cell[t];
  if (r->q->graph->tensor[t].role == HO_ROLE_WEIGHT || home < 0) return m;
  return there >= 0 && r->cell[there].state != CELL_ABSENT ? m : r->cell[home].memory;
}

static double missing_bytes(const ho_replay *r, ho_op o, ho_device d) {
  const ho_graph *g = r->q->graph;
  ho_memory m = r->q->platform->device[d].memory;
  double sum = 0;
  for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++)
    if (source_of(r, g->in[j], m) != m) sum += (double)r->tensor_bytes[g->in[j]];
  return sum;
}

static double transfer_seconds(const ho_replay *r, ho_op o, ho_device d) {
  const ho_graph *g = r->q->graph;
  ho_memory m = r->q->platform->device[d].memory;
  double sum = 0;
  for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++)
    sum += ho_copy_time(r->q->platform, source_of(r, g->in[j], m), m, (double)r->tensor_bytes[g->in[j]]);
  return sum;
}

/* When the device has done what it was given. */
static double expected_free(const ho_replay *r, ho_device d) {
  return fmax(r->now, r->online->since_end[d] + r->online->given[d]);
}

static double expected_end(const ho_replay *r, ho_op o, ho_device d) {
  return expected_free(r, d) + ho_policy_seconds(r, o, d);
}

static double expected_end_with_data(const ho_replay *r, ho_op o, ho_device d) {
  return fmax(expected_free(r, d), r->now + transfer_seconds(r, o, d)) + ho_policy_seconds(r, o, d);
}

/* ---- which op --------------------------------------------------------------------------------------------------------------------- */
/* How much longer the op takes here than on the quickest device of another kind; 0: no other kind can run it. */
static double slowdown(const ho_replay *r, ho_op o, ho_device d) {
  const ho_platform *p = r->q->platform;
  double other = INFINITY;
  for (ho_device k = 0; k < r->n_devices; k++)
    if (p->device[k].kind != p->device[d].kind && ho_cost_can_run(r->q->cost, o, k))
      other = fmin(other, ho_policy_seconds(r, o, k));
  return ho_policy_seconds(r, o, d) / other;
}

static int32_t most_accelerated(const ho_replay *r, ho_device d) {
  const struct ho_online *w = r->online;
  int32_t best = -1;
  double least = INFINITY;
  for (int32_t k = 0; k < w->n_ready; k++) {
    if (!ho_cost_can_run(r->q->cost, w->ready[k], d)) continue;
    double value = slowdown(r, w->ready[k], d);
    if (best >= 0 && !(value < least)) continue;
    least = value;
    best = k;
  }
  return best;
}

/* Of the ready ops that d can run: the last one of its own; else the first one of the device that has most of them. */
static int32_t own_or_stolen(const ho_replay *r, ho_device d) {
  const struct ho_online *w = r->online;
  int32_t most = 0, victim = -1;
  for (ho_device k = 0; k < r->n_devices; k++) {
    int32_t n = 0, last = -1;
    for (int32_t i = 0; i < w->n_ready; i++)
      if (w->owner[w->ready[i]] == k && ho_cost_can_run(r->q->cost, w->ready[i], d)) {
        n++;
        last = i;
      }
    if (k == d && n > 0) return last;
    if (n > most) {
      most = n;
      victim = k;
    }
  }
  for (int32_t i = 0; i < w->n_ready && victim >= 0; i++)
    if (w->owner[w->ready[i]] == victim && ho_cost_can_run(r->q->cost, w->ready[i], d)) return i;
  return -1;
}

static const ho_policy policies[] = {
    {"fifo", "each ready op, in order, on the first idle device that can run it", never, first_device, 0, NULL},
    {"priority", "the ready op of highest priority on the first idle device that can run it", more_urgent, first_device, 0, NULL},
    {"random", "each ready op on a random idle device", never, any_device, 0, NULL},
    {"quickest", "each ready op on the idle device where it takes least", never, ho_policy_seconds, 0, NULL},
    {"locality", "each ready op on the idle device that has to be sent the fewest bytes", never, missing_bytes, 0, NULL},
    {"dm", "each op, when ready, to the queue of the device where it is expected to end first", never, expected_end, 1, NULL},
    {"dmda", "the same, with the time that its data needs to get there", never, expected_end_with_data, 1, NULL},
    {"dmda-prio", "the same, of ops that are ready together the one of highest priority first", more_urgent,
     expected_end_with_data, 1, NULL},
    {"heteroprio", "each idle device takes the ready op that it accelerates most against other kinds of devices", never, NULL, 0,
     most_accelerated},
    {"ws", "work stealing: each idle device takes the last op that its own ops made ready, else the first of who has most", never,
     NULL, 0, own_or_stolen},
};
const char *const ho_policy_names[] = {"fifo", "priority",  "random",     "quickest", "locality", "dm",
                                       "dmda", "dmda-prio", "heteroprio", "ws",       NULL};

const char *ho_policy_summary(const char *name) {
  const ho_policy *p = ho_policy_find(name);
  return p ? p->summary : NULL;
}

const ho_policy *ho_policy_find(const char *name) {
  for (size_t i = 0; i < G_N_ELEMENTS(policies); i++)
    if (strcmp(policies[i].name, name) == 0) return &policies[i];
  return NULL;
}
