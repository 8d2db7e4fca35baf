/* exec.c: see exec.h: the conversation. What is sent of a problem is in exec_problem.c. */
#include "sched/exec.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/jsonio.h"
#include "base/stream.h"
#include "sched/exec_problem.h"
#include "sched/pipe.h"
#include "sched/search.h"

#define PROTOCOL 1
#define DEFAULT_TIMEOUT 600.0
#define SECONDS_TO_QUIT 1.0

struct ho_exec {
  ho_scheduler scheduler; /* first: a search's scheduler is this object */
  ho_pipe *pipe;
  ho_arena *arena;
  char *command;
  double timeout;
  gboolean used; /* it has had a problem */
  char *complaint;
  int64_t lines;
  GHashTable *seen; /* keys of the problem's plans that were evaluated */
};

/* ---- hello ---------------------------------------------------------------------------------------------------------------------- */
static gint64 after(double seconds) {
  return g_get_monotonic_time() + (gint64)(seconds * 1e6);
}

/* A line as an object with a type; NULL with the error. New reference. */
static json_t *hear(ho_exec *x, const char **type, GError **error) {
  const char *line = ho_pipe_read(x->pipe, error);
  if (!line) return NULL;
  json_error_t where;
  json_t *j = json_loads(line, JSON_REJECT_DUPLICATES, &where);
  const char *word = json_string_value(json_object_get(j, "type"));
  if (word) {
    *type = word;
    return j;
  }
  g_autofree char *start = g_strndup(line, 60), *shown = ho_printable(start);
  if (!j)
    ho_fail(error, HO_ERROR_INPUT, "wrote what is no JSON (%s): '%s'", where.text, shown);
  else
    ho_fail(error, HO_ERROR_INPUT, "wrote a line without a type: '%s'", shown);
  json_decref(j);
  return NULL;
}

static gboolean read_number(const json_t *j, const char *key, double *value) {
  const json_t *v = json_object_get(j, key);
  if (json_is_number(v)) *value = json_number_value(v);
  return !v || json_is_number(v);
}

static const char *text_of(ho_exec *x, const json_t *v) {
  char text[32];
  if (json_is_string(v)) return ho_arena_strdup(x->arena, json_string_value(v));
  if (json_is_integer(v)) return ho_arena_strdup(x->arena, g_ascii_dtostr(text, sizeof text, (double)json_integer_value(v)));
  return json_is_real(v) ? ho_arena_strdup(x->arena, g_ascii_dtostr(text, sizeof text, json_real_value(v))) : NULL;
}

static gboolean read_option(ho_exec *x, const char *name, const json_t *j, ho_option *o, GError **error) {
  static const char *const words[] = {"int", "double", "choice", "string", NULL};
  const char *type = json_string_value(json_object_get(j, "type"));
  int k = 0;
  while (type && words[k] && strcmp(words[k], type) != 0) k++;
  const json_t *choices = json_object_get(j, "choices");
  *o = (ho_option){
      .name = ho_arena_strdup(x->arena, name), .type = (ho_option_type)k, .initial = text_of(x, json_object_get(j, "default"))};
  if (!type || !words[k] || !o->initial || !read_number(j, "min", &o->min) || !read_number(j, "max", &o->max) ||
      (o->type == HO_OPTION_CHOICE && !json_array_size(choices)))
    return ho_fail(
        error, HO_ERROR_INPUT,
        "hello: option '%s': expected type int, double, choice (with choices) or string, a default, and numbers as min and max",
        name);
  if (o->max == 0 && o->min != 0) o->max = o->type == HO_OPTION_INT ? 9e15 : G_MAXDOUBLE;
  const char *help = json_string_value(json_object_get(j, "help"));
  o->help = help ? ho_arena_strdup(x->arena, help) : "";
  const char **list = ho_arena_new_array(x->arena, const char *, json_array_size(choices) + 1);
  for (size_t i = 0; i < json_array_size(choices); i++) {
    list[i] = text_of(x, json_array_get(choices, i));
    if (!list[i]) return ho_fail(error, HO_ERROR_INPUT, "hello: option '%s': choices[%zu]: expected a text", name, i);
  }
  o->choices = list;
  return TRUE;
}

static gboolean read_options(ho_exec *x, json_t *options, GError **error) {
  ho_option *table = ho_arena_new_array(x->arena, ho_option, json_object_size(options) + 1);
  const char *name;
  json_t *value;
  int n = 0;
  if (options && !json_is_object(options)) return ho_fail(error, HO_ERROR_INPUT, "hello: options: expected an object");
  json_object_foreach(options, name, value) {
    if (!read_option(x, name, value, &table[n++], error)) return FALSE;
  }
  x->scheduler.options = table;
  g_autoptr(ho_options) defaults = ho_options_parse(table, NULL, "hello", error); /* defaults are in range */
  return defaults != NULL;
}

