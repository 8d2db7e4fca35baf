/* table.h: the comparison table of a database: one row per problem, one column per contender.
 *
 * First block: an indicator, as median and interquartile range over replicates, in one frame per problem that the head line names;
 * the best median of a row is marked. Deterministic contenders stand with n = 1 and no range. A cell that was excluded is a dash,
 * one without a value says why: OOM (memory cannot hold it), failed k/n, open (not run yet). Second block: least latency, energy and memory
 * of each contender, raw, since an indicator says nothing about its size. Reasons are printed below. */
#ifndef HO_EXPERIMENTS_TABLE_H
#define HO_EXPERIMENTS_TABLE_H

#include "results/store.h"

G_BEGIN_DECLS

typedef enum { HO_TABLE_TEXT, HO_TABLE_CSV, HO_TABLE_JSON, HO_TABLE_LATEX } ho_table_format;

typedef struct {
  const char *study;     /* NULL: all, one after the other */
  const char *frame;     /* kind; NULL: each study's own */
  const char *indicator; /* NULL: "hv". Also "epsilon", "igd_plus", and columns of the view results: "latency", "slr", … */
  ho_table_format format;
  const char *against; /* label of a baseline that all others are compared with, instead of the table (text and CSV); NULL */
} ho_table_setup;

/* The name of a format ("text", "csv", "json", "latex"), or -1. */
int ho_table_format_parse(const char *name);

/* The whole table as text that ends with a newline; g_free. NULL on error. */
char *ho_table(ho_store *s, const ho_table_setup *setup, GError **error);

G_END_DECLS

#endif
