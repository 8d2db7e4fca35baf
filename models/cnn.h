/* cnn.h: convolutional networks as published, layer by layer; each is an entry of the table of built-in models. */
#ifndef HO_MODELS_CNN_H
#define HO_MODELS_CNN_H

#include "models/source.h"

extern const ho_model_builder ho_model_resnet18, ho_model_resnet34, ho_model_resnet50, ho_model_resnet101, ho_model_resnet152;
extern const ho_model_builder ho_model_vgg16, ho_model_vgg19;
extern const ho_model_builder ho_model_mobilenet_v2;
extern const ho_model_builder ho_model_inception_v3;
extern const ho_model_builder ho_model_densenet121;

#endif
