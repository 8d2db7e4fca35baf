/* graph_json.c: the reader of heteroopt-graph/1 (docs/formats.md); its writer is graph_json_write.c.
 *
 * Ops and tensors are parsed one at a time (json_stream.h), ops first whatever the order in the file, since tensors name
 * them. Aliases may name a tensor further down and are resolved last. Whatever is not about JSON (cycles, names given twice,
 * negative sizes) is checked by graph_build.h as for any other source. */
#include <string.h>

#include "base/error.h"
#include "base/jsonio.h"
#include "models/graph_build.h"
#include "models/graph_json_simple.h"
#include "models/json_stream.h"
#include "models/source.h"

#define MOST_NAMES_COMPARED 20000 /* for "did you mean": the edit distance to each takes a while */

typedef struct {
  ho_tensor tensor;
  char *of;
} pending_alias;

typedef struct {
  const char *file;
  ho_graph_build *build;
  GArray *aliases;                    /* pending_alias */
  GPtrArray *op_names, *tensor_names; /* for "did you mean", at most MOST_NAMES_COMPARED */
} reader;

/* ---- names that must exist ------------------------------------------------------------------------------------------- */

static void remember(GPtrArray *names, const char *name) {
  if (names->len < MOST_NAMES_COMPARED) g_ptr_array_add(names, g_strdup(name));
}

static gboolean fail_missing(const reader *r, const char *place, const char *key, const char *what, const char *name,
                             GPtrArray *names, GError **error) {
  g_ptr_array_add(names, NULL);
  const char *near = ho_did_you_mean(name, (const char *const *)names->pdata);
  g_autofree char *shown = ho_printable(name), *hint = near ? ho_printable(near) : NULL;
  return ho_fail(error, HO_ERROR_INPUT, "%s: %s.%s: no %s is named '%s'%s%s%s", r->file, place, key, what, shown,
                 near ? " (did you mean '" : "", near ? hint : "", near ? "'?)" : "");
}

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

static gboolean read_phase(const json_t *object, ho_json_at at, ho_phase *phase, GError **error) {
  const char *word = NULL;
  if (!ho_json_get_string(object, at, "phase", FALSE, &word, error)) return FALSE;
  if (!word) return TRUE;
  for (int p = HO_PHASE_FORWARD; p <= HO_PHASE_UPDATE; p++)
    if (strcmp(word, ho_phase_name((ho_phase)p)) == 0) {
      *phase = (ho_phase)p;
      return TRUE;
    }
  g_autofree char *shown = ho_printable(word);
  return ho_fail(error, HO_ERROR_INPUT, "%s: %s.phase: found \"%s\", expected forward, backward or update", at.file, at.place,
                 shown);
}

static int axis_of(const char *word) {
  int a = 0;
  while (a < HO_N_AXES && !(word && strcmp(word, ho_axis_name((ho_axis)a)) == 0)) a++;
  return a;
}

static gboolean read_unsplit(const json_t *object, ho_json_at at, uint32_t *axes, GError **error) {
  json_t *list = NULL, *element;
  size_t i;
  if (!ho_json_get_array(object, at, "unsplit", FALSE, &list, error)) return FALSE;
  json_array_foreach(list, i, element) {
    int a = axis_of(json_string_value(element));
    if (a == HO_N_AXES)
      return ho_fail(error, HO_ERROR_INPUT, "%s: %s.unsplit[%zu]: expected rows, columns, reduction, channels, batch or heads",
                     at.file, at.place, i);
    *axes |= 1U << a;
  }
  return TRUE;
}

static gboolean read_times(reader *r, ho_op o, const json_t *object, ho_json_at at, GError **error) {
  const json_t *times = json_object_get(object, "time");
  if (!times) return TRUE;
  char place[96];
  g_snprintf(place, sizeof place, "%s.time", at.place);
  if (!json_is_object(times) || !json_object_size(times))
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected an object of seconds by device name, with at least one device",
                   at.file, place);
  const char *device;
  json_t *value;
  json_object_foreach((json_t *)times, device, value) {
    double seconds = 0;
    if (!ho_json_get_double(times, (ho_json_at){at.file, place}, device, TRUE, 0, &seconds, error)) return FALSE;
    ho_graph_build_time(r->build, o, device, seconds);
  }
  return TRUE;
}

