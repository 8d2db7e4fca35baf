/* rules.c: the one table of rewrite rules; see rewrite.h. */
#include <string.h>

#include "models/rules/rules.h"

const ho_rewrite_rule *const ho_rewrite_rules[] = {
    &ho_rewrite_rule_fuse,  &ho_rewrite_rule_group,     &ho_rewrite_rule_remove,  &ho_rewrite_rule_fold,
    &ho_rewrite_rule_split, &ho_rewrite_rule_recompute, &ho_rewrite_rule_offload, NULL};

const ho_rewrite_rule *ho_rewrite_rule_find(const char *name) {
  for (int i = 0; ho_rewrite_rules[i]; i++)
    if (strcmp(ho_rewrite_rules[i]->name, name) == 0) return ho_rewrite_rules[i];
  return NULL;
}
