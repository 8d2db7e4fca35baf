/* test_yamlio.c: YAML against a schema, and what is said when it does not fit. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/yamlio.h"

typedef struct {
  char *name;
  double x;
} inner;

typedef struct {
  char *name, *text;
  double noise;
  uint8_t seed;
  int16_t offset;
  bool keep;
  int *mode;
  inner *inner;
  inner *list;
  char **words, ***pairs;
  uint32_t list_count, words_count, pairs_count;
} outer;

#define OPTIONAL (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)
static const cyaml_strval_t modes[] = {{"fair", 0}, {"serial", 1}};
static const cyaml_schema_value_t word = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};
static const cyaml_schema_value_t pair = {CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_POINTER, char *, &word, 2)};
static const cyaml_schema_field_t inner_fields[] = {CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, inner, name, 1, 5),
                                                    CYAML_FIELD_FLOAT("x", CYAML_FLAG_OPTIONAL, inner, x), CYAML_FIELD_END};
static const cyaml_schema_value_t inner_entry = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, inner, inner_fields)};
static const cyaml_schema_field_t outer_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, outer, name, 0, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("text", OPTIONAL, outer, text, 0, CYAML_UNLIMITED),
    CYAML_FIELD_FLOAT("noise", CYAML_FLAG_OPTIONAL, outer, noise),
    CYAML_FIELD_UINT("seed", CYAML_FLAG_OPTIONAL, outer, seed),
    CYAML_FIELD_INT("offset", CYAML_FLAG_OPTIONAL, outer, offset),
    CYAML_FIELD_BOOL("keep", CYAML_FLAG_OPTIONAL, outer, keep),
    CYAML_FIELD_ENUM_PTR("mode", OPTIONAL, outer, mode, modes, CYAML_ARRAY_LEN(modes)),
    CYAML_FIELD_MAPPING_PTR("inner", OPTIONAL, outer, inner, inner_fields),
    CYAML_FIELD_SEQUENCE("list", OPTIONAL, outer, list, &inner_entry, 0, 2),
    CYAML_FIELD_SEQUENCE("words", OPTIONAL, outer, words, &word, 1, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("pairs", OPTIONAL, outer, pairs, &pair, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, outer, outer_fields)};

/* The message for a text that must be refused. Caller frees. */
static char *refusal(const char *text) {
  g_autoptr(ho_yaml) y = ho_yaml_from_text("f.yaml", text);
  g_autoptr(GError) e = NULL;
  void *data = &e;
  cr_assert_not(ho_yaml_load(y, &schema, &data, &e), "accepted: %s", text);
  cr_assert_null(data);
  cr_assert_not_null(e);
  cr_assert_null(strchr(e->message, '\n'));
  return g_strdup(e->message);
}

typedef struct {
  const char *text, *message;
} bad_text;

static void check(const bad_text *bad, size_t n) {
  for (size_t i = 0; i < n; i++) {
    g_autofree char *message = refusal(bad[i].text);
    cr_expect_str_eq(message, bad[i].message, "%s\n  said: %s\n  must: %s", bad[i].text, message, bad[i].message);
  }
}

Test(yamlio, values_of_every_type_are_read) {
  g_autoptr(ho_yaml) y =
      ho_yaml_from_text("f.yaml",
                        "name: a\ntext: 80GB\nnoise: -2.5e-1\nseed: 255\noffset: -32768\nkeep: no\nmode: serial\n"
                        "inner: {name: b, x: 3}\nlist:\n  - name: c\n  - {name: d}\nwords: [e, f]\npairs: [[g, h]]\n");
  void *data;
  cr_assert(ho_yaml_load(y, &schema, &data, NULL));
  const outer *o = data;
  cr_expect_str_eq(o->name, "a");
  cr_expect_str_eq(o->text, "80GB");
  cr_expect_eq(o->noise, -0.25);
  cr_expect_eq(o->seed, 255);
  cr_expect_eq(o->offset, -32768);
  cr_expect_not(o->keep);
  cr_expect_eq(*o->mode, 1);
  cr_expect_eq(o->inner->x, 3);
  cr_expect_eq(o->list_count, 2);
  cr_expect_str_eq(o->list[1].name, "d");
  cr_expect_str_eq(o->words[1], "f");
  cr_expect_str_eq(o->pairs[0][1], "h");
  cr_expect(ho_yaml_has(y, "pairs[0]"));
  cr_expect_not(ho_yaml_has(y, "pairs[1]"));
  ho_yaml_release(&schema, data);
}

Test(yamlio, an_unknown_key_is_found_at_its_own_place) {
  static const bad_text bad[] = {
      {"name: a\nnois: 2\n", "f.yaml:2:1: key 'nois' is not known here (did you mean 'noise'?)"},
      {"name: a\nlist:\n  - name: b\n    x: 1\n    nam: c\n", "f.yaml:5:5: key 'nam' is not known here (did you mean 'name'?)"},
      {"name: a\ninner: {bandwidth: 3, name: b}\n", "f.yaml:2:9: key 'bandwidth' is not known here (known: name, x)"},
  };
  check(bad, G_N_ELEMENTS(bad));
}