static gboolean read_op(reader *r, const json_t *object, ho_json_at at, GError **error) {
  static const char *const keys[] = {"name",  "kind",  "flops", "other_flops", "read",    "write",    "workspace", "parallelism",
                                     "phase", "layer", "time",  "sensitivity", "release", "priority", "unsplit",   NULL};
  ho_op_info op = ho_op_info_init(NULL, "generic");
  if (!ho_json_object_only(object, at, keys, error)) return FALSE;
  if (!ho_json_get_string(object, at, "name", TRUE, &op.name, error)) return FALSE;
  if (!ho_json_get_string(object, at, "kind", FALSE, &op.kind, error)) return FALSE;
  if (!ho_json_get_string(object, at, "layer", FALSE, &op.layer, error)) return FALSE;
  if (!ho_json_get_double(object, at, "flops", FALSE, 0, &op.flops, error)) return FALSE;
  if (!ho_json_get_double(object, at, "other_flops", FALSE, 0, &op.other_flops, error)) return FALSE;
  if (!ho_json_get_double(object, at, "read", FALSE, 0, &op.read, error)) return FALSE;
  if (!ho_json_get_double(object, at, "write", FALSE, 0, &op.write, error)) return FALSE;
  if (!ho_json_get_int(object, at, "workspace", FALSE, 0, &op.workspace, error)) return FALSE;
  if (!ho_json_get_double(object, at, "parallelism", FALSE, 0, &op.parallelism, error)) return FALSE;
  if (!ho_json_get_double(object, at, "sensitivity", FALSE, 0, &op.sensitivity, error)) return FALSE;
  if (!ho_json_get_double(object, at, "release", FALSE, 0, &op.release, error)) return FALSE;
  if (!ho_json_get_double(object, at, "priority", FALSE, -INFINITY, &op.priority, error)) return FALSE;
  if (!read_phase(object, at, &op.phase, error) || !read_unsplit(object, at, &op.unsplit, error)) return FALSE;
  remember(r->op_names, op.name);
  return read_times(r, ho_graph_build_op(r->build, &op), object, at, error);
}

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  ho_dtype dtype;
  int64_t bytes; /* -1: not given */
  int32_t rank;  /* -1: no shape */
  int64_t *shape;
  ho_role role;
  ho_op producer;
} tensor_fields;

static gboolean read_shape(const json_t *object, ho_json_at at, tensor_fields *f, GError **error) {
  json_t *dims = NULL;
  if (!ho_json_get_array(object, at, "shape", FALSE, &dims, error)) return FALSE;
  if (!dims) return TRUE;
  f->rank = (int32_t)json_array_size(dims);
  f->shape = g_new0(int64_t, f->rank + 1);
  for (int32_t i = 0; i < f->rank; i++) {
    const json_t *dim = json_array_get(dims, (size_t)i);
    if (!json_is_integer(dim) || json_integer_value(dim) < 0)
      return ho_fail(error, HO_ERROR_INPUT, "%s: %s.shape[%d]: expected a whole number ≥ 0", at.file, at.place, i);
    f->shape[i] = json_integer_value(dim);
  }
  return TRUE;
}

/* Bytes, or shape and dtype; when both are there they must agree. */
static gboolean read_size(const json_t *object, ho_json_at at, tensor_fields *f, GError **error) {
  const char *dtype = NULL;
  if (!ho_json_get_string(object, at, "dtype", FALSE, &dtype, error)) return FALSE;
  if (dtype && (f->dtype = ho_dtype_parse(dtype)) == HO_DTYPE_NONE) {
    g_autofree char *shown = ho_printable(dtype);
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s.dtype: found \"%s\", expected a type such as fp32, fp16, bf16, int8 or int64",
                   at.file, at.place, shown);
  }
  if (!read_shape(object, at, f, error)) return FALSE;
  if (!ho_json_get_int(object, at, "bytes", FALSE, 0, &f->bytes, error)) return FALSE;
  if (f->rank < 0 && f->bytes < 0)
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s: has no size: expected bytes, or shape (with dtype)", at.file, at.place);
  int64_t of_shape = f->rank >= 0 ? ho_graph_shape_bytes(f->dtype, f->rank, f->shape) : -1;
  if (f->bytes >= 0 && of_shape >= 0 && f->bytes != of_shape)
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s.bytes: found %" G_GINT64_FORMAT ", but shape and dtype make %" G_GINT64_FORMAT,
                   at.file, at.place, f->bytes, of_shape);
  return TRUE;
}

static gboolean read_origin(reader *r, const json_t *object, ho_json_at at, tensor_fields *f, GError **error) {
  const char *producer = NULL, *role = NULL;
  if (!ho_json_get_string(object, at, "producer", FALSE, &producer, error)) return FALSE;
  if (!ho_json_get_string(object, at, "role", FALSE, &role, error)) return FALSE;
  if (producer && (f->producer = ho_graph_build_find_op(r->build, producer)) < 0)
    return fail_missing(r, at.place, "producer", "op", producer, r->op_names, error);
  if (!role) return TRUE;
  if (producer) return ho_fail(error, HO_ERROR_INPUT, "%s: %s.role: a tensor with a producer has no role", at.file, at.place);
  if (strcmp(role, "weight") == 0) {
    f->role = HO_ROLE_WEIGHT;
  } else if (strcmp(role, "input") != 0) {
    g_autofree char *shown = ho_printable(role);
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s.role: found \"%s\", expected input or weight", at.file, at.place, shown);
  }
  return TRUE;
}