static gboolean greet(ho_exec *x, GError **error) {
  const char *type = NULL;
  g_autofree char *found = NULL;
  json_t *j = hear(x, &type, error);
  if (!j) return FALSE;
  const char *name = json_string_value(json_object_get(j, "name"));
  int64_t protocol = json_integer_value(json_object_get(j, "protocol"));
  gboolean ok = TRUE;
  if (strcmp(type, "hello") != 0)
    ok = ho_fail(error, HO_ERROR_INPUT, "began with '%s', expected hello", type);
  else if (protocol != PROTOCOL)
    ok = ho_fail(error, HO_ERROR_INPUT, "hello: protocol %" G_GINT64_FORMAT ", expected %d", protocol, PROTOCOL);
  else if (!name || !*name)
    ok = ho_fail(error, HO_ERROR_INPUT, "hello: name is missing");
  else
    ok = read_options(x, json_object_get(j, "options"), error);
  x->scheduler.name = ho_arena_strdup(x->arena, name ? name : "");
  json_decref(j);
  return ok;
}

static int run(ho_search *s);

ho_exec *ho_exec_open(const char *command, const ho_exec_limits *limits, GError **error) {
  ho_pipe *pipe = ho_pipe_open(command, limits ? limits->folder : NULL, limits ? limits->memory : 0, error);
  if (!pipe) return NULL;
  g_autoptr(ho_exec) x = g_new0(ho_exec, 1);
  x->pipe = pipe;
  x->arena = ho_arena_new();
  x->seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  x->command = g_strdup(command);
  x->timeout = limits && limits->timeout > 0 ? limits->timeout : DEFAULT_TIMEOUT;
  x->scheduler = (ho_scheduler){.abi = HO_SCHEDULER_ABI,
                                .struct_size = sizeof(ho_scheduler),
                                .summary = "a process of its own",
                                .source = ho_arena_strdup(x->arena, command),
                                .run = run};
  ho_pipe_log(pipe, limits ? limits->log : NULL);
  ho_pipe_deadline(pipe, after(x->timeout));
  if (greet(x, error)) return g_steal_pointer(&x);
  g_prefix_error(error, "exec:%s: ", command);
  return NULL;
}

void ho_exec_free(ho_exec *x) {
  if (!x) return;
  ho_pipe_deadline(x->pipe, after(SECONDS_TO_QUIT));
  ho_pipe_write(x->pipe, "{\"type\":\"quit\"}", NULL);
  ho_pipe_free(x->pipe);
  ho_arena_free(x->arena);
  g_hash_table_unref(x->seen);
  g_free(x->complaint);
  g_free(x->command);
  g_free(x);
}

const ho_scheduler *ho_exec_scheduler(const ho_exec *x) {
  return &x->scheduler;
}

void ho_exec_set_timeout(ho_exec *x, double seconds) {
  x->timeout = seconds;
}

const char *ho_exec_complaint(const ho_exec *x) {
  return x->complaint;
}

int64_t ho_exec_lines(const ho_exec *x) {
  return x->lines;
}

/* ---- plans ---------------------------------------------------------------------------------------------------------------------- */
static void complain(ho_exec *x, size_t i, const char *why) {
  if (!x->complaint) x->complaint = g_strdup_printf("plan %zu: %s", i, why);
}

/* A key of a plan without rewrites. Two plans share one with probability 2^-64: then one would be kept without being counted. */
static gint64 key_of(const ho_plan *plan) {
  uint64_t key = ho_mix((uint64_t)plan->n, 1);
  for (int32_t i = 0; i < plan->n; i++) {
    const ho_entry *e = &plan->entry[i];
    uint64_t time;
    memcpy(&time, &e->not_before, sizeof time);
    key = ho_mix(key, (uint64_t)e->op << 32 | (uint64_t)(uint16_t)e->device << 16 | (uint64_t)(uint16_t)e->stream);
    key = ho_mix(key,
                 time ^ ((uint64_t)(uint16_t)e->copy << 16 | (uint64_t)(uint8_t)e->precision << 8 | (uint64_t)(uint8_t)e->point));
  }
  return (gint64)key;
}

static void note_seen(ho_exec *x, const ho_plan *plan) {
  gint64 key = key_of(plan);
  if (!plan->variant) g_hash_table_add(x->seen, g_memdup2(&key, sizeof key));
}