Test(yamlio, a_missing_or_repeated_key_is_refused) {
  static const bad_text bad[] = {
      {"noise: 1\n", "f.yaml:1:1: key 'name' is missing in the file"},
      {"name: a\nlist:\n  - name: b\n  - x: 1\n", "f.yaml:4:5: key 'name' is missing in list[1]"},
      {"name: a\ninner:\n  x: 1\n", "f.yaml:2:1: key 'name' is missing in inner"},
      {"name: a\nseed: 1\nname: b\n", "f.yaml:3:1: key 'name' is given twice (first at line 1), expected once"},
  };
  check(bad, G_N_ELEMENTS(bad));
}

Test(yamlio, a_value_of_another_type_is_refused) {
  static const bad_text bad[] = {
      {"name: [a]\n", "f.yaml:1:1: key 'name': found a list, expected one value"},
      {"name: a\ninner: b\n", "f.yaml:2:1: key 'inner': found 'b', expected keys and values (key: value)"},
      {"name: a\nlist: {b: 1}\n", "f.yaml:2:1: key 'list': found keys and values, expected a list ([a, b] or lines with -)"},
      {"name: a\nlist: [b]\n", "f.yaml:2:8: list[0]: found 'b', expected keys and values (key: value)"},
      {"name: a\nnoise: many\n", "f.yaml:2:1: key 'noise': found 'many', expected a number"},
      {"name: a\nkeep: off\n", "f.yaml:2:1: key 'keep': found 'off', expected true or false"},
      {"name: a\nmode: fare\n", "f.yaml:2:1: key 'mode': found 'fare', expected fair | serial"},
      {"name: a\nmode: 1\n", "f.yaml:2:1: key 'mode': found '1', expected fair | serial"},
      {"name:\n", "f.yaml:1:1: key 'name' has no value, expected one value"},
      {"name: ~\n", "f.yaml:1:1: key 'name' has no value, expected one value"},
      {"- a\n", "f.yaml:1:1: the file: found a list, expected keys and values (key: value)"},
      {"a\n", "f.yaml:1:1: the file: found 'a', expected keys and values (key: value)"},
  };
  check(bad, G_N_ELEMENTS(bad));
}

Test(yamlio, a_value_out_of_range_is_refused) {
  static const bad_text bad[] = {
      {"name: a\nseed: -1\n", "f.yaml:2:1: key 'seed': found '-1', expected a whole number that is not negative"},
      {"name: a\nseed: 256\n", "f.yaml:2:1: key 'seed': found '256', expected a whole number that is not negative"},
      {"name: a\nseed: 1.5\n", "f.yaml:2:1: key 'seed': found '1.5', expected a whole number that is not negative"},
      {"name: a\noffset: 32768\n", "f.yaml:2:1: key 'offset': found '32768', expected a whole number"},
      {"name: a\noffset: 99999999999999999999\n",
       "f.yaml:2:1: key 'offset': found '99999999999999999999', expected a whole number"},
      {"name: a\nnoise: nan\n", "f.yaml:2:1: key 'noise': found 'nan', expected a number"},
      {"name: a\nnoise: .inf\n", "f.yaml:2:1: key 'noise': found '.inf', expected a number"},
      {"name: a\nnoise: 1e999\n", "f.yaml:2:1: key 'noise': found '1e999', expected a number"},
      {"name: a\ninner: {name: abcdef}\n", "f.yaml:2:9: key 'name': found 'abcdef', expected a shorter text"},
      {"name: a\ninner: {name: ''}\n", "f.yaml:2:9: key 'name': found '', expected a longer text"},
      {"name: a\nwords: []\n", "f.yaml:2:1: key 'words': found 0 entries, expected at least 1"},
      {"name: a\npairs: [[b]]\n", "f.yaml:2:9: pairs[0]: found 1 entries, expected 2"},
      {"name: a\nlist: [{name: a}, {name: b}, {name: c}]\n", "f.yaml:2:1: key 'list': found 3 entries, expected at most 2"},
  };
  check(bad, G_N_ELEMENTS(bad));
}

Test(yamlio, a_text_split_at_its_comma_is_told) {
  static const bad_text bad[] = {
      {"name: a\nwords: [resnet50:batch=8,mode=training]\n",
       "f.yaml:2:9: inside [ ] YAML splits 'resnet50:batch=8,mode=training' at its comma, expected quotes around it or one entry "
       "per line "
       "(- …)"},
      {"{name: a, r:b=1,c=2}",
       "f.yaml:1:11: 'r:b=1' stands alone: inside { } YAML splits a text at its comma, expected the text in quotes"},
  };
  check(bad, G_N_ELEMENTS(bad));
  g_autoptr(ho_yaml) y = ho_yaml_from_text("f.yaml", "name: a\nwords:\n  - r:b=1,c=2\n  - k=3\n");
  void *data;
  cr_assert(ho_yaml_load(y, &schema, &data, NULL));
  cr_expect_str_eq(((const outer *)data)->words[0], "r:b=1,c=2");
  ho_yaml_release(&schema, data);
}