static gboolean read_consumers(reader *r, ho_tensor t, const json_t *object, ho_json_at at, GError **error) {
  json_t *consumers = NULL;
  if (!ho_json_get_array(object, at, "consumers", FALSE, &consumers, error)) return FALSE;
  for (size_t i = 0; i < json_array_size(consumers); i++) {
    const char *name = json_string_value(json_array_get(consumers, i));
    ho_op o = name ? ho_graph_build_find_op(r->build, name) : -1;
    if (o >= 0) {
      ho_graph_build_consume(r->build, t, o);
      continue;
    }
    char key[48];
    g_snprintf(key, sizeof key, "consumers[%" G_GSIZE_FORMAT "]", i);
    if (name) return fail_missing(r, at.place, key, "op", name, r->op_names, error);
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s.%s: expected the name of an op", at.file, at.place, key);
  }
  return TRUE;
}

static gboolean read_marks(reader *r, ho_tensor t, const json_t *object, ho_json_at at, GError **error) {
  const char *memory = NULL, *alias = NULL;
  if (!ho_json_get_string(object, at, "memory", FALSE, &memory, error)) return FALSE;
  if (memory) ho_graph_build_memory(r->build, t, memory);
  if (!ho_json_get_string(object, at, "alias", FALSE, &alias, error)) return FALSE;
  if (alias) {
    pending_alias pending = {t, g_strdup(alias)};
    g_array_append_val(r->aliases, pending);
  }
  const json_t *output = json_object_get(object, "output");
  if (output && !json_is_boolean(output))
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s.output: expected true or false", at.file, at.place);
  if (json_is_true(output)) ho_graph_build_output(r->build, t);
  return TRUE;
}

static gboolean read_tensor(reader *r, const json_t *object, ho_json_at at, GError **error) {
  static const char *const keys[] = {"name",     "bytes",     "shape", "dtype",  "role", "memory",
                                     "producer", "consumers", "alias", "output", NULL};
  tensor_fields f = {.dtype = HO_FP32, .bytes = -1, .rank = -1, .role = HO_ROLE_INPUT, .producer = -1};
  gboolean ok = ho_json_object_only(object, at, keys, error) && ho_json_get_string(object, at, "name", TRUE, &f.name, error) &&
                read_size(object, at, &f, error) && read_origin(r, object, at, &f, error);
  if (ok) {
    ho_tensor t = ho_graph_build_tensor(r->build, f.name, f.dtype, f.rank, f.shape, f.bytes, f.role, f.producer);
    remember(r->tensor_names, f.name);
    ok = read_consumers(r, t, object, at, error) && read_marks(r, t, object, at, error);
  }
  g_free(f.shape);
  return ok;
}

