/* kernel_times_private.h: what the readers of measured times share. Not installed. */
#ifndef HO_SIM_KERNEL_TIMES_PRIVATE_H
#define HO_SIM_KERNEL_TIMES_PRIVATE_H

#include "sim/kernel_times.h"

#define HO_KERNEL_TIMES_MOST 1e24 /* FLOP, B, µs: above it sums and ratios of rows would overflow */

/* The fields of a line of CSV, quotes and blanks around them taken off. NULL with "file:line: …". */
GPtrArray *ho_kernel_times_split(const char *file, int line_number, const char *line, GError **error);

/* Whether these are the columns of an operator graph of torch.fx with measured times. */
gboolean ho_kernel_times_is_fx(const GPtrArray *columns);
/* Reads what follows its first line; appends ho_kernel_time. */
gboolean ho_kernel_times_read_fx(const char *file, const GPtrArray *columns, char *text, GArray *rows, GError **error);

#endif