Test(yamlio, what_is_not_one_plain_document_is_refused) {
  static const bad_text bad[] = {
      {"", "f.yaml: the file is empty, expected keys and values"},
      {"# only a comment\n", "f.yaml: the file is empty, expected keys and values"},
      {"name: a\n---\nname: b\n", "f.yaml:2:1: a second document, expected one per file"},
      {"\tname: a\n", "f.yaml:1:1: a tab in the indentation, expected spaces"},
      {"name: a\ninner:\n\tname: b\n", "f.yaml:3:1: a tab in the indentation, expected spaces"},
      {"name: \"a\n", "f.yaml:2:1: not YAML: found unexpected end of stream while scanning a quoted scalar"},
      {"words: [a\n", "f.yaml:2:1: not YAML: did not find expected ',' or ']' while parsing a flow sequence"},
      {"name: a\001\n", "f.yaml:1:8: byte 0x01, expected YAML text in UTF-8"},
      {"name: \xff\n", "f.yaml:1:7: byte 0xff, expected YAML text in UTF-8"},
      {"name: \"a\\0b\"\n", "f.yaml:1:7: a zero byte in a text (\\0), expected none"},
      {"name: &n a\ntext: *n\n",
       "f.yaml:1:7: anchors (&name) and aliases (*name) are not read here, expected the value written out"},
      {"name: !!str a\n", "f.yaml:1:7: a tag (!name) is not read here, expected a plain value"},
      {"? [a]\n: b\n", "f.yaml:1:3: a list or mapping as key, expected a word"},
  };
  check(bad, G_N_ELEMENTS(bad));
}

/* "name: " and `n` times `open`. */
static char *nested(const char *open, int n) {
  GString *s = g_string_new("name: ");
  for (int i = 0; i < n; i++) g_string_append(s, open);
  return g_string_free(s, FALSE);
}

Test(yamlio, deep_nesting_and_huge_lists_end_at_once, .timeout = 20) {
  g_autofree char *lists = nested("[", 200000), *maps = nested("{a: ", 100000), *entries = nested("\n- ab", 300000);
  g_autofree char *a = refusal(lists), *b = refusal(maps), *c = refusal(entries);
  cr_expect_str_eq(a, "f.yaml:1:38: nested deeper than 32 levels");
  cr_expect_str_eq(b, "f.yaml:1:131: nested deeper than 32 levels");
  cr_expect(g_str_has_suffix(c, "more than 100000 keys and values, expected fewer"), "%s", c);
}

Test(yamlio, a_fault_is_told_at_the_place_of_its_key) {
  g_autoptr(ho_yaml) y = ho_yaml_from_text("f.yaml", "name: a\nlist:\n  - name: b\n    x: 1\n  - {name: c, x: 2}\nwords: [d]\n");
  static const struct {
    const char *path, *message;
  } places[] = {
      {"list[1].x", "f.yaml:5:15: key 'x': bad"},      {"list[0].x", "f.yaml:4:5: key 'x': bad"},
      {"list[1]", "f.yaml:5:5: list[1]: bad"},         {"words[0]", "f.yaml:6:9: words[0]: bad"},
      {"list[0].gone", "f.yaml:3:5: key 'gone': bad"}, {"list[7].x", "f.yaml:2:1: key 'x': bad"},
      {"gone", "f.yaml:1:1: key 'gone': bad"},         {"", "f.yaml:1:1: bad"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autoptr(GError) e = NULL;
    cr_assert_not(ho_yaml_fail(y, &e, places[i].path, "%s", "bad"));
    cr_expect_str_eq(e->message, places[i].message);
    cr_expect(g_error_matches(e, HO_ERROR, HO_ERROR_INPUT));
  }
}

Test(yamlio, another_format_is_called_that) {
  g_autoptr(ho_yaml) y = ho_yaml_from_text("f.yaml", "name: a\nformat: heteroopt-plan/1\n");
  g_autoptr(ho_yaml) none = ho_yaml_from_text("g.yaml", "name: a\n");
  g_autoptr(GError) e = NULL, f = NULL;
  cr_assert_not(ho_yaml_check_format(y, NULL, "heteroopt-platform/1", &e));
  cr_expect_str_eq(e->message, "f.yaml:2:1: key 'format': found 'heteroopt-plan/1', expected heteroopt-platform/1");
  cr_assert_not(ho_yaml_check_format(none, NULL, "heteroopt-platform/1", &f));
  cr_expect_str_eq(f->message, "g.yaml: key 'format' is missing, expected format: heteroopt-platform/1");
  cr_expect(ho_yaml_check_format(y, NULL, "heteroopt-plan/1", NULL));
}

Test(yamlio, a_file_that_cannot_be_opened_is_named) {
  g_autoptr(GError) e = NULL, f = NULL;
  cr_assert_null(ho_yaml_open("/nowhere/f.yaml", &e));
  cr_expect_str_eq(e->message, "/nowhere/f.yaml: cannot open: No such file or directory");
  cr_assert_null(ho_yaml_open("/", &f));
  cr_expect(g_str_has_prefix(f->message, "/: "), "%s", f->message);
}
