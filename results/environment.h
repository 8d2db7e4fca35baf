/* environment.h: on what a result was computed: program, compiler, libraries, processor, kernel.
 *
 * Measured seconds mean little without it, and should two machines ever give different bits, it says where to look. It names no host and
 * no user. Same machine, same build: same text and digest. */
#ifndef HO_RESULTS_ENVIRONMENT_H
#define HO_RESULTS_ENVIRONMENT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  char *json;   /* one object, compact: program, version, commit, compiler, flags, libraries, os, kernel, cpu, … */
  char *digest; /* SHA-256 of the text */
} ho_environment;

/* What cannot be found out is "unknown"; never fails. */
ho_environment *ho_environment_capture(void);
void ho_environment_free(ho_environment *e); /* NULL is allowed */

/* Commit of the sources this was built from, with "+changes" when they differed from it; "unknown" without a repository. */
const char *ho_build_commit(void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_environment, ho_environment_free)

G_END_DECLS

#endif
