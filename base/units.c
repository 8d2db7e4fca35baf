/* units.c: see units.h.
 *
 * A decimal prefix is folded into the exponent of the text before the text is read, so that "5us" and "5e-6" are the same
 * bits; binary prefixes, minutes and hours multiply. */
#include "base/units.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

typedef struct {
  const char *suffix;
  int exponent;  /* decimal: times 10^exponent */
  double factor; /* and times this */
} unit_suffix;

/* Every suffix of a unit is a prefix of its list followed by one of its stems. */
typedef struct {
  const char *what, *example;
  const unit_suffix *prefixes;
  const char *const *stems;
} unit_kind;

static const double KI = 1024.0, MI = 1048576.0, GI = 1073741824.0, TI = 1099511627776.0;

static const unit_suffix plain[] = {{"", 0, 1}, {NULL, 0, 0}};
static const unit_suffix times[] = {{"s", 0, 1},    {"ms", -3, 1},  {"us", -6, 1},  {"µs", -6, 1}, {"ns", -9, 1},
                                    {"ps", -12, 1}, {"min", 0, 60}, {"h", 0, 3600}, {NULL, 0, 0}};
static const unit_suffix sizes[] = {{"", 0, 1},    {"k", 3, 1},   {"M", 6, 1},   {"G", 9, 1},   {"T", 12, 1},
                                    {"Ki", 0, KI}, {"Mi", 0, MI}, {"Gi", 0, GI}, {"Ti", 0, TI}, {NULL, 0, 0}};
static const unit_suffix large[] = {{"", 0, 1}, {"k", 3, 1}, {"M", 6, 1}, {"G", 9, 1}, {"T", 12, 1}, {"P", 15, 1}, {NULL, 0, 0}};
static const unit_suffix powers[] = {{"", 0, 1}, {"u", -6, 1}, {"m", -3, 1}, {"k", 3, 1}, {"M", 6, 1}, {NULL, 0, 0}};
static const unit_suffix energies[] = {{"", 0, 1},   {"f", -15, 1}, {"p", -12, 1}, {"n", -9, 1}, {"u", -6, 1},
                                       {"m", -3, 1}, {"k", 3, 1},   {"M", 6, 1},   {NULL, 0, 0}};

static const unit_kind kinds[] = {
    [HO_UNIT_NONE] = {"number", "1.5 or 2e9", plain, (const char *const[]){"", NULL}},
    [HO_UNIT_SECONDS] = {"time", "5us", times, (const char *const[]){"", NULL}},
    [HO_UNIT_BYTES] = {"size", "80GB", sizes, (const char *const[]){"B", NULL}},
    [HO_UNIT_BANDWIDTH] = {"bandwidth", "32GB/s", sizes, (const char *const[]){"B/s", NULL}},
    [HO_UNIT_FLOPS] = {"rate of operations", "19.5TFLOP/s", large, (const char *const[]){"FLOP/s", "FLOPS", "OP/s", "OPS", NULL}},
    [HO_UNIT_WATTS] = {"power", "400W", powers, (const char *const[]){"W", NULL}},
    [HO_UNIT_JOULES] = {"energy", "1.2pJ", energies, (const char *const[]){"J", "J/B", "J/FLOP", "J/OP", NULL}},
};

/* Length of the decimal number at the start of `text`, 0 when there is none; *mantissa = its length without exponent. */
static size_t scan_number(const char *text, size_t *mantissa) {
  const char *p = text;
  if (*p == '+' || *p == '-') p++;
  size_t whole = strspn(p, "0123456789"), part = 0;
  p += whole;
  if (*p == '.') {
    part = strspn(p + 1, "0123456789");
    p += 1 + part;
  }
  if (whole + part == 0) return 0;
  *mantissa = (size_t)(p - text);
  if (*p == 'e' || *p == 'E') {
    const char *q = p + 1;
    if (*q == '+' || *q == '-') q++;
    size_t digits = strspn(q, "0123456789");
    if (digits) p = q + digits;
  }
  return (size_t)(p - text);
}

/* The number text[0…length), times 10^shift, correctly rounded. */
static double number_value(const char *text, size_t length, size_t mantissa, int shift) {
  if (shift == 0) {
    g_autofree char *copy = g_strndup(text, length);
    return g_ascii_strtod(copy, NULL);
  }
  gint64 exponent = length > mantissa ? g_ascii_strtoll(text + mantissa + 1, NULL, 10) : 0;
  g_autofree char *copy = g_strdup_printf("%.*se%d", (int)mantissa, text, (int)CLAMP(exponent, -100000, 100000) + shift);
  return g_ascii_strtod(copy, NULL);
}

