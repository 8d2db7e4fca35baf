/* stream.c: see stream.h. */
#include "base/stream.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/fmath.h"

static const uint64_t GOLDEN = 0x9e3779b97f4a7c15; /* 2^64 over the golden ratio: SplitMix64's increment */

/* SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014; constants of Stafford's variant 13). */
static uint64_t finalise(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t ho_mix(uint64_t a, uint64_t b) {
  return finalise((finalise(a + GOLDEN) ^ b) + GOLDEN);
}

static void add_number(GChecksum *sum, uint64_t number) {
  guchar bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (guchar)(number >> (8 * i));
  g_checksum_update(sum, bytes, sizeof bytes);
}

/* What is hashed: the seed, then each part as its length and its bytes; numbers as 8 little-endian bytes. The digest's 32
 * bytes, read the same way, are the state (which is not all zero, but for one key in 2^256). */
ho_stream ho_stream_keyed(uint64_t seed, const char *const *parts) {
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  add_number(sum, seed);
  for (; parts && *parts; parts++) {
    size_t n = strlen(*parts);
    add_number(sum, n);
    g_checksum_update(sum, (const guchar *)*parts, (gssize)n);
  }
  guint8 digest[32];
  gsize size = sizeof digest;
  g_checksum_get_digest(sum, digest, &size);
  g_checksum_free(sum);
  ho_stream s = {{0}};
  for (int i = 0; i < 32; i++) s.s[i / 8] |= (uint64_t)digest[i] << (8 * (i % 8));
  return s;
}

ho_stream ho_stream_small(uint64_t key) {
  ho_stream s;
  for (int i = 0; i < 4; i++) s.s[i] = finalise(key += GOLDEN);
  return s;
}

static uint64_t rotate(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

uint64_t ho_stream_next(ho_stream *stream) {
  uint64_t *s = stream->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double ho_stream_uniform(ho_stream *s) {
  return (double)(ho_stream_next(s) >> 11) * 0x1p-53;
}

__extension__ typedef unsigned __int128 wide;

/* Lemire, Fast random integer generation in an interval, ACM TOMACS 29(1), 2019, algorithm 5. */
uint64_t ho_stream_below(ho_stream *s, uint64_t n) {
  g_assert(n >= 1);
  wide m = (wide)ho_stream_next(s) * n;
  if ((uint64_t)m < n) {
    uint64_t threshold = (0 - n) % n;
    while ((uint64_t)m < threshold) m = (wide)ho_stream_next(s) * n;
  }
  return (uint64_t)(m >> 64);
}

/* The second number of each pair is thrown away: a stream has no state beside its 256 bits. */
double ho_stream_normal(ho_stream *s) {
  double u, v, q;
  do {
    u = 2.0 * ho_stream_uniform(s) - 1.0;
    v = 2.0 * ho_stream_uniform(s) - 1.0;
    q = u * u + v * v;
  } while (q >= 1.0 || q == 0.0);
  return u * sqrt(-2.0 * ho_log(q) / q);
}

/* log(1 + x), x >= 0, to full relative precision (Kahan's correction of the rounding of 1 + x). */
static double log_of_one_plus(double x) {
  double u = 1.0 + x;
  return u == 1.0 ? x : ho_log(u) * (x / (u - 1.0));
}

double ho_stream_lognormal(ho_stream *s, double cv) {
  if (cv == 0) return 1.0;
  double variance = log_of_one_plus(cv * cv);
  return ho_exp(sqrt(variance) * ho_stream_normal(s) - 0.5 * variance);
}

void ho_stream_shuffle(ho_stream *s, int32_t *v, int32_t n) {
  for (int32_t i = n - 1; i > 0; i--) {
    int32_t j = (int32_t)ho_stream_below(s, (uint64_t)i + 1), t = v[i];
    v[i] = v[j];
    v[j] = t;
  }
}
