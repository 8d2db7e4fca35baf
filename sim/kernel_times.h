/* kernel_times.h: measured kernel times, as a CSV file lists them.
 *
 * The first line names the columns, in any order; others than these are passed over:
 *     op, precision, flops, bytes, time_us   needed
 *     device                                 needed where the file has rows of several devices
 *     parallelism                            independent work items (graph.h); empty: unknown
 * Fields may stand in double quotes (RFC 4180, but no line breaks inside). `op` is a kind (kind.h) or one of the usual names of
 * benchmarks (bmm, linear, conv2d_fwd, ln, addu, …). Of `precision`, what follows "_" or "(" says how sums are kept and does not count. */
#ifndef HO_SIM_KERNEL_TIMES_H
#define HO_SIM_KERNEL_TIMES_H

#include <glib.h>

#include "base/dtype.h"
#include "models/kind.h"

G_BEGIN_DECLS

typedef struct {
  char *op;
  int32_t group; /* same op, same precision: 0 … n_groups-1, by name of op, then precision */
  ho_family family;
  ho_dtype precision;
  double flops, bytes; /* not both 0 */
  double parallelism;  /* 0: unknown */
  double seconds;      /* measured; > 0 */
} ho_kernel_time;

typedef struct {
  int32_t n, n_groups;
  ho_kernel_time *row;
  char *device; /* NULL: the file has no such column */
} ho_kernel_times;

/* Also read: operator graphs of PyTorch with the latency of every operator (kernel_times_fx.c), which are of one device.
 *
 * The rows of one device, in the order of the file. `device` NULL: the file must have one only. NULL with "file:line: …". */
ho_kernel_times *ho_kernel_times_read(const char *file, const char *device, GError **error);
void ho_kernel_times_free(ho_kernel_times *t); /* NULL is allowed */

/* The family of a benchmark's op; batched products are of HO_FAMILY_ATTENTION, as in the profiles. */
ho_family ho_kernel_times_family(const char *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_kernel_times, ho_kernel_times_free)

G_END_DECLS

#endif
