/* graph_json_simple.c: see graph_json_simple.h. A member that is not of the expected form ends the attempt. */
#include "models/graph_json_simple.h"

#include <math.h>
#include <string.h>

#define MOST_CONSUMERS 64
#define MOST_DIMENSIONS 16

typedef struct {
  char *start;
  size_t n;
} span; /* of a string, without its quotes; start NULL: absent */

typedef struct {
  double value;
  gboolean whole; /* and below 10^15, so that it is exact */
  gboolean given;
} number;

static char *skip_space(char *at) {
  while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') at++;
  return at;
}

/* Moves behind a string of printable ASCII without escapes. */
static gboolean take_string(char **at, span *s) {
  if (**at != '"') return FALSE;
  char *p = s->start = *at + 1;
  while (*p != '"' && *p != '\\' && *p >= 0x20 && *p < 0x7f) p++;
  if (*p != '"') return FALSE;
  s->n = (size_t)(p - s->start);
  *at = p + 1;
  return TRUE;
}

static size_t count_digits(const char *p) {
  return strspn(p, "0123456789");
}

/* Moves behind a number of JSON's grammar that is not negative. */
static gboolean take_number(char **at, number *n) {
  char *begin = *at, *p = begin + count_digits(begin);
  size_t digits = (size_t)(p - begin);
  if (!digits || (digits > 1 && *begin == '0')) return FALSE;
  n->given = TRUE;
  n->whole = digits <= 15 && *p != '.' && *p != 'e' && *p != 'E';
  if (n->whole) {
    int64_t value = 0;
    for (const char *d = begin; d < p; d++) value = value * 10 + (*d - '0');
    n->value = (double)value;
    *at = p;
    return TRUE;
  }
  if (*p == '.') {
    size_t more = count_digits(p + 1);
    if (!more) return FALSE;
    p += 1 + more;
  }
  if (*p == 'e' || *p == 'E') {
    p += p[1] == '+' || p[1] == '-' ? 2 : 1;
    size_t more = count_digits(p);
    if (!more) return FALSE;
    p += more;
  }
  char *end = NULL;
  n->value = g_ascii_strtod(begin, &end);
  *at = p;
  return end == p && isfinite(n->value);
}

/* ---- members --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *key;
  gboolean (*take)(char **at, void *into);
  void *into;
} member;

static gboolean take_span(char **at, void *into) {
  return take_string(at, into);
}

static gboolean take_quantity(char **at, void *into) {
  return take_number(at, into);
}

/* Moves behind an object with these members, each at most once. Returns its end, or NULL. */
static char *take_object(char *at, const member *members, unsigned n) {
  unsigned seen = 0;
  if (*at != '{') return NULL;
  for (at = skip_space(at + 1);; at = skip_space(at + 1)) {
    span key;
    if (!take_string(&at, &key)) return NULL;
    unsigned k = 0;
    while (k < n && (strncmp(members[k].key, key.start, key.n) != 0 || members[k].key[key.n])) k++;
    if (k == n || seen & 1u << k) return NULL;
    seen |= 1u << k;
    at = skip_space(at);
    if (*at != ':') return NULL;
    at = skip_space(at + 1);
    if (!members[k].take(&at, members[k].into)) return NULL;
    at = skip_space(at);
    if (*at == '}') return at + 1;
    if (*at != ',') return NULL;
  }
}

/* Strings end at their closing quote until `give_back`. */
static const char *borrow(span s) {
  if (s.start) s.start[s.n] = '\0';
  return s.start;
}

static void give_back(span s) {
  if (s.start) s.start[s.n] = '"';
}

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

size_t ho_graph_json_simple_op(ho_graph_build *b, char *text, const char **name, size_t *name_length) {
  span own = {NULL, 0}, kind = {NULL, 0}, layer = {NULL, 0};
  number flops = {0}, read = {.value = NAN}, write = {.value = NAN}, parallelism = {0}, workspace = {0};
  const member members[] = {{"name", take_span, &own},        {"kind", take_span, &kind},
                            {"flops", take_quantity, &flops}, {"parallelism", take_quantity, &parallelism},
                            {"layer", take_span, &layer},     {"read", take_quantity, &read},
                            {"write", take_quantity, &write}, {"workspace", take_quantity, &workspace}};
  char *end = take_object(text, members, G_N_ELEMENTS(members));
  if (!end || !own.start || (workspace.given && !workspace.whole)) return 0;
  ho_op_info op = ho_op_info_init(borrow(own), kind.start ? borrow(kind) : "generic");
  op.layer = borrow(layer);
  op.flops = flops.value;
  op.read = read.value;
  op.write = write.value;
  op.parallelism = parallelism.value;
  op.workspace = (int64_t)workspace.value;
  ho_graph_build_op(b, &op);
  give_back(own);
  give_back(kind);
  give_back(layer);
  *name = own.start;
  *name_length = own.n;
  return (size_t)(end - text);
}

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

