/* units.h: numbers with a unit suffix, as in YAML files ("80GB", "32GB/s", "5us", "400W"), and the way back for people.
 *
 * All results are SI base units: s, B, B/s, FLOP/s, W, J. Decimal prefixes are powers of 1000 (k M G T P, m u n p); KiB MiB GiB
 * TiB are powers of 1024. A number without a suffix is in base units. Case matters except in "kb"-style nonsense, which is refused. */
#ifndef HO_BASE_UNITS_H
#define HO_BASE_UNITS_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  HO_UNIT_NONE,      /* a plain number */
  HO_UNIT_SECONDS,   /* s ms us ns min h */
  HO_UNIT_BYTES,     /* B kB MB GB TB KiB MiB GiB TiB */
  HO_UNIT_BANDWIDTH, /* B/s kB/s MB/s GB/s TB/s and KiB/s … */
  HO_UNIT_FLOPS,     /* FLOP/s kFLOP/s MFLOP/s GFLOP/s TFLOP/s, also spelled FLOPS, OP/s */
  HO_UNIT_WATTS,     /* W mW kW */
  HO_UNIT_JOULES     /* J mJ uJ nJ pJ; for per-byte and per-FLOP energies too */
} ho_unit;

/* Reads the whole of `text` into *value. FALSE with an error "'…' is not a …: expected a number such as 32GB/s" when it is not
 * one, is not finite, or is negative (no quantity of this program is). Independent of the locale. */
gboolean ho_unit_parse(const char *text, ho_unit unit, double *value, GError **error);

/* Reads a plain finite double, any sign, locale independent, the whole of `text`. */
gboolean ho_double_parse(const char *text, double *value, GError **error);

/* A short text for people, three significant digits with a prefix: "3.41 ms", "24.9 GB". Caller frees. */
char *ho_unit_format(double value, ho_unit unit);

/* A share of 1 as a percentage, three significant digits: "24.9 %", "0.00964 %". Caller frees. */
char *ho_share_format(double share);

/* The shortest decimal text that reads back to the same double ("0.1", "1e-09"), locale independent. buffer ≥ 32 bytes. */
const char *ho_double_text(double value, char *buffer);

G_END_DECLS

#endif
