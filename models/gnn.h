/* gnn.h: graph neural networks on the graphs of public data sets; each is an entry of the table of built-in models. */
#ifndef HO_MODELS_GNN_H
#define HO_MODELS_GNN_H

#include "models/source.h"

extern const ho_model_builder ho_model_gcn, ho_model_graphsage, ho_model_gat;

#endif
