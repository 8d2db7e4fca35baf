/* again.h: what the rules `recompute` and `offload` share: activations that wait for the backward pass, and how what brings them back
 * is kept from doing so at once. Not installed.
 *
 * Both rules free an activation early and have it again when the backward pass nears. An op that could run as soon as the forward pass is
 * over would free nothing, so it waits for a token: a tensor without bytes that an op of the backward pass makes. */
#ifndef HO_MODELS_RULES_AGAIN_H
#define HO_MODELS_RULES_AGAIN_H

#include "models/rules/rules.h"

/* A backward op reads t. */
gboolean ho_read_backward(const ho_workgraph *w, ho_tensor t);
/* The backward reader of t before which no other comes: the one of least level, then least index; -1. */
ho_op ho_first_backward_reader(const ho_workgraph *w, ho_tensor t);
/* An op of the backward pass that ends before `o` may begin, `ahead` steps further back where there are as many; -1. */
ho_op ho_backward_before(const ho_workgraph *w, ho_op o, int32_t ahead);
/* The token that `maker` makes, called after `name`; in the place of `place_of`. -1: it would close a cycle. */
ho_tensor ho_add_token(ho_workgraph *w, ho_op maker, const char *name, ho_tensor place_of);
/* "base.suffix", with apostrophes where that was taken. Caller frees. */
char *ho_again_op_name(const ho_workgraph *w, const char *base, const char *suffix);
char *ho_again_tensor_name(const ho_workgraph *w, const char *base, const char *suffix);
/* Backward readers of t read `instead`. FALSE: a cycle. */
gboolean ho_backward_reads_instead(ho_workgraph *w, ho_tensor t, ho_tensor instead);

#endif
