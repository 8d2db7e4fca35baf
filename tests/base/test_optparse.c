/* test_optparse.c: typed options of plug-ins. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/error.h"
#include "base/optparse.h"

static const char *const modes[] = {"fast", "slow", NULL};
static const ho_option table[] = {
    {"population", HO_OPTION_INT, "100", 2, 10000, NULL, "individuals"},
    {"mutation", HO_OPTION_DOUBLE, "0.1", 0, 1, NULL, "rate"},
    {"mode", HO_OPTION_CHOICE, "slow", 0, 0, modes, "how"},
    {"table", HO_OPTION_STRING, "", 0, 0, NULL, "text"},
    {"shift", HO_OPTION_DOUBLE, "-2", 0, 0, NULL, "any number"},
    {NULL, HO_OPTION_INT, NULL, 0, 0, NULL, NULL},
};

Test(options, what_is_not_given_has_its_default) {
  g_autoptr(GError) e = NULL;
  g_autoptr(ho_options) o = ho_options_parse(table, NULL, "nsga2", &e);
  cr_assert_not_null(o, "%s", e ? e->message : "");
  cr_assert_eq(ho_options_int(o, "population"), 100);
  cr_assert_eq(ho_options_double(o, "mutation"), 0.1);
  cr_assert_eq(ho_options_int(o, "mode"), 1);
  cr_assert_str_eq(ho_options_string(o, "mode"), "slow");
  cr_assert_str_eq(ho_options_string(o, "table"), "");
  cr_assert_eq(ho_options_double(o, "shift"), -2);
}

Test(options, what_is_given_is_read_by_its_type) {
  const char *given[] = {"table=conv=gpu;fc=cpu", "mode=fast", "population=2e3", "mutation=1e-3", NULL};
  g_autoptr(ho_options) o = ho_options_parse(table, given, "nsga2", NULL);
  cr_assert_not_null(o);
  cr_assert_eq(ho_options_int(o, "population"), 2000);
  cr_assert_eq(ho_options_double(o, "mutation"), 1e-3);
  cr_assert_eq(ho_options_int(o, "mode"), 0);
  cr_assert_str_eq(ho_options_string(o, "table"), "conv=gpu;fc=cpu");
}

Test(options, what_is_wrong_is_said_in_one_line) {
  static const struct {
    const char *given, *message;
  } bad[] = {
      {"populaton=5", "nsga2: option 'populaton' is not known here (did you mean 'population'?)"},
      {"zzz=5", "nsga2: option 'zzz' is not known here, expected one of population, mutation, mode, table, shift"},
      {"population=1", "nsga2: option 'population': found '1', expected an integer from 2 to 10000"},
      {"population=2.5", "nsga2: option 'population': found '2.5', expected an integer from 2 to 10000"},
      {"population=", "nsga2: option 'population': found '', expected an integer from 2 to 10000"},
      {"population=99999999999999999999",
       "nsga2: option 'population': found '99999999999999999999', expected an integer from 2 to 10000"},
      {"mutation=nan", "nsga2: option 'mutation': found 'nan', expected a number from 0 to 1"},
      {"mutation=1.01", "nsga2: option 'mutation': found '1.01', expected a number from 0 to 1"},
      {"shift=inf", "nsga2: option 'shift': found 'inf', expected a number"},
      {"mode=medium", "nsga2: option 'mode': found 'medium', expected one of fast, slow"},
      {"population", "nsga2: found 'population', expected an option in the form name=value"},
      {"=5", "nsga2: found '=5', expected an option in the form name=value"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GError) e = NULL;
    const char *given[] = {bad[i].given, NULL};
    cr_expect_null(ho_options_parse(table, given, "nsga2", &e), "%s", bad[i].given);
    cr_expect_str_eq(e ? e->message : "nothing", bad[i].message);
  }
}

Test(options, nothing_is_given_twice) {
  g_autoptr(GError) e = NULL;
  const char *given[] = {"mode=fast", "mode=fast", NULL};
  cr_assert_null(ho_options_parse(table, given, "nsga2", &e));
  cr_assert_str_eq(e->message, "nsga2: option 'mode' is given twice");
}

Test(options, an_empty_table_takes_nothing) {
  g_autoptr(GError) e = NULL;
  g_autoptr(ho_options) o = ho_options_parse(NULL, NULL, "heft", &e);
  cr_assert_not_null(o);
  g_autofree char *text = ho_options_canonical(o);
  cr_assert_str_eq(text, "");
  const char *given[] = {"a=b", NULL};
  cr_assert_null(ho_options_parse(NULL, given, "heft", &e));
  cr_assert_str_eq(e->message, "heft: option 'a' is not known here: there are no options");
}

Test(options, the_canonical_text_does_not_depend_on_how_they_were_given) {
  const char *one[] = {"mutation=0.50", "population=1e2", "table=a,b\\c", NULL};
  const char *two[] = {"population=100", "table=a,b\\c", "mode=slow", "mutation=5e-1", NULL};
  g_autoptr(ho_options) a = ho_options_parse(table, one, "x", NULL), b = ho_options_parse(table, two, "x", NULL);
  g_autofree char *ta = ho_options_canonical(a), *tb = ho_options_canonical(b);
  cr_assert_str_eq(ta, "population=100,mutation=0.5,mode=slow,table=a\\,b\\\\c,shift=-2");
  cr_assert_str_eq(ta, tb);
}

static void must_split(const char *spec, const char *name, const char *joined) {
  g_autofree char *found = NULL;
  g_auto(GStrv) given = NULL;
  ho_spec_split(spec, &found, &given);
  g_autofree char *text = g_strjoinv("|", given);
  cr_expect_str_eq(found, name);
  cr_expect_str_eq(text, joined, "%s: %s", spec, text);
}

Test(options, a_spec_is_a_name_and_options) {
  must_split("heft", "heft", "");
  must_split("heft:", "heft", "");
  must_split("resnet50:batch=8,mode=training", "resnet50", "batch=8|mode=training");
  must_split("resnet50:batch=8:mode=training", "resnet50", "batch=8|mode=training");
  must_split("plugin:path=c:/x.so,depth=4", "plugin", "path=c:/x.so|depth=4");
  must_split("a:x=1,,y=2", "a", "x=1||y=2");
  must_split("", "", "");
}
