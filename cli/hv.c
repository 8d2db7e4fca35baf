/* hv.c: `heteroopt hv`: exact hypervolumes of fronts in a text file.
 *
 * One point per line, numbers separated by commas or blanks; `#` starts a comment; a blank line (or one with only a comment after
 * points) starts another front. All objectives are minimised. */
#include <math.h>
#include <string.h>

#include "base/fileio.h"
#include "base/units.h"
#include "cli/command.h"
#include "results/archive.h"
#include "results/hypervolume.h"

#define MOST_OBJECTIVES 4

typedef struct {
  const char *file;
  int32_t d; /* objectives */
  double reference[MOST_OBJECTIVES];
  GString *out;
  json_t *list; /* NULL: text */
} hv_job;

/* Where the next number begins, after blanks and, between two numbers, one comma or semicolon at most. */
static const char *next_number(const char *p, int32_t n_before) {
  p += strspn(p, " \t\r");
  if (n_before > 0 && (*p == ',' || *p == ';')) p += 1 + strspn(p + 1, " \t\r");
  return p;
}

/* Reads the numbers of a line. Returns how many, or -1 with an error. */
static int32_t read_numbers(const char *line, double *v, int32_t most, const char *where, GError **error) {
  int32_t n = 0;
  for (const char *p = next_number(line, n); *p; p = next_number(p, n)) {
    size_t length = strcspn(p, " \t\r,;");
    g_autofree char *word = g_strndup(p, length);
    double x;
    if (!ho_double_parse(word, &x, NULL)) {
      ho_fail(error, HO_ERROR_INPUT, "%s: '%s' is not a number", where, word);
      return -1;
    }
    if (n == most) {
      ho_fail(error, HO_ERROR_INPUT, "%s: more than %d numbers, expected one per objective of --ref", where, (int)most);
      return -1;
    }
    v[n++] = x;
    p += length;
  }
  return n;
}

static void finish_front(const hv_job *job, GArray *points) {
  int32_t n = (int32_t)(points->len / (guint)job->d);
  const double *v = (const double *)(const void *)points->data;
  double volume = ho_hypervolume(v, n, job->d, job->reference);
  if (job->list) {
    g_autofree uint8_t *keep = g_malloc0((size_t)n + 1);
    ho_nondominated(v, n, job->d, keep);
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) kept += keep[i];
    json_array_append_new(job->list,
                          json_pack("{s:f, s:i, s:i}", "hypervolume", volume, "points", (int)n, "nondominated", (int)kept));
  } else {
    g_string_append_printf(job->out, "%.17g\n", volume);
  }
  g_array_set_size(points, 0);
}

static gboolean measure(const hv_job *job, char *text, GError **error) {
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(double));
  gboolean any = FALSE;
  int line_number = 0;
  for (char *line = text, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    line_number++;
    gboolean comment = strchr(line, '#') != NULL;
    line[strcspn(line, "#")] = 0;
    g_autofree char *where = g_strdup_printf("%s:%d", job->file, line_number);
    double v[MOST_OBJECTIVES];
    int32_t n = read_numbers(line, v, job->d, where, error);
    if (n < 0) return FALSE;
    if (n == 0) { /* a comment line does not end a front, a blank one does */
      if (!comment && points->len) finish_front(job, points);
      continue;
    }
    if (n != job->d) return ho_fail(error, HO_ERROR_INPUT, "%s: %d numbers, expected %d as in --ref", where, (int)n, (int)job->d);
    g_array_append_vals(points, v, (guint)n);
    any = TRUE;
  }
  if (points->len || !any) finish_front(job, points); /* a file without points is one empty front */
  return TRUE;
}

static gboolean read_reference(hv_job *job, const char *text, GError **error) {
  g_autoptr(GError) local = NULL;
  job->d = read_numbers(text, job->reference, MOST_OBJECTIVES, "--ref", &local);
  if (job->d < 1) return ho_cli_usage(error, "%s", local ? local->message : "--ref: expected numbers such as 1,1 or 2,2,1");
  return TRUE;
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_autofree char *reference = NULL, *text = NULL;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"ref", 'r', 0, G_OPTION_ARG_STRING, &reference, "reference point, one number per objective (1 to 4)", "x,y[,z…]"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, "print [{\"hypervolume\",\"points\",\"nondominated\"},…]", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  if (!reference) return ho_cli_usage(error, "hv: --ref is missing: the point up to which volume counts, such as --ref 2,2,1");
  hv_job job = {.file = argv[1], .out = out};
  if (!read_reference(&job, reference, error) || !ho_file_read(argv[1], &text, NULL, error)) return FALSE;
  if (json) job.list = json_array();
  if (!measure(&job, text, error)) {
    json_decref(job.list);
    return FALSE;
  }
  if (json) ho_cli_json(out, job.list);
  return TRUE;
}

const ho_command ho_command_hv = {
    .name = "hv",
    .arguments = "FILE|- --ref x,y[,z…]",
    .summary = "exact hypervolume of fronts in a text file",
    .details =
        "FILE has one point per line, separated by commas or blanks; # starts a comment, a blank line another\n"
        "front. Objectives are minimised. Prints one value per front, 17 significant digits.\n\n"
        "Example:\n"
        "  printf '1,3\\n2,2\\n3,1\\n' | heteroopt hv - --ref 4,4",
    .run = run,
};
