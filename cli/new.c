/* new.c: `heteroopt new`: a commented file to start from. Never overwrites. */
#include <string.h>

#include "base/fileio.h"
#include "cli/command.h"
#include "experiments/config.h"
#include "hwprofiles/platform_yaml.h"

/* "papers/mine.yaml" gives "mine". */
static char *stem(const char *file) {
  char *base = g_path_get_basename(file);
  char *dot = strrchr(base, '.');
  if (dot && dot != base) *dot = 0;
  return base;
}

static gboolean write_scheduler(const char *file, GString *out, GError **error) {
  g_autofree char *example = ho_data_file("examples/exec", "heft", ".py"), *text = NULL;
  size_t length = 0;
  if (!example) return ho_fail(error, HO_ERROR_IO, "examples/exec/heft.py is not installed");
  if (!ho_file_read(example, &text, &length, error) || !ho_file_write(file, text, length, error)) return FALSE;
  g_string_append_printf(out, "wrote %s\nnext: heteroopt try 'exec:python3 %s' --selftest\n", file, file);
  return TRUE;
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  gboolean platform = FALSE, scheduler = FALSE;
  const GOptionEntry entries[] = {
      {"platform", 0, 0, G_OPTION_ARG_NONE, &platform, "a platform instead of an experiment", NULL},
      {"scheduler", 0, 0, G_OPTION_ARG_NONE, &scheduler, "a scheduler in Python that works already (HEFT)", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *file = argv[1];
  if (g_file_test(file, G_FILE_TEST_EXISTS))
    return ho_fail(error, HO_ERROR_INPUT, "%s: exists already, and is left as it is", file);
  if (platform && scheduler) return ho_cli_usage(error, "new: --platform and --scheduler are two things: expected one");
  if (scheduler) return write_scheduler(file, out, error);
  g_autofree char *name = stem(file);
  g_autofree char *text = platform ? ho_platform_template(name) : ho_config_template(name);
  if (!ho_file_write(file, text, strlen(text), error)) return FALSE;
  g_string_append_printf(out, "wrote %s\n", file);
  g_string_append_printf(out, platform ? "next: heteroopt platform info %s\n" : "next: heteroopt check %s\n", file);
  return TRUE;
}

const ho_command ho_command_new = {
    .name = "new",
    .arguments = "FILE",
    .summary = "write a commented config, platform or scheduler to start from",
    .details =
        "Examples:\n"
        "  heteroopt new mypaper.yaml\n"
        "  heteroopt new --platform myserver.yaml\n"
        "  heteroopt new --scheduler mine.py",
    .run = run,
};
