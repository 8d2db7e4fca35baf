/* cnn_options.h: the options that all convolutional models share. Not installed. */
#ifndef HO_MODELS_CNN_OPTIONS_H
#define HO_MODELS_CNN_OPTIONS_H

#include "models/layers.h"

extern const ho_option ho_cnn_options[];           /* batch, image, precision, mode */
extern const ho_option ho_cnn_fixed_options[];     /* the same without image, for models whose weights depend on it */
extern const ho_option ho_cnn_inception_options[]; /* batch, image of 299, aux, precision, mode */

/* A net named `name` for such options. */
ho_net *ho_cnn_net(const char *name, const ho_options *options);

#endif
