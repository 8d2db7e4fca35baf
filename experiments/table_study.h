/* table_study.h: one study's numbers as a grid of problems and contenders, before they are worded. Private to experiments/. */
#ifndef HO_EXPERIMENTS_TABLE_STUDY_H
#define HO_EXPERIMENTS_TABLE_STUDY_H

#include <jansson.h>

#include "experiments/table.h"
#include "results/store_query.h"

typedef struct {
  const char *study;
  const char *indicator; /* "hv", … */
  gboolean in_frame;     /* the indicator belongs to a frame */
  char *frame;           /* its kind; NULL when it does not */
  gboolean larger_is_better;
  int32_t n_rows, n_columns;
  char **problem;             /* n_rows: those that run, then those that are excluded */
  char **label;               /* n_columns */
  const char **why;           /* n_rows: reason of an excluded problem, else NULL */
  ho_memory_measure *measure; /* n_rows: what memory is there */
  char **undefined;           /* n_rows: reason why the frame is undefined, else NULL */
  char **note;                /* n_rows: what else there is to say about the frame, or NULL */
  ho_cell **cell;             /* n_rows × n_columns; NULL: nothing there */
  uint8_t *best;              /* n_rows × n_columns: 1 when its median is printed as the best of the row is, and some is not */
  ho_cell **raw[HO_N_OBJECTIVES]; /* likewise: least latency, energy, memory */
  GPtrArray *owners;              /* what holds the cells */
} ho_table_study;

ho_table_study *ho_table_study_new(ho_store *s, const char *study, const ho_table_setup *setup, GError **error);
void ho_table_study_free(ho_table_study *t); /* NULL is allowed */

/* Why a cell has no value: "OOM", "failed 3/10", "open"; "-" for what was left out, "undefined" without a frame. g_free. */
char *ho_table_status(const ho_table_study *t, int32_t row, int32_t column);

/* Writers: append to `out`. */
void ho_table_write_text(const ho_table_study *t, GString *out);
void ho_table_write_ranking(const ho_table_study *t, GString *out); /* nothing for one problem, or two contenders */
void ho_table_write_latex(const ho_table_study *t, GString *out);
void ho_table_write_csv(const ho_table_study *t, GString *out);
json_t *ho_table_to_json(const ho_table_study *t); /* new reference */

/* Every contender against the one called `label` (table_against.c), as text or CSV. FALSE with an error when there is none of that name. */
gboolean ho_table_write_against(ho_store *s, const ho_table_study *t, const char *label, ho_table_format format, GString *out,
                                GError **error);
#define HO_TABLE_AGAINST_HEAD "study,problem,scheduler,against,indicator,frame,ratio,p,a12,energy_saved,memory_saved\n"

/* A field of CSV, quoted as RFC 4180 wants it, where it must be. */
void ho_table_add_field(GString *out, const char *text);
/* A comma and a number that reads back to the same bits; NAN: an empty field. */
void ho_table_add_number(GString *out, double value);

/* Decimal digits as people read them, in any locale: three after the point for indicators, four significant ones otherwise. */
char *ho_table_number(const ho_table_study *t, double value);
/* The interquartile range of a cell, to the decimals that its median has. */
char *ho_table_range(const ho_table_study *t, const ho_cell *c);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_table_study, ho_table_study_free)

#endif