typedef struct {
  int n;
  span name[MOST_CONSUMERS];
} span_list;

typedef struct {
  int32_t n;
  int64_t dimension[MOST_DIMENSIONS];
  gboolean given;
} dimensions;

static gboolean take_names(char **at, void *into) {
  span_list *list = into;
  if (**at != '[') return FALSE;
  char *p = skip_space(*at + 1);
  for (; *p != ']'; p = skip_space(p + 1)) {
    if (list->n == MOST_CONSUMERS || !take_string(&p, &list->name[list->n++])) return FALSE;
    p = skip_space(p);
    if (*p == ']') break;
    if (*p != ',') return FALSE;
    if (*skip_space(p + 1) == ']') return FALSE;
  }
  *at = p + 1;
  return TRUE;
}

static gboolean take_dimensions(char **at, void *into) {
  dimensions *shape = into;
  shape->given = TRUE;
  if (**at != '[') return FALSE;
  char *p = skip_space(*at + 1);
  for (; *p != ']'; p = skip_space(p + 1)) {
    number n = {0};
    if (shape->n == MOST_DIMENSIONS || !take_number(&p, &n) || !n.whole) return FALSE;
    shape->dimension[shape->n++] = (int64_t)n.value;
    p = skip_space(p);
    if (*p == ']') break;
    if (*p != ',') return FALSE;
    if (*skip_space(p + 1) == ']') return FALSE;
  }
  *at = p + 1;
  return TRUE;
}

static ho_op find_op(const ho_graph_build *b, span s) {
  ho_op o = ho_graph_build_find_op(b, borrow(s));
  give_back(s);
  return o;
}

/* Whether what the members say goes together, and what they say. */
static gboolean resolve(const ho_graph_build *b, span producer, span dtype, span role, const span_list *names, ho_op *maker,
                        ho_dtype *type, ho_role *what, ho_op *consumer) {
  *maker = -1;
  *type = HO_FP32;
  *what = HO_ROLE_INPUT;
  if (producer.start && (role.start || (*maker = find_op(b, producer)) < 0)) return FALSE;
  if (dtype.start) {
    *type = ho_dtype_parse(borrow(dtype));
    give_back(dtype);
    if (*type == HO_DTYPE_NONE) return FALSE;
  }
  if (role.start && role.n == strlen("weight") && memcmp(role.start, "weight", role.n) == 0)
    *what = HO_ROLE_WEIGHT;
  else if (role.start)
    return FALSE;
  for (int i = 0; i < names->n; i++)
    if ((consumer[i] = find_op(b, names->name[i])) < 0) return FALSE;
  return TRUE;
}

size_t ho_graph_json_simple_tensor(ho_graph_build *b, char *text, const char **name, size_t *name_length) {
  span own = {NULL, 0}, producer = {NULL, 0}, dtype = {NULL, 0}, role = {NULL, 0};
  number bytes = {0};
  dimensions shape = {0};
  span_list names;
  names.n = 0; /* the names themselves are not cleared, there are many */
  const member members[] = {{"name", take_span, &own},          {"bytes", take_quantity, &bytes},
                            {"producer", take_span, &producer}, {"consumers", take_names, &names},
                            {"shape", take_dimensions, &shape}, {"dtype", take_span, &dtype},
                            {"role", take_span, &role}};
  char *end = take_object(text, members, G_N_ELEMENTS(members));
  ho_op maker, consumer[MOST_CONSUMERS];
  ho_dtype type;
  ho_role what;
  if (!end || !own.start || bytes.given == shape.given || (bytes.given && !bytes.whole)) return 0;
  if (!resolve(b, producer, dtype, role, &names, &maker, &type, &what, consumer)) return 0;
  ho_tensor t =
      ho_graph_build_tensor(b, borrow(own), type, shape.given ? shape.n : -1, shape.dimension, (int64_t)bytes.value, what, maker);
  give_back(own);
  for (int i = 0; i < names.n; i++) ho_graph_build_consume(b, t, consumer[i]);
  *name = own.start;
  *name_length = own.n;
  return (size_t)(end - text);
}
