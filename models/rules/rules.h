/* rules.h: the rules there are. Not installed. */
#ifndef HO_MODELS_RULES_RULES_H
#define HO_MODELS_RULES_RULES_H

#include "models/rewrite.h"

extern const ho_rewrite_rule ho_rewrite_rule_fuse, ho_rewrite_rule_group, ho_rewrite_rule_remove, ho_rewrite_rule_fold,
    ho_rewrite_rule_split, ho_rewrite_rule_recompute, ho_rewrite_rule_offload;

#endif
