/* sizes.c: see sizes.h. */
#include "models/sizes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "base/units.h"

#define MOST_VALUE (INT64_C(1) << 40)

typedef struct {
  int64_t value;
  double weight;
} size_entry;

/* ---- reading --------------------------------------------------------------------------------------------------------- */

static gboolean add(GArray *list, const char *place, const char *value, const char *weight, GError **error) {
  size_entry e = {.weight = 1};
  g_autoptr(GError) why = NULL;
  if (!g_ascii_string_to_signed(value, 10, 1, MOST_VALUE, &e.value, NULL)) {
    g_autofree char *shown = ho_printable(value);
    return ho_fail(error, HO_ERROR_INPUT, "%s: '%s' is no size, expected a whole number from 1 to 2^40", place, shown);
  }
  if (weight && (!ho_double_parse(weight, &e.weight, &why) || !(e.weight >= 0))) {
    g_autofree char *shown = ho_printable(weight);
    return ho_fail(error, HO_ERROR_INPUT, "%s: '%s' is no weight, expected a number of at least 0", place, shown);
  }
  if (e.weight > 0) g_array_append_val(list, e);
  return TRUE;
}

static gboolean read_range(GArray *list, const char *text, const char *dots, GError **error) {
  g_autofree char *first = g_strndup(text, (gsize)(dots - text)), *rest = g_strdup(dots + 2);
  char *slash = strchr(rest, '/');
  int64_t a = 0, b = 0, step = 1;
  if (slash) *slash++ = '\0';
  if (!g_ascii_string_to_signed(first, 10, 1, MOST_VALUE, &a, NULL) ||
      !g_ascii_string_to_signed(rest, 10, a, MOST_VALUE, &b, NULL) ||
      (slash && !g_ascii_string_to_signed(slash, 10, 1, MOST_VALUE, &step, NULL)))
    return ho_fail(error, HO_ERROR_INPUT, "'%s' is no range, expected FROM..TO/STEP with 1 ≤ FROM ≤ TO", text);
  if ((b - a) / step >= HO_SIZES_MOST)
    return ho_fail(error, HO_ERROR_INPUT, "'%s' has more than %d sizes: expected a larger step", text, HO_SIZES_MOST);
  for (int64_t v = a; v <= b; v += step) {
    size_entry e = {v, 1};
    g_array_append_val(list, e);
  }
  return TRUE;
}

static gboolean read_list(GArray *list, const char *text, GError **error) {
  g_auto(GStrv) items = g_strsplit(text, ",", -1);
  for (char **item = items; *item; item++) {
    char *dots = strstr(*item, ".."), *star = strchr(*item, '*');
    if (dots) {
      if (!read_range(list, *item, dots, error)) return FALSE;
      continue;
    }
    if (star) *star++ = '\0';
    if (!add(list, text, *item, star, error)) return FALSE;
  }
  return TRUE;
}