static json_t *objectives_json(const ho_problem *q, const double *v) {
  json_t *j = json_object();
  for (int32_t k = 0; k < q->n_objectives; k++) json_object_set_new(j, ho_objective_name(q->objective[k]), json_real(v[k]));
  return j;
}

/* Appends a plan's objectives, or null and why. FALSE: the budget is used up. */
static gboolean evaluate_one(ho_exec *x, ho_search *s, const json_t *value, size_t i, json_t *objectives, json_t *why) {
  const ho_problem *q = ho_search_problem(s);
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_plan) plan = ho_exec_read_plan(value, q, &error);
  double v[HO_MAX_OBJECTIVES];
  if (!plan) {
    complain(x, i, error->message);
    json_array_append_new(objectives, json_null());
    json_array_append_new(why, json_string(error->message));
    return TRUE;
  }
  int status = ho_search_evaluate(s, plan, v);
  if (status < 0) return FALSE;
  note_seen(x, plan);
  if (status == 0) {
    json_array_append_new(objectives, objectives_json(q, v));
    json_array_append_new(why, json_null());
  } else {
    g_autofree char *text =
        g_strdup_printf("does not fit: some memory would have to be %.4g times as large", ho_search_figures(s)->tightest);
    json_array_append_new(objectives, json_null());
    json_array_append_new(why, json_string(text));
  }
  return TRUE;
}

static gboolean answer_evaluate(ho_exec *x, ho_search *s, const json_t *j, GError **error) {
  const json_t *plans = json_object_get(j, "plans");
  if (!json_is_array(plans)) return ho_fail(error, HO_ERROR_INPUT, "evaluate: expected an array 'plans'");
  json_t *objectives = json_array(), *why = json_array();
  gboolean left = TRUE;
  x->lines++;
  for (size_t i = 0; i < json_array_size(plans); i++) {
    left = left && evaluate_one(x, s, json_array_get(plans, i), i, objectives, why);
    if (left) continue;
    json_array_append_new(objectives, json_null());
    json_array_append_new(why, json_string("the budget of evaluations is used up"));
  }
  json_t *answer = json_pack("{s:s, s:o, s:o, s:I}", "type", "objectives", "objectives", objectives, "why", why, "left",
                             (json_int_t)ho_search_left(s));
  g_autofree char *line = ho_json_line(answer);
  json_decref(answer);
  return ho_pipe_write(x->pipe, line, error);
}

/* A plan that was evaluated is not counted again; another one is. */
static void keep(ho_exec *x, ho_search *s, const json_t *j) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_plan) plan = ho_exec_read_plan(json_object_get(j, "plan"), ho_search_problem(s), &error);
  if (!plan) {
    complain(x, 0, error->message);
    return;
  }
  gint64 key = key_of(plan);
  double objectives[HO_MAX_OBJECTIVES];
  if (!plan->variant && g_hash_table_contains(x->seen, &key))
    ho_search_keep_evaluated(s, plan);
  else
    ho_search_keep(s, plan, objectives);
}

/* ---- a problem ------------------------------------------------------------------------------------------------------------------ */
/* 1: go on, 0: it is done, -1: error. */
static int answer(ho_exec *x, ho_search *s, GError **error) {
  const char *type = NULL;
  json_t *j = hear(x, &type, error);
  int status = -1;
  if (!j) return -1;
  if (strcmp(type, "evaluate") == 0) {
    status = answer_evaluate(x, s, j, error) ? 1 : -1;
  } else if (strcmp(type, "keep") == 0) {
    keep(x, s, j);
    status = 1;
  } else if (strcmp(type, "done") == 0) {
    status = 0;
  } else {
    g_autofree char *shown = ho_printable(type);
    ho_fail(error, HO_ERROR_INPUT, "wrote a line of type '%s', expected evaluate, keep or done", shown);
  }
  json_decref(j);
  return status;
}

static int run(ho_search *s) {
  ho_exec *x = (ho_exec *)ho_search_scheduler(s);
  g_autoptr(GError) error = NULL;
  ho_pipe_deadline(x->pipe, after(x->timeout));
  x->lines = 0;
  g_hash_table_remove_all(x->seen);
  gboolean ok = !x->used || ho_pipe_write(x->pipe, "{\"type\":\"reset\"}", &error);
  x->used = TRUE;
  if (ok) {
    g_autofree char *problem = ho_exec_problem_line(s, x->scheduler.options);
    ok = ho_pipe_write(x->pipe, problem, &error);
  }
  int status = ok ? 1 : -1;
  while (status > 0) status = answer(x, s, &error);
  return status < 0 ? ho_search_fail(s, "%s", error->message) : 0;
}
