/* table.c: the comparison table, study by study, in one of its formats. See table.h. */
#include "experiments/table.h"

#include <string.h>

#include "base/error.h"
#include "base/jsonio.h"
#include "experiments/table_study.h"

static const char *const formats[] = {"text", "csv", "json", "latex", NULL};

int ho_table_format_parse(const char *name) {
  for (int i = 0; formats[i]; i++)
    if (strcmp(formats[i], name) == 0) return i;
  return -1;
}

static void add_study(const ho_table_study *t, ho_table_format format, gboolean one_of_many, GString *out, json_t *list) {
  if (format == HO_TABLE_TEXT && one_of_many) g_string_append_printf(out, "%sstudy %s\n", out->len ? "\n" : "", t->study);
  switch (format) {
    case HO_TABLE_TEXT:
      ho_table_write_text(t, out);
      break;
    case HO_TABLE_LATEX:
      ho_table_write_latex(t, out);
      break;
    case HO_TABLE_CSV:
      ho_table_write_csv(t, out);
      break;
    case HO_TABLE_JSON:
      json_array_append_new(list, ho_table_to_json(t));
      break;
  }
}

static gboolean add_studies(ho_store *s, const ho_table_setup *setup, const GPtrArray *studies, GString *out, json_t *list,
                            GError **error) {
  for (guint i = 0; i < studies->len; i++) {
    g_autoptr(ho_table_study) t = ho_table_study_new(s, studies->pdata[i], setup, error);
    if (!t) return FALSE;
    if (setup->against) {
      if (setup->format == HO_TABLE_TEXT && studies->len > 1)
        g_string_append_printf(out, "%sstudy %s\n", i ? "\n" : "", t->study);
      if (!ho_table_write_against(s, t, setup->against, setup->format, out, error)) return FALSE;
      continue;
    }
    add_study(t, setup->format, studies->len > 1, out, list);
  }
  return TRUE;
}

char *ho_table(ho_store *s, const ho_table_setup *setup, GError **error) {
  g_autoptr(GPtrArray) studies = NULL;
  if (setup->study) {
    studies = g_ptr_array_new();
    g_ptr_array_add(studies, (void *)setup->study);
  } else {
    studies = ho_store_studies(s, error);
    if (!studies) return NULL;
  }
  g_autoptr(GString) out = g_string_new(NULL);
  json_t *list = json_array();
  if (setup->format == HO_TABLE_CSV)
    g_string_append(
        out, setup->against
                 ? HO_TABLE_AGAINST_HEAD
                 : "study,problem,scheduler,indicator,frame,n,n_value,median,q1,q3,best,latency,energy,memory,status,reason\n");
  gboolean fine = add_studies(s, setup, studies, out, list, error);
  if (fine && setup->format == HO_TABLE_JSON) {
    json_t *object = json_object();
    json_object_set(object, "studies", list);
    g_autofree char *text = ho_json_text(object);
    g_string_append(out, text);
    if (!g_str_has_suffix(out->str, "\n")) g_string_append_c(out, '\n');
    json_decref(object);
  }
  json_decref(list);
  return fine ? g_string_free(g_steal_pointer(&out), FALSE) : NULL;
}
