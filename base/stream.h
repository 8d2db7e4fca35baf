/* stream.h: seeded streams of random numbers, the same bits everywhere.
 *
 * A stream is xoshiro256** (Blackman & Vigna, ACM TOMS 47(4), 2021) whose state is the SHA-256 of a textual key: neighbouring
 * seeds and purposes give unrelated streams, and no stream depends on how many numbers another one used. Distributions use
 * ho_log and ho_exp, so that no digit depends on the C library. A stream is a value: copy it to repeat it.
 *
 * Key of a stream: seed and the parts that say what it is for, e.g. ("noise", problem digest, replicate "3", op name). */
#ifndef HO_BASE_STREAM_H
#define HO_BASE_STREAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t s[4];
} ho_stream;

/* The stream of (seed, parts…); `parts` ends with NULL. ("a","bc") and ("ab","c") are different keys. */
ho_stream ho_stream_keyed(uint64_t seed, const char *const *parts);

/* A 64-bit hash with good avalanche of (a, b): SplitMix64's finaliser; for keys of many tiny streams (noise per op). */
uint64_t ho_mix(uint64_t a, uint64_t b);

/* A stream whose state is expanded from one 64-bit key by SplitMix64. */
ho_stream ho_stream_small(uint64_t key);

uint64_t ho_stream_next(ho_stream *s);                     /* 64 random bits */
double ho_stream_uniform(ho_stream *s);                    /* [0, 1), 53 bits */
uint64_t ho_stream_below(ho_stream *s, uint64_t n);        /* 0 … n-1, unbiased (Lemire 2019); n ≥ 1 */
double ho_stream_normal(ho_stream *s);                     /* mean 0, deviation 1 (Marsaglia's polar method) */
/* Log-normal with mean 1 and coefficient of variation cv ≥ 0: exp(σz - σ²/2), σ² = log(1 + cv²). cv = 0 gives exactly 1. */
double ho_stream_lognormal(ho_stream *s, double cv);
void ho_stream_shuffle(ho_stream *s, int32_t *v, int32_t n); /* Fisher–Yates */

#ifdef __cplusplus
}
#endif

#endif
