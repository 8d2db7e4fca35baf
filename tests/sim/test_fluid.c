/* test_fluid.c: laws of the sharing of resources, and textbook answers. */
#include "sim/fluid.h"

#include <criterion/criterion.h>
#include <math.h>

#include "base/stream.h"

#define MAX_CLASSES 12
#define MAX_RESOURCES 8

/* Bertsekas & Gallager, Data Networks, 2nd ed., 6.5.2, parking lot: a long flow over every link and one short flow on each. */
Test(fluid, parking_lot_shares_the_tightest_link_equally) {
  const double capacity[] = {10, 10};
  ho_fluid *f = ho_fluid_new(2, capacity, 3, 2, 3);
  const double one[] = {1, 1};
  ho_fluid_define(f, 0, 2, (const int32_t[]){0, 1}, one, 1, INFINITY);
  ho_fluid_define(f, 1, 1, (const int32_t[]){0}, one, 1, INFINITY);
  ho_fluid_define(f, 2, 1, (const int32_t[]){1}, one, 1, INFINITY);
  ho_fluid_connect(f);
  for (int c = 0; c < 3; c++) ho_fluid_start(f, 0, c, 10, c);
  ho_fluid_settle(f, 0);
  for (int c = 0; c < 3; c++) cr_assert_eq(ho_fluid_rate(f, c), 5);
  ho_fluid_free(f);
}

/* Ghodsi et al., NSDI 2011, section 4.1: 9 CPUs and 18 GB; A wants (1, 4), B wants (3, 1): A runs 3 tasks, B 2. */
Test(fluid, dominant_shares_of_the_drf_paper) {
  const double capacity[] = {9, 18};
  ho_fluid *f = ho_fluid_new(2, capacity, 2, 2, 2);
  const int32_t both[] = {0, 1};
  ho_fluid_define(f, 0, 2, both, (const double[]){1, 4}, 1 / (4.0 / 18), INFINITY);
  ho_fluid_define(f, 1, 2, both, (const double[]){3, 1}, 1 / (3.0 / 9), INFINITY);
  ho_fluid_connect(f);
  ho_fluid_start(f, 0, 0, 1, 0);
  ho_fluid_start(f, 0, 1, 1, 1);
  ho_fluid_settle(f, 0);
  cr_assert_float_eq(ho_fluid_rate(f, 0), 3, 1e-14);
  cr_assert_float_eq(ho_fluid_rate(f, 1), 2, 1e-14);
  ho_fluid_free(f);
}

Test(fluid, a_cap_leaves_the_rest_to_the_others) {
  const double capacity[] = {10};
  ho_fluid *f = ho_fluid_new(1, capacity, 2, 1, 4);
  ho_fluid_define(f, 0, 1, (const int32_t[]){0}, (const double[]){1}, 1, 2);
  ho_fluid_define(f, 1, 1, (const int32_t[]){0}, (const double[]){1}, 1, INFINITY);
  ho_fluid_connect(f);
  for (int i = 0; i < 2; i++) ho_fluid_start(f, 0, 0, 1, i);
  ho_fluid_start(f, 0, 1, 1, 2);
  ho_fluid_settle(f, 0);
  cr_assert_eq(ho_fluid_rate(f, 0), 2);
  cr_assert_eq(ho_fluid_rate(f, 1), 6);
  ho_fluid_free(f);
}

Test(fluid, equal_flows_end_in_the_order_in_which_they_started) {
  const double capacity[] = {4};
  ho_fluid *f = ho_fluid_new(1, capacity, 1, 1, 4);
  ho_fluid_define(f, 0, 1, (const int32_t[]){0}, (const double[]){1}, 1, INFINITY);
  const int32_t ids[] = {2, 0, 3, 1};
  ho_fluid_connect(f);
  for (int i = 0; i < 4; i++) ho_fluid_start(f, 0, 0, 8, ids[i]);
  ho_fluid_settle(f, 0);
  double t;
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(ho_fluid_next(f, &t), 0);
    cr_assert_eq(t, 8);
    cr_assert_eq(ho_fluid_finish(f, t, 0), ids[i]);
  }
  ho_fluid_settle(f, t);
  cr_assert_eq(ho_fluid_next(f, &t), -1);
  ho_fluid_free(f);
}

