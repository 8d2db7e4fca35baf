/* digest.h: SHA-256 over a sequence of typed fields, for content keys.
 *
 * Fields carry their type and length, so that two different sequences never digest alike. Doubles are digested by their bits
 * (with -0 taken as 0). The text is 64 lower-case hex digits. */
#ifndef HO_BASE_DIGEST_H
#define HO_BASE_DIGEST_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct ho_digest ho_digest;

ho_digest *ho_digest_new(void);
void ho_digest_free(ho_digest *d);
void ho_digest_string(ho_digest *d, const char *s); /* NULL is a value of its own */
void ho_digest_int(ho_digest *d, int64_t v);
void ho_digest_double(ho_digest *d, double v);
void ho_digest_bytes(ho_digest *d, const void *p, size_t n);
char *ho_digest_finish(ho_digest *d); /* hex; caller frees with g_free; the digest can then only be freed */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_digest, ho_digest_free)

G_END_DECLS

#endif
