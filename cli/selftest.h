/* selftest.h: what `heteroopt try --selftest` asks of a scheduler in a process of its own. */
#ifndef HO_CLI_SELFTEST_H
#define HO_CLI_SELFTEST_H

#include <glib.h>

#include "sim/problem.h"

/* Runs every test on problem q and the examples that are installed; one line per test into `out`. FALSE when one failed. */
gboolean ho_cli_selftest(const char *command, const ho_problem *q, double timeout, const char *const *set, GString *out,
                         GError **error);

#endif
