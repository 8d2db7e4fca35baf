/* transformer.h: transformers as published, and two parts of larger systems that are built alike; each is an entry of the table of
 * built-in models. */
#ifndef HO_MODELS_TRANSFORMER_H
#define HO_MODELS_TRANSFORMER_H

#include "models/source.h"

extern const ho_model_builder ho_model_bert_base, ho_model_bert_large;
extern const ho_model_builder ho_model_gpt2, ho_model_gpt2_medium, ho_model_gpt2_large, ho_model_gpt2_xl;
extern const ho_model_builder ho_model_vit_b16;
extern const ho_model_builder ho_model_llama2_7b;
extern const ho_model_builder ho_model_moe;
extern const ho_model_builder ho_model_two_tower;

#endif
