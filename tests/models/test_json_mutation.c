/* test_json_mutation.c: whatever is done to a graph file, the reader gives a graph or one line, and never crashes. Run it under
 * --enable-sanitizers to see what a crash would hide. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"

static const char *const pieces[] = {"\"",      "[",    "]",    "{",    "}",       ",",    ":",     "-1",
                                     "1e400",   "1e18", "0.5",  "null", "\\u0000", "\\",   "\"A\"", "\"name\"",
                                     "\"ops\"", "true", "\xff", "\xc3", "\n",      "[[[[", "//"};

/* Another digit for the next one, which often keeps the file valid. */
static void change_digit(GString *text, gssize at, ho_stream *s) {
  while (text->str[at] && !g_ascii_isdigit(text->str[at])) at++;
  if (text->str[at]) text->str[at] = (char)('0' + ho_stream_below(s, 10));
}

/* One small accident: a digit or byte changed, a stretch cut, doubled or replaced. */
static void mutate(GString *text, ho_stream *s) {
  if (!text->len) return;
  gssize at = (gssize)ho_stream_below(s, text->len);
  gssize n = 1 + (gssize)ho_stream_below(s, MIN(text->len - (gsize)at, 24));
  const char *piece = pieces[ho_stream_below(s, G_N_ELEMENTS(pieces))];
  switch (ho_stream_below(s, 8)) {
    case 0:
      text->str[at] = (char)(1 + ho_stream_below(s, 255));
      break;
    case 1:
      g_string_erase(text, at, n);
      break;
    case 2: {
      g_autofree char *copy = g_strndup(text->str + at, (gsize)n);
      g_string_insert(text, (gssize)ho_stream_below(s, text->len), copy);
      break;
    }
    case 3:
      g_string_insert(text, at, piece);
      break;
    case 4:
      g_string_erase(text, at, n);
      g_string_insert(text, at, piece);
      break;
    default:
      change_digit(text, at, s);
  }
}

Test(json_mutation, every_mutated_file_is_a_graph_or_one_line_of_error, .timeout = 120) {
  ho_stream s = ho_stream_small(31);
  int read = 0, refused = 0;
  g_autofree char *original = NULL;
  for (int round = 0; round < 4000; round++) {
    g_autoptr(ho_graph) g = round % 100 ? NULL : random_graph(&s, 6);
    if (g) {
      g_free(original);
      original = text_of_graph(g);
    }
    g_autoptr(GString) text = g_string_new(original);
    for (uint64_t k = 1 + ho_stream_below(&s, 3); k > 0; k--) mutate(text, &s);
    g_autofree char *message = NULL;
    g_autoptr(ho_graph) h = graph_of_text(text->str, &message);
    if (h)
      read++;
    else
      refused++;
    if (!h) continue;
    g_autofree char *again = text_of_graph(h), *why = NULL;
    g_autoptr(ho_graph) same = graph_of_text(again, &why);
    cr_assert_not_null(same, "%s", why);
    cr_assert_str_eq(h->digest, same->digest);
  }
  cr_assert_gt(read, 400, "only %d: mutations that keep a file valid are part of the test", read);
  cr_assert_gt(refused, 1000);
}

Test(json_mutation, every_beginning_of_a_file_is_refused) {
  ho_stream s = ho_stream_small(32);
  g_autoptr(ho_graph) g = random_graph(&s, 4);
  g_autofree char *text = text_of_graph(g);
  g_strchomp(text);
  for (size_t n = strlen(text) - 1; n > 0; n--) {
    text[n] = '\0';
    g_autofree char *message = NULL;
    g_autoptr(ho_graph) h = graph_of_text(text, &message);
    cr_assert_null(h, "%s", text);
  }
}