Test(fluid, what_is_alone_has_its_own_speed_to_the_last_bit) {
  ho_stream s = ho_stream_small(5);
  for (int trial = 0; trial < 1000; trial++) {
    double u = ho_stream_uniform(&s) + 1e-3, v = ho_stream_uniform(&s) + 1e-3, c = ho_stream_uniform(&s) + 1e-3;
    const double capacity[] = {fmax(u, c), fmax(v, c)};
    ho_fluid *f = ho_fluid_new(2, capacity, 1, 2, 1);
    ho_fluid_define(f, 0, 2, (const int32_t[]){0, 1}, (const double[]){u, v}, 1 / fmax(u / capacity[0], v / capacity[1]), 1);
    ho_fluid_start(f, 0, 0, 1, 0);
    ho_fluid_settle(f, 0);
    cr_assert_eq(ho_fluid_rate(f, 0), 1);
    ho_fluid_free(f);
  }
}

/* ---- random systems ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  int n_res, n_class, n_use[MAX_CLASSES];
  double capacity[MAX_RESOURCES], use[MAX_CLASSES][MAX_RESOURCES], weight[MAX_CLASSES], cap[MAX_CLASSES];
  int32_t res[MAX_CLASSES][MAX_RESOURCES];
} system_t;

static ho_fluid *make(ho_stream *s, system_t *y) {
  y->n_res = 1 + (int)ho_stream_below(s, MAX_RESOURCES);
  y->n_class = 1 + (int)ho_stream_below(s, MAX_CLASSES);
  for (int r = 0; r < y->n_res; r++) y->capacity[r] = 1 + 9 * ho_stream_uniform(s);
  ho_fluid *f = ho_fluid_new(y->n_res, y->capacity, y->n_class, MAX_RESOURCES, 64);
  int plain = ho_stream_below(s, 2) == 0;
  for (int c = 0; c < y->n_class; c++) {
    y->n_use[c] = 0;
    for (int32_t r = 0; r < y->n_res; r++)
      if (ho_stream_below(s, 3) == 0 || (r == y->n_res - 1 && y->n_use[c] == 0)) {
        y->res[c][y->n_use[c]] = r;
        y->use[c][y->n_use[c]++] = plain ? 1 : 0.1 + ho_stream_uniform(s);
      }
    y->weight[c] = plain ? 1 : 0.5 + ho_stream_uniform(s);
    y->cap[c] = ho_stream_below(s, 3) == 0 ? 0.2 + ho_stream_uniform(s) : INFINITY;
    ho_fluid_define(f, c, y->n_use[c], y->res[c], y->use[c], y->weight[c], y->cap[c]);
  }
  ho_fluid_connect(f);
  return f;
}

/* No resource is over its capacity, and whatever runs below its cap crosses a full resource on which nothing that could give way has a
 * higher level: the definition of max-min fairness by bottlenecks. */
static void check_fair(const ho_fluid *f, const system_t *y) {
  for (int r = 0; r < y->n_res; r++) cr_assert_leq(ho_fluid_load(f, r), y->capacity[r] * (1 + 1e-9));
  for (int c = 0; c < y->n_class; c++) {
    if (ho_fluid_count(f, c) == 0) continue;
    double level = ho_fluid_rate(f, c) / y->weight[c];
    int bottleneck = ho_fluid_rate(f, c) >= y->cap[c] * (1 - 1e-9);
    for (int i = 0; i < y->n_use[c] && !bottleneck; i++) {
      int r = y->res[c][i];
      if (ho_fluid_load(f, r) < y->capacity[r] * (1 - 1e-9)) continue;
      bottleneck = 1;
      for (int d = 0; d < y->n_class; d++)
        for (int j = 0; j < y->n_use[d]; j++)
          if (y->res[d][j] == r && ho_fluid_count(f, d) > 0 && ho_fluid_rate(f, d) / y->weight[d] > level * (1 + 1e-9))
            bottleneck = 0;
    }
    cr_assert(bottleneck, "class %d of rate %g is held back by nothing", c, ho_fluid_rate(f, c));
  }
}

