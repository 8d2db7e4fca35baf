/* test_arena_plan.c: laws of the arena plan. */
#include "sim/arena_plan.h"

#include <criterion/criterion.h>
#include <math.h>

#include "base/stream.h"

Test(arena_plan, buffers_that_live_at_once_do_not_overlap) {
  ho_stream s = ho_stream_small(3);
  for (int trial = 0; trial < 200; trial++) {
    ho_replay_buffer b[60];
    int n = 1 + (int)ho_stream_below(&s, 60);
    for (int i = 0; i < n; i++) {
      int64_t from = (int64_t)ho_stream_below(&s, 20);
      b[i] = (ho_replay_buffer){.tensor = i,
                                .entry = i,
                                .memory = (ho_memory)ho_stream_below(&s, 2),
                                .born = from,
                                .died = from + (int64_t)ho_stream_below(&s, 10),
                                .bytes = (double)ho_stream_below(&s, 100)};
    }
    double arena[2], live[2];
    ho_arena_plan(b, n, 2, arena);
    for (int m = 0; m < 2; m++) {
      live[m] = 0;
      for (int t = 0; t < 30; t++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
          if (b[i].memory == m && b[i].born <= t && t < b[i].died) sum += b[i].bytes;
        live[m] = sum > live[m] ? sum : live[m];
      }
      cr_assert_geq(arena[m], live[m], "an arena cannot be smaller than what lives at once");
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        int meet = b[i].memory == b[j].memory && b[i].born < b[i].died && b[j].born < b[j].died && b[i].born < b[j].died &&
                   b[j].born < b[i].died;
        int apart = b[i].offset + b[i].bytes <= b[j].offset || b[j].offset + b[j].bytes <= b[i].offset;
        cr_assert(!meet || apart || b[i].bytes == 0 || b[j].bytes == 0);
        cr_assert_leq(b[i].offset + b[i].bytes, arena[b[i].memory] + (b[i].born == b[i].died ? 1e9 : 0));
      }
  }
}

/* By hand: 6 lives throughout, 4 and then 5 one after the other: 6 + 5. */
Test(arena_plan, lifetimes_that_follow_each_other_share_a_place) {
  ho_replay_buffer b[] = {
      {.bytes = 6, .born = 0, .died = 3}, {.bytes = 4, .born = 0, .died = 1}, {.bytes = 5, .born = 1, .died = 3}};
  double arena[1];
  ho_arena_plan(b, 3, 1, arena);
  cr_assert_eq(arena[0], 11);
  cr_assert_eq(b[0].offset, 0);
  cr_assert_eq(b[1].offset, 6);
  cr_assert_eq(b[2].offset, 6);
}

/* What the paper says, word by word: best fit over all that were placed before, found by trying every end of one as a place. */
static double best_fit(const ho_replay_buffer *b, int i, const int *placed, int n) {
  double best = INFINITY, smallest = INFINITY;
  for (int k = -1; k < n; k++) {
    double at = k < 0 ? 0 : b[placed[k]].offset + b[placed[k]].bytes, next = INFINITY;
    int free_here = k < 0 || (b[i].born < b[placed[k]].died && b[placed[k]].born < b[i].died);
    for (int j = 0; j < n; j++) {
      const ho_replay_buffer *p = &b[placed[j]];
      if (b[i].born >= p->died || p->born >= b[i].died) continue;
      if (p->offset < at && at < p->offset + p->bytes) free_here = 0;
      if (p->offset >= at && p->offset < next) next = p->offset;
    }
    if (!free_here || next - at < b[i].bytes) continue;
    if (next - at < smallest || (next - at == smallest && at < best)) best = at, smallest = next - at;
  }
  return best;
}

Test(arena_plan, every_buffer_lies_where_best_fit_over_all_others_puts_it) {
  enum { N = 400 };
  static ho_replay_buffer b[N];
  static int placed[N];
  ho_stream s = ho_stream_small(7);
  for (int i = 0; i < N; i++) {
    int64_t born = (int64_t)ho_stream_below(&s, 1000), longest = i % 10 ? 20 : 1000;
    b[i] = (ho_replay_buffer){.bytes = N - i, .born = born, .died = born + 1 + (int64_t)ho_stream_below(&s, (uint64_t)longest)};
  }
  double arena[1];
  ho_arena_plan(b, N, 1, arena);
  for (int i = 0; i < N; i++) { /* larger first, as they stand */
    double expected = best_fit(b, i, placed, i);
    cr_assert_eq(b[i].offset, expected, "buffer %d lies at %g, expected %g", i, b[i].offset, expected);
    placed[i] = i;
  }
}
