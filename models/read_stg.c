/* read_stg.c: the Standard Task Graph Set's text format; written by write_stg.c.
 *
 *   3              number of tasks, without the two dummies that begin and end the graph
 *   0 0 0          task, processing time, number of predecessors, predecessors; in order of tasks
 *   1 4 1 0
 *   …              `#` begins the information part
 *
 * In the variant with communication every predecessor is followed by the cost of the edge from it. The file does not say which
 * variant it is: it is the one as which it can be read to its end, the plain one first. Line breaks mean nothing.
 *
 * One unit of time is taken as a second; a unit of communication as HO_STG_BYTES, which is a second at 1 GB/s.
 *
 * Tobita, Kasahara, A standard task graph set for fair evaluation of multiprocessor scheduling algorithms, Journal of
 * Scheduling 5(5), 2002; http://www.kasahara.cs.waseda.ac.jp/schedule/format_e.html */
#include <string.h>

#include "base/error.h"
#include "models/read_task.h"

#define HO_STG_BYTES 1e9

typedef struct {
  const char *word;
  int line;
} token;

typedef struct {
  ho_text text;
  GArray *tokens; /* token */
  guint at;
  gboolean costs;
  GArray *edges; /* edge, filled while reading */
  GArray *times; /* double */
} stg;

typedef struct {
  int32_t from, to;
  int64_t bytes;
} edge;

/* The information part reaches from the first # to the end of its line, on each line. */
static void split(stg *s) {
  for (char *line; (line = ho_text_line(&s->text));) {
    line[strcspn(line, "#")] = '\0';
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\f\v", &rest); word; word = strtok_r(NULL, " \t\f\v", &rest)) {
      token t = {word, s->text.line};
      g_array_append_val(s->tokens, t);
    }
  }
}

/* The next word; its line is where errors are. NULL after the last. */
static const char *next(stg *s) {
  if (s->at == s->tokens->len) return NULL;
  token t = g_array_index(s->tokens, token, s->at++);
  s->text.line = t.line;
  return t.word;
}

static gboolean read_predecessor(stg *s, int32_t task, int64_t most, GError **error) {
  int64_t from = 0;
  double cost = 0;
  if (!ho_text_index(&s->text, next(s), "the predecessor", most, &from, error)) return FALSE;
  if (s->costs && !ho_text_number(&s->text, next(s), "the communication cost", &cost, error)) return FALSE;
  edge e = {(int32_t)from, task, ho_task_bytes(cost * HO_STG_BYTES)};
  if (e.bytes < 0) return ho_text_fail(&s->text, error, "the communication cost is more than this program counts in bytes");
  for (guint k = s->edges->len; k > 0 && g_array_index(s->edges, edge, k - 1).to == task; k--)
    if (g_array_index(s->edges, edge, k - 1).from == from)
      return ho_text_fail(&s->text, error, "predecessor %d is named twice", e.from);
  g_array_append_val(s->edges, e);
  return TRUE;
}

static gboolean read_task(stg *s, int32_t task, int64_t most, GError **error) {
  int64_t id = 0, n = 0;
  double time = 0;
  if (!ho_text_index(&s->text, next(s), "the number of the task", INT32_MAX, &id, error)) return FALSE;
  if (id != task) return ho_text_fail(&s->text, error, "task %" G_GINT64_FORMAT " where task %d was expected", id, task);
  if (!ho_text_number(&s->text, next(s), "the processing time", &time, error)) return FALSE;
  if (!ho_text_index(&s->text, next(s), "the number of predecessors", most, &n, error)) return FALSE;
  g_array_append_val(s->times, time);
  while (n-- > 0)
    if (!read_predecessor(s, task, most, error)) return FALSE;
  return TRUE;
}

static gboolean read_all(stg *s, gboolean costs, GError **error) {
  int64_t n = 0;
  s->at = 0;
  s->costs = costs;
  g_array_set_size(s->edges, 0);
  g_array_set_size(s->times, 0);
  if (!ho_text_index(&s->text, next(s), "the number of tasks", INT32_MAX - 2, &n, error)) return FALSE;
  if ((size_t)n + 2 > s->tokens->len / 3)
    return ho_text_fail(&s->text, error,
                        "%" G_GINT64_FORMAT " tasks and two dummies are announced, which do not fit into the file", n);
  for (int32_t i = 0; i < n + 2; i++)
    if (!read_task(s, i, n + 1, error)) return FALSE;
  if (!next(s)) return TRUE;
  return ho_text_fail(&s->text, error, "more numbers after the last of %" G_GINT64_FORMAT " tasks and two dummies", n);
}

