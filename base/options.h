/* options.h: typed options of a plug-in (scheduler, model builder, policy): declared once, used by --help, `list`, the
 * config reader and the plug-in.
 *
 * A table of ho_option ends with an entry whose name is NULL. Values are given as "name=value" texts; what is not given has
 * its default. No GLib type appears here: the table is part of the plug-in interface. */
#ifndef HO_BASE_OPTIONS_H
#define HO_BASE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HO_OPTION_INT, HO_OPTION_DOUBLE, HO_OPTION_CHOICE, HO_OPTION_STRING } ho_option_type;

typedef struct {
  const char *name;
  ho_option_type type;
  const char *initial;        /* default, as text */
  double min, max;            /* inclusive range of int and double; both 0: any finite value */
  const char *const *choices; /* of HO_OPTION_CHOICE, NULL-terminated: yes/no options are choices too */
  const char *help;           /* one line */
} ho_option;

typedef union {
  int64_t i;      /* int; index of a choice */
  double d;
  const char *s;  /* string, or the text of a choice is choices[i] */
} ho_option_value;

typedef struct ho_options ho_options; /* values for a table, owned by whoever parsed them */

#ifdef __cplusplus
}
#endif

#endif
