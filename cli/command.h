/* command.h: what a sub-command is, and how it reads its options.
 *
 * One const struct per sub-command, in a file of its own, listed in the one table of main.c. A command puts its results into `out`;
 * main writes them to standard output once the command has succeeded, so a failed command prints nothing but its error line.
 * Everything for people that is not a result goes to standard error (ho_cli_note). */
#ifndef HO_CLI_COMMAND_H
#define HO_CLI_COMMAND_H

#include <glib.h>
#include <jansson.h>

#include "base/error.h"

typedef struct ho_command {
  const char *name;
  const char *arguments; /* what follows the name in the usage line */
  const char *summary;   /* one line */
  const char *details;   /* shown below the options: what it does, and an example that works as written */
  gboolean (*run)(const struct ho_command *self, int argc, char **argv, GString *out, GError **error);
} ho_command;

typedef enum { HO_CLI_GO, HO_CLI_DONE, HO_CLI_WRONG } ho_cli_parsed;

/* Reads options out of argv[1…]; what is left in argv[1…] are the `least` to `most` operands. HO_CLI_DONE: --help was asked for and is in
 * `out`. HO_CLI_WRONG: *error says what (HO_ERROR_USAGE). */
ho_cli_parsed ho_cli_parse(const ho_command *self, const GOptionEntry *entries, int *argc, char **argv, int least, int most,
                           GString *out, GError **error);

/* A usage error; always FALSE. */
gboolean ho_cli_usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Position of `word` among `names`, or -1 with a usage error that names the option and the choices. */
int ho_cli_choice(const char *option, const char *word, const char *const *names, GError **error);

/* Option values given as text: a whole number from `least` to `most`, or a number of at least `least`. A NULL text leaves *value as it is. */
gboolean ho_cli_int(const char *option, const char *text, gint64 least, gint64 most, gint64 *value, GError **error);
gboolean ho_cli_uint(const char *option, const char *text, guint64 *value, GError **error);
gboolean ho_cli_double(const char *option, const char *text, double least, double most, double *value, GError **error);

/* One line on standard error, for people. */
void ho_cli_note(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Appends a JSON value as text, and a line feed. Takes the reference. */
void ho_cli_json(GString *out, json_t *value);
/* A JSON number of a quantity that is usually whole: an integer when it is one. */
json_t *ho_cli_number(double value);

/* Every sub-command. */
extern const ho_command ho_command_run, ho_command_check, ho_command_new, ho_command_schedule, ho_command_simulate,
    ho_command_graph, ho_command_platform, ho_command_list, ho_command_compare, ho_command_plot, ho_command_hv, ho_command_bench,
    ho_command_shapes, ho_command_try, ho_command_calibrate, ho_command_adversary;

#endif
