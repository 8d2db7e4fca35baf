/* kind.h: operator kinds and the families whose efficiency a device profile states.
 *
 * A kind is a word ("conv", "relu", "layernorm"); a graph may use words that nobody knows. A family is one of a fixed few:
 * profiles give the reached share of peak by family. Kinds that are not in the table belong to HO_FAMILY_DEFAULT. */
#ifndef HO_MODELS_KIND_H
#define HO_MODELS_KIND_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HO_FAMILY_DEFAULT,
  HO_FAMILY_GEMM,        /* gemm, matmul, linear */
  HO_FAMILY_CONV,
  HO_FAMILY_DEPTHWISE,   /* convolution with as many groups as channels */
  HO_FAMILY_ATTENTION,
  HO_FAMILY_RECURRENT,   /* lstm, gru, rnn */
  HO_FAMILY_NORM,
  HO_FAMILY_SOFTMAX,
  HO_FAMILY_ELEMENTWISE,
  HO_FAMILY_POOL,
  HO_FAMILY_REDUCE,
  HO_FAMILY_GATHER,
  HO_FAMILY_SCATTER,
  HO_FAMILY_DATA,        /* data movement: transpose, concat, slice, pad, reshape, cast */
  HO_N_FAMILIES
} ho_family;

const char *ho_family_name(ho_family f); /* "conv"; NULL beyond the last */
/* The gradient kinds "x_grad", "x_dgrad" and "x_wgrad" belong to the family of x. */
ho_family ho_family_of_kind(const char *kind);
/* The i-th word of the table, in order of strcmp; NULL beyond the last. */
const char *ho_kind_word(int i);
/* Whether FLOPs of this family are multiply-accumulates (2 each), so that they count as MACs. */
int ho_family_has_macs(ho_family f);

/* Whether ops of this kind are copies in the host's memory ("offload", "fetch"), which only a device there can carry out, whatever
 * kinds it lists. */
int ho_kind_is_host_copy(const char *kind);

#ifdef __cplusplus
}
#endif

#endif
