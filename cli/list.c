/* list.c: `heteroopt list`: what is built in or installed. */
#include <string.h>

#include "base/options.h"
#include "cli/command.h"
#include "hwprofiles/platform_yaml.h"
#include "models/rewrite.h"
#include "models/source.h"
#include "sched/scheduler.h"
#include "sim/replay.h"

/* One listed thing; `options` NULL: none. Owned by the array. */
static void add(json_t *list, const char *name, const char *summary, const char *source, const ho_option *options) {
  json_t *o = json_pack("{s:s, s:s}", "name", name, "summary", summary ? summary : "");
  if (source) json_object_set_new(o, "source", json_string(source));
  if (options) {
    json_t *all = json_array();
    for (; options->name; options++)
      json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "name", options->name, "default",
                                           options->initial ? options->initial : "", "help", options->help ? options->help : ""));
    json_object_set_new(o, "options", all);
  }
  json_array_append_new(list, o);
}

static void list_schedulers(json_t *list) {
  for (int i = 0; ho_schedulers[i]; i++)
    add(list, ho_schedulers[i]->name, ho_schedulers[i]->summary, ho_schedulers[i]->source, ho_schedulers[i]->options);
}

static void list_models(json_t *list) {
  for (int i = 0; ho_model_builders[i]; i++)
    add(list, ho_model_builders[i]->name, ho_model_builders[i]->summary, ho_model_builders[i]->source,
        ho_model_builders[i]->options);
}

/* A file that cannot be read says so in its place. */
static void add_installed(json_t *list, char **names, char *(*summary)(const char *name, GError **error)) {
  for (char **n = names; *n; n++) {
    g_autoptr(GError) local = NULL;
    g_autofree char *text = summary(*n, &local);
    add(list, *n, text ? text : local ? local->message : "", NULL, NULL);
  }
}

static void list_platforms(json_t *list) {
  g_auto(GStrv) names = ho_platform_list();
  add_installed(list, names, ho_platform_summary);
}

static void list_devices(json_t *list) {
  g_auto(GStrv) names = ho_device_list();
  add_installed(list, names, ho_device_summary);
}

static void list_policies(json_t *list) {
  for (int i = 0; ho_policy_names[i]; i++) add(list, ho_policy_names[i], ho_policy_summary(ho_policy_names[i]), NULL, NULL);
}

static void list_rules(json_t *list) {
  for (int i = 0; ho_rewrite_rules[i]; i++)
    add(list, ho_rewrite_rules[i]->name, ho_rewrite_rules[i]->summary, ho_rewrite_rules[i]->source, NULL);
}

static void list_readers(json_t *list) {
  for (int i = 0; ho_graph_readers[i]; i++) add(list, ho_graph_readers[i]->name, ho_graph_readers[i]->summary, NULL, NULL);
}

static void print_text(const json_t *list, GString *out) {
  int width = 0;
  size_t i, k;
  json_t *o, *option;
  json_array_foreach(list, i, o) width = MAX(width, (int)strlen(json_string_value(json_object_get(o, "name"))));
  json_array_foreach(list, i, o) {
    g_string_append_printf(out, "%-*s  %s\n", width, json_string_value(json_object_get(o, "name")),
                           json_string_value(json_object_get(o, "summary")));
    json_array_foreach(json_object_get(o, "options"), k, option) {
      g_string_append_printf(out, "%-*s    %s=%s  %s\n", width, "", json_string_value(json_object_get(option, "name")),
                             json_string_value(json_object_get(option, "default")),
                             json_string_value(json_object_get(option, "help")));
    }
  }
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  gboolean json = FALSE;
  const GOptionEntry entries[] = {{"json", 0, 0, G_OPTION_ARG_NONE, &json, "print [{\"name\",\"summary\",…},…]", NULL}, {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const names[] = {"schedulers", "models", "platforms", "devices", "policies", "rules", "readers", NULL};
  void (*const fill[])(json_t *) = {list_schedulers, list_models, list_platforms, list_devices,
                                    list_policies,   list_rules,  list_readers};
  int which = ho_cli_choice("list", argv[1], names, error);
  if (which < 0) return FALSE;
  json_t *list = json_array();
  fill[which](list);
  if (json) {
    ho_cli_json(out, list);
  } else {
    print_text(list, out);
    json_decref(list);
  }
  return TRUE;
}

const ho_command ho_command_list = {
    .name = "list",
    .arguments = "schedulers|models|platforms|devices|policies|rules|readers",
    .summary = "what is built in or installed, with its options",
    .details = "Example:\n  heteroopt list schedulers",
    .run = run,
};