static gboolean resolve_aliases(reader *r, GError **error) {
  for (guint i = 0; i < r->aliases->len; i++) {
    const pending_alias *a = &g_array_index(r->aliases, pending_alias, i);
    ho_tensor of = ho_graph_build_find_tensor(r->build, a->of);
    char place[48];
    g_snprintf(place, sizeof place, "tensors[%d]", a->tensor);
    if (of < 0) return fail_missing(r, place, "alias", "tensor", a->of, r->tensor_names, error);
    ho_graph_build_alias(r->build, a->tensor, of);
  }
  return TRUE;
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

typedef gboolean (*read_element)(reader *r, const json_t *object, ho_json_at at, GError **error);

/* "ops[3]". By hand, since it is done for every element and printf takes as long as the rest of reading one. */
static void put_place(char *place, const char *list, int index) {
  char digits[12];
  int n = 0;
  do digits[n++] = (char)('0' + index % 10);
  while (index /= 10);
  place = g_stpcpy(place, list);
  *place++ = '[';
  while (n > 0) *place++ = digits[--n];
  *place++ = ']';
  *place = '\0';
}

typedef size_t (*read_simple)(ho_graph_build *b, char *text, const char **name, size_t *name_length);

static gboolean read_list(reader *r, const ho_json_stream *s, const char *list, read_simple simple, read_element read,
                          GPtrArray *names, GError **error) {
  ho_json_elements e;
  if (!ho_json_stream_elements(s, list, &e)) return TRUE;
  char *text;
  for (int i = 0; ho_json_elements_begin(&e, &text, error); i++) {
    if (!text) return TRUE;
    const char *name;
    size_t name_length, length = simple(r->build, text, &name, &name_length);
    if (length) {
      ho_json_elements_skip(&e, length);
      if (names->len < MOST_NAMES_COMPARED) g_ptr_array_add(names, g_strndup(name, name_length));
      continue;
    }
    json_t *element;
    char place[48];
    if (!ho_json_elements_parse(&e, &element, error)) return FALSE;
    put_place(place, list, i);
    gboolean ok = read(r, element, (ho_json_at){r->file, place}, error);
    json_decref(element);
    if (!ok) return FALSE;
  }
  return FALSE;
}

static const char *const lists[] = {"ops", "tensors", NULL};

static gboolean read_head(reader *r, const ho_json_stream *s, GError **error) {
  static const char *const keys[] = {"format", "name", "period", "samples", "unknown", "note", "ops", "tensors", NULL};
  ho_json_at at = {r->file, ""};
  if (!ho_json_check_format(s->head, at, "heteroopt-graph/1", error)) return FALSE;
  if (!ho_json_object_only(s->head, at, keys, error)) return FALSE;
  for (int i = 0; lists[i]; i++) { /* what is streamed is not in the head: what is there is not an array */
    json_t *unused;
    if (!ho_json_get_array(s->head, at, lists[i], FALSE, &unused, error)) return FALSE;
  }
  const char *name = NULL, *note = NULL;
  double period = 0, samples = 1;
  int64_t unknown = 0;
  if (!ho_json_get_string(s->head, at, "name", FALSE, &name, error)) return FALSE;
  if (!ho_json_get_double(s->head, at, "period", FALSE, 0, &period, error)) return FALSE;
  if (!ho_json_get_double(s->head, at, "samples", FALSE, 0, &samples, error)) return FALSE;
  if (!ho_json_get_int(s->head, at, "unknown", FALSE, 0, &unknown, error)) return FALSE;
  if (!ho_json_get_string(s->head, at, "note", FALSE, &note, error)) return FALSE;
  g_autofree char *base = g_path_get_basename(r->file);
  if (g_str_has_suffix(base, ".json")) base[strlen(base) - strlen(".json")] = '\0';
  r->build = ho_graph_build_new(name ? name : base, r->file);
  ho_graph_build_set(r->build, period, samples);
  ho_graph_build_note(r->build, (int32_t)MIN(unknown, INT32_MAX), note);
  return TRUE;
}

static void clear_alias(gpointer a) {
  g_free(((pending_alias *)a)->of);
}

static gboolean read_graph(reader *r, const ho_json_stream *s, GError **error) {
  r->file = s->file;
  return read_head(r, s, error) && read_list(r, s, "ops", ho_graph_json_simple_op, read_op, r->op_names, error) &&
         read_list(r, s, "tensors", ho_graph_json_simple_tensor, read_tensor, r->tensor_names, error) &&
         resolve_aliases(r, error);
}

static ho_graph *graph_of(const ho_json_stream *s, GError **error) {
  reader r = {.aliases = g_array_new(FALSE, FALSE, sizeof(pending_alias)),
              .op_names = g_ptr_array_new_with_free_func(g_free),
              .tensor_names = g_ptr_array_new_with_free_func(g_free)};
  g_array_set_clear_func(r.aliases, clear_alias);
  gboolean ok = read_graph(&r, s, error);
  ho_graph *g = NULL;
  if (ok)
    g = ho_graph_build_finish(r.build, error);
  else
    ho_graph_build_free(r.build);
  g_array_free(r.aliases, TRUE);
  g_ptr_array_free(r.op_names, TRUE);
  g_ptr_array_free(r.tensor_names, TRUE);
  return g;
}

ho_graph *ho_graph_read_json(const char *file, const ho_bindings *bindings, GError **error) {
  if (bindings && bindings->n > 0) {
    ho_fail(error, HO_ERROR_INPUT, "%s: '%s' cannot be bound: a JSON graph has no symbolic dimensions", file, bindings->name[0]);
    return NULL;
  }
  g_autoptr(ho_json_stream) s = ho_json_stream_open(file, lists, error);
  return s ? graph_of(s, error) : NULL;
}

ho_graph *ho_graph_parse_json(const char *name, const char *text, GError **error) {
  g_autoptr(ho_json_stream) s = ho_json_stream_of_text(name, text, lists, error);
  return s ? graph_of(s, error) : NULL;
}

/* ---- the reader ------------------------------------------------------------------------------------------------------ */

static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  size_t i = 0;
  while (i < n && g_ascii_isspace(head[i])) i++;
  return i < n ? head[i] == '{' : n > 0 && g_str_has_suffix(file, ".json");
}

const ho_graph_reader ho_graph_reader_json = {
    .name = "heteroopt-graph/1",
    .summary = "a graph in JSON, as `heteroopt graph convert` writes it",
    .extension = ".json",
    .sniff = sniff,
    .read = ho_graph_read_json,
};
