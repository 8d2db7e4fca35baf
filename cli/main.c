/* main.c: finds the sub-command and hands over; writes its results and turns its error into an exit status.
 *
 * Exit status: 0 done, 1 the input or plan is at fault, 2 wrong usage, 3 an internal fault. */
#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "config.h"

/* Every sub-command, in the order in which --help lists them. */
static const ho_command *const commands[] = {
    &ho_command_run,      &ho_command_check, &ho_command_new,       &ho_command_schedule,
    &ho_command_shapes,   &ho_command_try,   &ho_command_simulate,  &ho_command_graph,
    &ho_command_platform, &ho_command_list,  &ho_command_compare,   &ho_command_plot,
    &ho_command_hv,       &ho_command_bench, &ho_command_calibrate, &ho_command_adversary, NULL,
};

static const ho_command *find(const char *name) {
  for (int i = 0; commands[i]; i++)
    if (!strcmp(commands[i]->name, name)) return commands[i];
  return NULL;
}

static void append_help(GString *out) {
  g_string_append(out,
                  "Usage: heteroopt COMMAND [OPTION…] …\n\n"
                  "Simulates and searches schedules of deep-learning graphs on unlike devices: which operator runs\n"
                  "where, in which order, at what latency, energy and peak memory.\n\nCommands:\n");
  for (int i = 0; commands[i]; i++) g_string_append_printf(out, "  %-12s%s\n", commands[i]->name, commands[i]->summary);
  g_string_append(out,
                  "\nOptions:\n"
                  "  --help      show this text; heteroopt COMMAND --help shows a command's\n"
                  "  --version   show the version\n\n"
                  "Results go to standard output, everything else to standard error. Exit status: 0 done, 1 the\n"
                  "input is at fault, 2 wrong usage, 3 an internal fault.\n");
}

static gboolean unknown_command(const char *word, GError **error) {
  const char *names[G_N_ELEMENTS(commands)] = {NULL};
  for (int i = 0; commands[i]; i++) names[i] = commands[i]->name;
  const char *near = ho_did_you_mean(word, names);
  const char *what = word[0] == '-' ? "option" : "command";
  if (near) return ho_cli_usage(error, "unknown %s '%s' (did you mean '%s'?)", what, word, near);
  return ho_cli_usage(error, "unknown %s '%s': heteroopt --help lists them", what, word);
}

static gboolean dispatch(int argc, char **argv, GString *out, GError **error) {
  if (argc < 2) return ho_cli_usage(error, "a command is missing: heteroopt --help lists them");
  const char *word = argv[1];
  if (!strcmp(word, "--version")) {
    g_string_append(out, PACKAGE_STRING "\n");
    return TRUE;
  }
  if (!strcmp(word, "--help") || !strcmp(word, "-h") || (!strcmp(word, "help") && argc == 2)) {
    append_help(out);
    return TRUE;
  }
  const ho_command *command = find(word);
  if (!command) return unknown_command(word, error);
  g_autofree char *program = g_strdup_printf("heteroopt %s", word);
  argv[1] = program;
  return command->run(command, argc - 1, argv + 1, out, error);
}

/* Writes everything, or says what the system answered. A reader that went away is an error too: what follows is lost. */
static gboolean write_all(const GString *out, GError **error) {
  for (size_t done = 0; done < out->len;) {
    ssize_t n = write(STDOUT_FILENO, out->str + done, out->len - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ho_fail(error, HO_ERROR_IO, "standard output: %s", g_strerror(errno));
    done += (size_t)n;
  }
  return TRUE;
}

/* A descriptor that the caller closed must not be given to a database or a plan: what is printed would end up in it. */
static void occupy_standard_descriptors(void) {
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1) return;
}

int main(int argc, char **argv) {
  occupy_standard_descriptors();
  signal(SIGPIPE, SIG_IGN); /* these two come back as errors of the write */
  signal(SIGXFSZ, SIG_IGN);
  setlocale(LC_CTYPE, ""); /* file names and messages in the user's encoding; numbers stay in the C locale */
  gsl_set_error_handler_off();
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GError) error = NULL;
  if (dispatch(argc, argv, out, &error) && write_all(out, &error)) return 0;
  int status = error ? ho_error_exit_status(error) : 3;
  fprintf(stderr, "heteroopt: %s\n", error ? error->message : "failed without a reason");
  return status;
}