Test(fluid, a_resource_is_never_over_capacity_and_sharing_is_max_min) {
  ho_stream s = ho_stream_small(7);
  for (int trial = 0; trial < 400; trial++) {
    system_t y;
    ho_fluid *f = make(&s, &y);
    double now = 0, left[64];
    int free_id[64], n_free = 64;
    for (int i = 0; i < 64; i++) free_id[i] = i;
    double in = 0, out = 0;
    for (int step = 0; step < 120; step++) {
      double due;
      int32_t c = ho_fluid_next(f, &due);
      int start = n_free > 0 && (c < 0 || ho_stream_below(&s, 2) == 0) && step < 100;
      if (start) {
        if (c >= 0) now += (due - now) * ho_stream_uniform(&s);
        int id = free_id[--n_free];
        left[id] = ho_stream_uniform(&s) * 5;
        in += left[id];
        ho_fluid_start(f, now, (int32_t)ho_stream_below(&s, (uint64_t)y.n_class), left[id], id);
      } else if (c >= 0) {
        cr_assert_geq(due, now);
        now = due;
        int id = ho_fluid_finish(f, now, c);
        out += left[id];
        free_id[n_free++] = id;
      }
      ho_fluid_settle(f, now);
      check_fair(f, &y);
    }
    double due;
    for (int32_t c; (c = ho_fluid_next(f, &due)) >= 0; n_free++) {
      cr_assert(isfinite(due), "a flow stands still");
      out += left[ho_fluid_finish(f, due, c)];
      ho_fluid_settle(f, due);
    }
    cr_assert_eq(n_free, 64);
    cr_assert_float_eq(in, out, 1e-9);
    ho_fluid_free(f);
  }
}

/* Solving the component that changed gives what solving everything gives. */
Test(fluid, history_does_not_matter) {
  ho_stream s = ho_stream_small(11);
  for (int trial = 0; trial < 300; trial++) {
    system_t y;
    ho_stream again = s;
    ho_fluid *f = make(&s, &y), *g = make(&again, &y);
    s = again;
    int count[MAX_CLASSES] = {0}, id = 0;
    for (int step = 0; step < 40; step++) {
      int c = (int)ho_stream_below(&s, (uint64_t)y.n_class);
      double due;
      int32_t next = ho_fluid_next(f, &due);
      if (ho_stream_below(&s, 2) == 0 && next >= 0 && due == 0) {
        ho_fluid_finish(f, 0, next);
        count[next]--;
      } else {
        ho_fluid_start(f, 0, c, ho_stream_below(&s, 2) ? 1 : 0, id++);
        count[c]++;
      }
      if (ho_stream_below(&s, 3)) ho_fluid_settle(f, 0);
    }
    ho_fluid_settle(f, 0);
    id = 0;
    for (int c = 0; c < y.n_class; c++)
      for (int k = 0; k < count[c]; k++) ho_fluid_start(g, 0, c, 1, id++);
    ho_fluid_settle(g, 0);
    for (int c = 0; c < y.n_class; c++)
      if (count[c] > 0) cr_assert_float_eq(ho_fluid_rate(f, c), ho_fluid_rate(g, c), 1e-12 * ho_fluid_rate(g, c));
    ho_fluid_free(f);
    ho_fluid_free(g);
  }
}
