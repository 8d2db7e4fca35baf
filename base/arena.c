/* arena.c: see arena.h. A list of blocks; pieces larger than a block get one of their own. */
#include "base/arena.h"

#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGNMENT = 16 };

typedef struct block {
  struct block *next;
  size_t used, size; /* bytes of data[] */
  _Alignas(ALIGNMENT) unsigned char data[];
} block;

struct ho_arena {
  block *head; /* the block that small pieces come from; NULL before the first */
};

ho_arena *ho_arena_new(void) {
  return g_new0(ho_arena, 1);
}

void ho_arena_free(ho_arena *a) {
  if (!a) return;
  for (block *b = a->head, *next; b; b = next) {
    next = b->next;
    g_free(b);
  }
  g_free(a);
}

static block *block_new(size_t size) {
  if (size > G_MAXSIZE - sizeof(block)) g_error("arena: %zu bytes asked for", size);
  block *b = g_malloc0(sizeof(block) + size);
  b->size = size;
  return b;
}

void *ho_arena_alloc(ho_arena *a, size_t bytes) {
  if (bytes > G_MAXSIZE - ALIGNMENT) g_error("arena: %zu bytes asked for", bytes);
  size_t need = MAX((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, (size_t)ALIGNMENT);
  block *b = a->head;
  if (!b || b->size - b->used < need) {
    b = block_new(MAX(need, (size_t)BLOCK_BYTES));
    if (need > BLOCK_BYTES && a->head) { /* keep filling the present block */
      b->next = a->head->next;
      a->head->next = b;
    } else {
      b->next = a->head;
      a->head = b;
    }
  }
  void *piece = b->data + b->used;
  b->used += need;
  return piece;
}

char *ho_arena_strdup(ho_arena *a, const char *s) {
  return s ? ho_arena_memdup(a, s, strlen(s) + 1) : NULL;
}

void *ho_arena_memdup(ho_arena *a, const void *p, size_t bytes) {
  void *copy = ho_arena_alloc(a, bytes);
  if (bytes) memcpy(copy, p, bytes);
  return copy;
}