/* Whether the first line of a task with predecessors has two numbers for each: says which of two failures is the one to show. */
static gboolean looks_like_costs(const stg *s) {
  for (guint k = 1; k < s->tokens->len;) {
    const token *t = &g_array_index(s->tokens, token, k);
    guint n = 0;
    while (k + n < s->tokens->len && t[n].line == t->line) n++;
    gint64 predecessors = n > 2 ? g_ascii_strtoll(t[2].word, NULL, 10) : 0;
    if (predecessors > 0) return n == 3 + 2 * predecessors;
    k += n;
  }
  return FALSE;
}

static gboolean read_either(stg *s, GError **error) {
  g_autoptr(GError) plain = NULL, costs = NULL;
  if (read_all(s, FALSE, &plain) || read_all(s, TRUE, &costs)) return TRUE;
  g_propagate_error(error, looks_like_costs(s) ? g_steal_pointer(&costs) : g_steal_pointer(&plain));
  return FALSE;
}

static ho_graph *build(const stg *s, const ho_bindings *bindings, GError **error) {
  g_autofree char *name = ho_task_name_of_file(s->text.file), *time = ho_task_time_note(bindings);
  ho_graph_build *b = ho_graph_build_new(name, s->text.file);
  char from[16], to[16];
  for (guint i = 0; i < s->times->len; i++) {
    g_snprintf(to, sizeof to, "n%u", i);
    ho_op_info op = ho_op_info_init(to, "task");
    ho_task_op(b, &op, g_array_index(s->times, double, i), bindings);
  }
  for (guint k = 0; k < s->edges->len; k++) {
    edge e = g_array_index(s->edges, edge, k);
    g_snprintf(from, sizeof from, "n%d", e.from);
    g_snprintf(to, sizeof to, "n%d", e.to);
    ho_task_edge(b, from, e.from, to, e.to, e.bytes, HO_UINT8);
  }
  g_autofree char *note =
      g_strdup_printf("STG %s: 1 unit is 1 s; %s%s", s->costs ? "with communication costs" : "without communication costs", time,
                      s->costs ? "; 1 unit of communication is 1 GB" : "");
  ho_graph_build_note(b, 0, note);
  return ho_graph_build_finish(b, error);
}

static ho_graph *read_stg(const char *file, const ho_bindings *bindings, GError **error) {
  if (!ho_task_no_bindings(file, "an STG graph", bindings, error)) return NULL;
  stg s = {.tokens = g_array_new(FALSE, FALSE, sizeof(token)),
           .edges = g_array_new(FALSE, FALSE, sizeof(edge)),
           .times = g_array_new(FALSE, FALSE, sizeof(double))};
  ho_graph *g = NULL;
  if (ho_text_open(&s.text, file, error)) {
    split(&s);
    if (read_either(&s, error)) g = build(&s, bindings, error);
  }
  g_array_free(s.tokens, TRUE);
  g_array_free(s.edges, TRUE);
  g_array_free(s.times, TRUE);
  ho_text_clear(&s.text);
  return g;
}

/* Nothing but numbers before the first comment. */
static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  size_t i = 0;
  while (i < n && (g_ascii_isdigit(head[i]) || g_ascii_isspace(head[i]) || head[i] == '.')) i++;
  gboolean numbers = i > 0 && (i == n || head[i] == '#') && (g_ascii_isdigit(head[0]) || g_ascii_isspace(head[0]));
  return numbers || g_str_has_suffix(file, ".stg");
}

const ho_graph_reader ho_graph_reader_stg = {
    .name = "stg",
    .summary = "Standard Task Graph Set, with or without communication costs",
    .extension = ".stg",
    .measured = TRUE,
    .sniff = sniff,
    .read = read_stg,
};
