/* read_text.h: platforms out of texts, for the tests. */
#ifndef TESTS_HWPROFILES_READ_TEXT_H
#define TESTS_HWPROFILES_READ_TEXT_H

#include "hwprofiles/platform_yaml.h"

/* The platform of a text that is called p.yaml in messages. */
static inline ho_platform *read_text(const char *text, GError **error) {
  g_autoptr(ho_yaml) y = ho_yaml_from_text("p.yaml", text);
  return ho_platform_from_yaml(y, error);
}

#endif
