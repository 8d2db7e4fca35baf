/* test_damage.c: whatever is done to a file, its reader gives a graph or one line, and never crashes. Run it under
 * --enable-sanitizers to see what a crash would hide. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/stream.h"
#include "files.h"

static const char *const pieces[] = {"\"",   "[",    "]",           "{",    "}", "<",    ">",   "/",     "-1",  "1e400",
                                     "nan",  "0",    "->",          ";",    "#", "\n",   "\t",  "=",     " ",   "\\",
                                     "\xff", "\xc3", "99999999999", " -- ", "@", "<!--", "]]>", "&amp;", "null"};

/* One small accident: a byte changed or one bit of it, a stretch cut, doubled or replaced. */
static void mutate(GString *bytes, ho_stream *s) {
  if (!bytes->len) return;
  gssize at = (gssize)ho_stream_below(s, bytes->len);
  gssize n = 1 + (gssize)ho_stream_below(s, MIN(bytes->len - (gsize)at, 40));
  const char *piece = pieces[ho_stream_below(s, G_N_ELEMENTS(pieces))];
  switch (ho_stream_below(s, 6)) {
    case 0:
      bytes->str[at] = (char)ho_stream_below(s, 256);
      break;
    case 1:
      bytes->str[at] = (char)(bytes->str[at] ^ (1 << ho_stream_below(s, 8)));
      break;
    case 2:
      g_string_erase(bytes, at, n);
      break;
    case 3: {
      g_autofree char *copy = g_memdup2(bytes->str + at, (gsize)n);
      g_string_insert_len(bytes, (gssize)ho_stream_below(s, bytes->len), copy, n);
      break;
    }
    case 4:
      g_string_insert(bytes, at, piece);
      break;
    default: /* another digit for the next one, which often keeps the file valid */
      while ((gsize)at < bytes->len && !g_ascii_isdigit(bytes->str[at])) at++;
      if ((gsize)at < bytes->len) bytes->str[at] = (char)('0' + ho_stream_below(s, 10));
  }
}

static void damage(const char *sample, const char *suffix, int rounds) {
  g_autofree char *path = sample_path(sample), *original = NULL;
  gsize length = 0;
  cr_assert(g_file_get_contents(path, &original, &length, NULL));
  ho_stream s = ho_stream_small(41);
  int read = 0, refused = 0;
  for (int round = 0; round < rounds; round++) {
    g_autoptr(GString) bytes = g_string_new_len(original, (gssize)length);
    for (uint64_t k = 1 + ho_stream_below(&s, 3); k > 0; k--) mutate(bytes, &s);
    g_autofree char *message = NULL;
    g_autoptr(ho_graph) g = read_bytes(bytes->str, bytes->len, suffix, &message);
    if (g)
      read++;
    else
      refused++;
  }
  cr_assert(read > rounds / 50 && refused > rounds / 20, "%s: %d read, %d refused: both are part of the test", sample, read,
            refused);
}

static const char *suffix_of(const char *sample) {
  return strchr(sample, '.');
}

Test(damage, every_mutated_file_is_a_graph_or_one_line_of_error, .timeout = 300) {
  for (int i = 0; samples[i]; i++) damage(samples[i], g_str_has_prefix(samples[i], "wf") ? ".json" : suffix_of(samples[i]), 600);
}

/* Text formats of lines may end anywhere between lines; the others have an end of their own. */
Test(damage, every_beginning_of_a_file_is_a_graph_or_one_line_of_error, .timeout = 300) {
  for (int i = 0; samples[i]; i++) {
    g_autofree char *path = sample_path(samples[i]), *bytes = NULL;
    gsize length = 0;
    cr_assert(g_file_get_contents(path, &bytes, &length, NULL));
    while (length && g_ascii_isspace(bytes[length - 1])) length--;
    gboolean closed = !g_str_has_suffix(samples[i], ".txt") && !g_str_has_suffix(samples[i], ".stg") &&
                      !g_str_has_suffix(samples[i], ".tgff") && !g_str_has_suffix(samples[i], ".et");
    for (gsize n = 1; n < length; n++) {
      g_autofree char *message = NULL;
      g_autoptr(ho_graph) g =
          read_bytes(bytes, n, g_str_has_prefix(samples[i], "wf") ? ".json" : suffix_of(samples[i]), &message);
      cr_assert(!g || !closed, "%s: read after %zu of %zu bytes", samples[i], n, length);
    }
  }
}
