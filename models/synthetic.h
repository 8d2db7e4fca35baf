/* synthetic.h: random graphs of any size, for benchmarks and for questions about structure rather than about one network. */
#ifndef HO_MODELS_SYNTHETIC_H
#define HO_MODELS_SYNTHETIC_H

#include "models/source.h"

extern const ho_model_builder ho_model_layered, ho_model_fork_join;
extern const ho_model_builder ho_model_random_dag, ho_model_out_tree, ho_model_in_tree;
extern const ho_model_builder ho_model_gaussian_elimination, ho_model_fft, ho_model_laplace;
extern const ho_model_builder ho_model_cholesky, ho_model_lu, ho_model_qr;

#endif
