/* test_arena.c: memory that is freed all at once. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "base/arena.h"

Test(arena, pieces_are_zeroed_aligned_and_apart) {
  g_autoptr(ho_arena) a = ho_arena_new();
  unsigned char *piece[400];
  size_t size[400];
  for (size_t i = 0; i < 400; i++) {
    size[i] = i * i % 9973 + (i % 50 == 0 ? 100000 : 0);
    piece[i] = ho_arena_alloc(a, size[i]);
    cr_assert_eq((uintptr_t)piece[i] % 16, 0);
    for (size_t k = 0; k < size[i]; k++) cr_assert_eq(piece[i][k], 0);
    memset(piece[i], (int)(i % 251) + 1, size[i]);
  }
  for (size_t i = 0; i < 400; i++)
    for (size_t k = 0; k < size[i]; k++) cr_assert_eq(piece[i][k], i % 251 + 1, "piece %zu was overwritten", i);
}

Test(arena, copies_are_equal_and_of_their_own) {
  g_autoptr(ho_arena) a = ho_arena_new();
  char word[] = "conv1";
  char *copy = ho_arena_strdup(a, word);
  word[0] = 'x';
  cr_assert_str_eq(copy, "conv1");
  cr_assert_null(ho_arena_strdup(a, NULL));
  int32_t numbers[3] = {1, -2, 3};
  int32_t *same = ho_arena_memdup(a, numbers, sizeof numbers);
  cr_assert_arr_eq(same, numbers, sizeof numbers);
  cr_assert_not_null(ho_arena_memdup(a, NULL, 0));
}

Test(arena, freeing_nothing_is_allowed) {
  ho_arena *none = NULL;
  ho_arena_free(none);
  ho_arena *a = ho_arena_new();
  cr_assert_not_null(a);
  ho_arena_free(a);
}