static gboolean read_file(GArray *list, const char *file, GError **error) {
  g_autofree char *text = NULL;
  if (!ho_file_read(file, &text, NULL, error)) return FALSE;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (int i = 0; lines[i]; i++) {
    g_autofree char *place = g_strdup_printf("%s:%d", file, i + 1);
    g_strdelimit(lines[i], ",;\t\r", ' ');
    lines[i][strcspn(lines[i], "#")] = '\0';
    g_auto(GStrv) words = g_strsplit(g_strstrip(lines[i]), " ", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    for (char **w = words; *w; w++)
      if (**w) g_ptr_array_add(kept, *w);
    if (kept->len == 0) continue;
    if (kept->len > 2) return ho_fail(error, HO_ERROR_INPUT, "%s: %u columns, expected a size and a weight", place, kept->len);
    if (!add(list, place, kept->pdata[0], kept->len == 2 ? kept->pdata[1] : NULL, error)) return FALSE;
  }
  return TRUE;
}

static int by_value(const void *a, const void *b) {
  int64_t x = ((const size_entry *)a)->value, y = ((const size_entry *)b)->value;
  return x < y ? -1 : x > y;
}

static ho_sizes *collect(GArray *list, const char *text, GError **error) {
  g_array_sort(list, by_value);
  g_autoptr(ho_sizes) s = g_new0(ho_sizes, 1);
  s->value = g_new(int64_t, list->len + 1);
  s->weight = g_new(double, list->len + 1);
  double sum = 0;
  for (guint i = 0; i < list->len; i++) {
    const size_entry *e = &g_array_index(list, size_entry, i);
    sum += e->weight;
    if (s->n > 0 && s->value[s->n - 1] == e->value) {
      s->weight[s->n - 1] += e->weight;
      continue;
    }
    s->value[s->n] = e->value;
    s->weight[s->n++] = e->weight;
  }
  if (s->n == 0 || s->n > HO_SIZES_MOST || !isfinite(sum)) {
    ho_fail(error, HO_ERROR_INPUT, "%s: %d sizes with a weight above 0, expected 1 to %d", text, s->n, HO_SIZES_MOST);
    return NULL;
  }
  for (int32_t i = 0; i < s->n; i++) s->weight[i] /= sum;
  return g_steal_pointer(&s);
}

ho_sizes *ho_sizes_parse(const char *text, GError **error) {
  g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(size_entry));
  gboolean file = strchr(text, '/') != NULL && strstr(text, "..") == NULL;
  file |= g_str_has_suffix(text, ".csv") || g_str_has_suffix(text, ".txt") || strncmp(text, "../", 3) == 0;
  if (!(file ? read_file(list, text, error) : read_list(list, text, error))) return NULL;
  return collect(list, text, error);
}

void ho_sizes_free(ho_sizes *s) {
  if (!s) return;
  g_free(s->value);
  g_free(s->weight);
  g_free(s);
}

/* ---- buckets --------------------------------------------------------------------------------------------------------- */

/* best[b][j]: the least padding of values 0 … j in b + 1 buckets, the last of which ends at j; from[b][j]: where the one before ends. */
int64_t *ho_sizes_edges(const ho_sizes *s, int32_t k) {
  size_t n = (size_t)s->n, all = n * (size_t)k;
  g_autofree double *best = g_new(double, all), *weight = g_new0(double, n + 1), *moment = g_new0(double, n + 1);
  g_autofree int32_t *from = g_new(int32_t, all);
  for (size_t j = 0; j < n; j++) {
    weight[j + 1] = weight[j] + s->weight[j];
    moment[j + 1] = moment[j] + s->weight[j] * (double)s->value[j];
  }
  for (int32_t b = 0; b < k; b++)
    for (int32_t j = 0; j < s->n; j++) {
      double *here = &best[(size_t)b * n + (size_t)j];
      *here = b == 0 ? (double)s->value[j] * weight[j + 1] - moment[j + 1] : INFINITY;
      from[(size_t)b * n + (size_t)j] = -1;
      for (int32_t i = b - 1; b > 0 && i < j; i++) {
        double padding = best[(size_t)(b - 1) * n + (size_t)i] + (double)s->value[j] * (weight[j + 1] - weight[i + 1]) -
                         (moment[j + 1] - moment[i + 1]);
        if (padding >= *here) continue;
        *here = padding;
        from[(size_t)b * n + (size_t)j] = i;
      }
    }
  int64_t *edges = g_new(int64_t, (size_t)k + 1);
  int32_t j = s->n - 1;
  for (int32_t b = k - 1; b >= 0; b--) {
    edges[b] = s->value[j];
    j = from[(size_t)b * n + (size_t)j];
  }
  return edges;
}

int32_t ho_sizes_bucket(const int64_t *edges, int32_t k, int64_t value) {
  for (int32_t b = 0; b < k; b++)
    if (value <= edges[b]) return b;
  return -1;
}

double ho_sizes_padding(const ho_sizes *s, const int64_t *edges, int32_t k) {
  double sum = 0;
  for (int32_t i = 0; i < s->n; i++) sum += s->weight[i] * (double)(edges[ho_sizes_bucket(edges, k, s->value[i])] - s->value[i]);
  return sum;
}