static const unit_suffix *find_suffix(const unit_kind *kind, const char *text) {
  for (const unit_suffix *p = kind->prefixes; p->suffix; p++) {
    if (!g_str_has_prefix(text, p->suffix)) continue;
    const char *rest = text + strlen(p->suffix);
    for (const char *const *stem = kind->stems; *stem; stem++)
      if (strcmp(rest, *stem) == 0) return p;
  }
  return NULL;
}

gboolean ho_unit_parse(const char *text, ho_unit unit, double *value, GError **error) {
  static const unit_suffix base = {"", 0, 1};
  const unit_kind *kind = &kinds[unit];
  size_t mantissa, length = scan_number(text, &mantissa);
  if (length) {
    const char *rest = text + length + strspn(text + length, " ");
    const unit_suffix *suffix = *rest ? find_suffix(kind, rest) : text[length] ? NULL : &base;
    if (suffix) {
      double v = number_value(text, length, mantissa, suffix->exponent) * suffix->factor;
      if (isfinite(v) && !signbit(v)) {
        *value = v;
        return TRUE;
      }
    }
  }
  g_autofree char *shown = ho_printable(text);
  return ho_fail(error, HO_ERROR_INPUT, "'%s' is not a %s: expected a finite number ≥ 0 such as %s", shown, kind->what,
                 kind->example);
}

gboolean ho_double_parse(const char *text, double *value, GError **error) {
  size_t mantissa, length = scan_number(text, &mantissa);
  if (length && !text[length]) {
    double v = number_value(text, length, mantissa, 0);
    if (isfinite(v)) {
      *value = v;
      return TRUE;
    }
  }
  g_autofree char *shown = ho_printable(text);
  return ho_fail(error, HO_ERROR_INPUT, "'%s' is not a number: expected a finite decimal number such as 0.5 or 1e-3", shown);
}

/* `value` to three significant digits; never with an exponent for the sizes that ho_unit_format gives it. */
static char *three_digits(double value) {
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  double size = fabs(value);
  const char *format = size >= 99.95 ? "%.0f" : size >= 9.995 ? "%.1f" : "%.2f";
  if (size >= 1e6 || (size > 0 && size < 0.01)) format = "%.2e";
  return g_strdup(g_ascii_formatd(buffer, sizeof buffer, format, value));
}

char *ho_unit_format(double value, ho_unit unit) {
  static const char *const stems[] = {"", "s", "B", "B/s", "FLOP/s", "W", "J"};
  static const struct {
    const char *prefix;
    double factor;
  } prefixes[] = {{"P", 1e15}, {"T", 1e12}, {"G", 1e9},  {"M", 1e6},  {"k", 1e3},
                  {"", 1},     {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};
  gboolean small = unit == HO_UNIT_SECONDS || unit == HO_UNIT_WATTS || unit == HO_UNIT_JOULES, big = unit != HO_UNIT_SECONDS;
  const char *prefix = "";
  double factor = 1, size = fabs(value);
  if (isfinite(value) && size > 0)
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
      double f = prefixes[i].factor;
      if ((f > 1 && !big) || (f < 1 && !small)) continue;
      prefix = prefixes[i].prefix;
      factor = f;
      if (size / f >= 0.9995) break; /* what rounds to 1.00 of this prefix belongs to it */
    }
  g_autofree char *digits = value == 0        ? g_strdup("0")
                            : isfinite(value) ? three_digits(value / factor)
                                              : g_strdup(isnan(value) ? "nan"
                                                         : value > 0  ? "inf"
                                                                      : "-inf");
  const char *space = *prefix || *stems[unit] ? " " : "";
  return g_strconcat(digits, space, prefix, stems[unit], NULL);
}

char *ho_share_format(double share) {
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  return g_strconcat(g_ascii_formatd(buffer, sizeof buffer, "%.3g", 100 * share), " %", NULL);
}

/* A double that any text of at most 15 digits means is that text at 15 digits, zeros cut; subnormals have fewer digits. */
const char *ho_double_text(double value, char *buffer) {
  if (isnan(value)) return strcpy(buffer, "nan");
  if (isinf(value)) return strcpy(buffer, value > 0 ? "inf" : "-inf");
  for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
    char format[8];
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(buffer, 32, format, value);
    if (g_ascii_strtod(buffer, NULL) == value) break;
  }
  return buffer;
}
