/* shared_data.h: reference values that this project did not make, where they are at hand. */
#ifndef HO_TEST_SHARED_DATA_H
#define HO_TEST_SHARED_DATA_H

#include <jansson.h>

/* data/optimisation/NAME as JSON from the folder HO_SHARED names, or ../shared beside the sources; skips the test, saying so, where it is
 * absent. */
json_t *shared_optimisation(const char *name);

/* Rows of numbers into a flat array of n × d; caller frees with g_free. */
double *rows_of(const json_t *rows, int d);
double *numbers_of(const json_t *list);

#endif
