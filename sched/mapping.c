/* mapping.c: the mapping heuristics of meta-tasks, on the ready ops of a graph: min-min, max-min, sufferage, mct, met, olb.
 *
 * Source: Maheswaran, Ali, Siegel, Hensgen & Freund, "Dynamic mapping of a class of independent tasks onto heterogeneous computing systems", J.
 * Parallel and Distributed Computing 59, 1999, sections 3 and 4; Ibarra & Kim, J. ACM 24(2), 1977, for min-min and max-min; Braun et al., JPDC
 * 61, 2001, section 3, for all of them. There the tasks are independent; here they are the ready ops, and completion times include data.
 * min-min: the op of least best completion time; max-min: of greatest; sufferage: of the greatest difference between second best and best
 * (an op with one device comes first); each on its best device. mct, met, olb take ready ops in the order in which they became so: on the
 * device of least completion time, of least execution time, and on the one that is free first.
 * Complexity: O(ops · ready · devices), mct, met, olb O(ops · devices). Options: none. Ties: the op that was ready first; the lower device. */
#include <math.h>

#include "sched/builtin.h"
#include "sched/ready.h"

static int is_better(double value, double best, int greatest) {
  return greatest ? value > best : value < best;
}

/* The op whose best completion time is least or greatest. */
static void by_completion(const ho_ready *r, int greatest, int32_t *slot, ho_device *device) {
  double best = greatest ? -INFINITY : INFINITY, finish;
  for (int32_t i = 0; i < r->n; i++) {
    ho_device d = ho_ready_best(r, i, &finish, NULL);
    if (d < 0) {
      *slot = i;
      *device = -1;
      return;
    }
    if (!is_better(finish, best, greatest)) continue;
    best = finish;
    *slot = i;
    *device = d;
  }
}

static void min_min(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  (void)data;
  by_completion(r, 0, slot, device);
}

static void max_min(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  (void)data;
  by_completion(r, 1, slot, device);
}

static void sufferage(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  (void)data;
  double most = -1, finish, second;
  for (int32_t i = 0; i < r->n; i++) {
    ho_device d = ho_ready_best(r, i, &finish, &second);
    if (d < 0) {
      *slot = i;
      *device = -1;
      return;
    }
    if (!(second - finish > most)) continue;
    most = second - finish;
    *slot = i;
    *device = d;
  }
}

static void mct(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  (void)data;
  double finish;
  *slot = 0;
  *device = ho_ready_best(r, 0, &finish, NULL);
}

static void met(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  (void)data;
  double least = INFINITY;
  *slot = 0;
  for (ho_device d = 0; d < r->list->c->n_devices; d++) {
    if (!isfinite(ho_ready_start(r, 0, d)) || !(ho_ready_time(r, 0, d) < least)) continue;
    least = ho_ready_time(r, 0, d);
    *device = d;
  }
}

static void olb(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  (void)data;
  double least = INFINITY;
  *slot = 0;
  for (ho_device d = 0; d < r->list->c->n_devices; d++) {
    if (!isfinite(ho_ready_start(r, 0, d)) || !(r->free[d] < least)) continue;
    least = r->free[d];
    *device = d;
  }
}

static ho_op fill_by(ho_list *l, void *rule) {
  return ho_ready_fill(l, *(const ho_ready_rule *)rule, NULL);
}

static int run_rule(ho_search *s, ho_ready_rule rule) {
  return ho_list_run_with(s, fill_by, &rule);
}

static int run_min_min(ho_search *s) {
  return run_rule(s, min_min);
}
static int run_max_min(ho_search *s) {
  return run_rule(s, max_min);
}
static int run_sufferage(ho_search *s) {
  return run_rule(s, sufferage);
}
static int run_mct(ho_search *s) {
  return run_rule(s, mct);
}
static int run_met(ho_search *s) {
  return run_rule(s, met);
}
static int run_olb(ho_search *s) {
  return run_rule(s, olb);
}

#define MAPPING(NAME, SUMMARY, SOURCE, RUN) \
  { HO_LIST_SCHEDULER, .name = NAME, .summary = SUMMARY, .source = SOURCE, .run = RUN }

const ho_scheduler ho_scheduler_min_min = MAPPING("min-min", "the ready op that can be done first goes next, where it is",
                                                  "Ibarra, Kim, J. ACM 24(2), 1977", run_min_min);
const ho_scheduler ho_scheduler_max_min =
    MAPPING("max-min", "the ready op that takes longest at best goes next, where it is done first",
            "Ibarra, Kim, J. ACM 24(2), 1977", run_max_min);
const ho_scheduler ho_scheduler_sufferage =
    MAPPING("sufferage", "the ready op that loses most on its second-best device goes next",
            "Maheswaran et al., JPDC 59, 1999, section 4", run_sufferage);
const ho_scheduler ho_scheduler_mct =
    MAPPING("mct", "ready ops in order, each where it is done first", "Maheswaran et al., JPDC 59, 1999, section 3", run_mct);
const ho_scheduler ho_scheduler_met =
    MAPPING("met", "ready ops in order, each where it takes least", "Maheswaran et al., JPDC 59, 1999, section 3", run_met);
const ho_scheduler ho_scheduler_olb = MAPPING("olb", "ready ops in order, each on the device that is free first",
                                              "Maheswaran et al., JPDC 59, 1999, section 3", run_olb);
