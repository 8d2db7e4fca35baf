/* digest.c: see digest.h. Each field is one type letter, a length where the type has none of its own, and the bytes, with
 * numbers in little-endian order. */
#include "base/digest.h"

#include <string.h>

struct ho_digest {
  GChecksum *sum;
};

ho_digest *ho_digest_new(void) {
  ho_digest *d = g_new(ho_digest, 1);
  d->sum = g_checksum_new(G_CHECKSUM_SHA256);
  return d;
}

void ho_digest_free(ho_digest *d) {
  if (!d) return;
  g_checksum_free(d->sum);
  g_free(d);
}

/* g_checksum_update counts in gssize; a field can be larger than that only in theory, and is cut in pieces here. */
static void add(ho_digest *d, const void *p, size_t n) {
  for (const guchar *bytes = p; n;) {
    size_t piece = MIN(n, (size_t)1 << 30);
    g_checksum_update(d->sum, bytes, (gssize)piece);
    bytes += piece;
    n -= piece;
  }
}

static void add_tagged(ho_digest *d, char tag, uint64_t number) {
  guchar head[9] = {(guchar)tag};
  for (int i = 0; i < 8; i++) head[1 + i] = (guchar)(number >> (8 * i));
  add(d, head, sizeof head);
}

void ho_digest_string(ho_digest *d, const char *s) {
  if (!s) {
    add_tagged(d, 'n', 0);
    return;
  }
  size_t n = strlen(s);
  add_tagged(d, 's', n);
  add(d, s, n);
}

void ho_digest_int(ho_digest *d, int64_t v) {
  add_tagged(d, 'i', (uint64_t)v);
}

void ho_digest_double(ho_digest *d, double v) {
  uint64_t bits;
  if (v == 0) v = 0.0; /* -0 and 0 are the same quantity */
  memcpy(&bits, &v, sizeof bits);
  add_tagged(d, 'd', bits);
}

void ho_digest_bytes(ho_digest *d, const void *p, size_t n) {
  add_tagged(d, 'b', n);
  add(d, p, n);
}

char *ho_digest_finish(ho_digest *d) {
  return g_strdup(g_checksum_get_string(d->sum));
}
