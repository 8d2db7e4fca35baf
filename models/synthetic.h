/* synthetic.h: random graphs of any size, for benchmarks and for questions about structure rather than about one network. */
#ifndef HO_MODELS_SYNTHETIC_H
#define HO_MODELS_SYNTHETIC_H

#include "models/source.h"

extern const ho_model_builder ho_model_layered, ho_model_fork_join;

#endif
