/* arena.h: memory that is freed all at once.
 *
 * An arena hands out zeroed, 16-byte aligned pieces and frees them together. Graphs and platforms own one each: every
 * pointer inside them lives exactly as long as they do. Allocation never fails (like g_malloc it aborts when the machine is
 * out of memory). Not thread safe; once filled, reading what lies in it is. */
#ifndef HO_BASE_ARENA_H
#define HO_BASE_ARENA_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct ho_arena ho_arena;

ho_arena *ho_arena_new(void);
void ho_arena_free(ho_arena *a); /* NULL is allowed */
void *ho_arena_alloc(ho_arena *a, size_t bytes);
char *ho_arena_strdup(ho_arena *a, const char *s);        /* NULL gives NULL */
void *ho_arena_memdup(ho_arena *a, const void *p, size_t bytes);

#define ho_arena_new_array(a, type, n) ((type *)ho_arena_alloc((a), sizeof(type) * (size_t)(n)))

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_arena, ho_arena_free)

G_END_DECLS

#endif
