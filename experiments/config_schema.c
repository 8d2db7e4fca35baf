/* config_schema.c: the keys of heteroopt-experiment/1, for libcyaml. See config_schema.h. */
#include "experiments/config_schema.h"

/* A scalar, and a list of scalars, of member and key NAME. */
#define TEXT(type, member) CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_OPTIONAL, type, member, 0, CYAML_UNLIMITED)
#define TEXTS(type, member) \
  CYAML_FIELD_SEQUENCE(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, &text, 0, CYAML_UNLIMITED)
#define LIST(type, member, entry) \
  CYAML_FIELD_SEQUENCE(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, entry, 0, CYAML_UNLIMITED)
#define PART(type, member, fields) CYAML_FIELD_MAPPING_PTR(#member, CYAML_FLAG_OPTIONAL, type, member, fields)

static const cyaml_schema_value_t text = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t exclusion_fields[] = {TEXT(ho_raw_exclusion, workload), TEXT(ho_raw_exclusion, mode),
                                                        TEXT(ho_raw_exclusion, platform), TEXT(ho_raw_exclusion, why),
                                                        CYAML_FIELD_END};
static const cyaml_schema_value_t exclusion = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_exclusion, exclusion_fields)};

static const cyaml_schema_field_t budget_fields[] = {TEXT(ho_raw_budget, evaluations), TEXT(ho_raw_budget, seconds),
                                                     CYAML_FIELD_END};

static const cyaml_schema_field_t replays_fields[] = {TEXT(ho_raw_replays, times), TEXT(ho_raw_replays, noise),
                                                      TEXT(ho_raw_replays, model_error), CYAML_FIELD_END};

static const cyaml_schema_field_t scheduler_fields[] = {TEXT(ho_raw_scheduler, use),       TEXT(ho_raw_scheduler, label),
                                                        TEXTS(ho_raw_scheduler, set),      TEXTS(ho_raw_scheduler, files),
                                                        TEXT(ho_raw_scheduler, timeout),   TEXT(ho_raw_scheduler, keep),
                                                        TEXTS(ho_raw_scheduler, rewrites), CYAML_FIELD_END};
static const cyaml_schema_value_t scheduler = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_scheduler, scheduler_fields)};

static const cyaml_schema_field_t portfolio_fields[] = {TEXT(ho_raw_portfolio, label), TEXTS(ho_raw_portfolio, of),
                                                        CYAML_FIELD_END};
static const cyaml_schema_value_t portfolio = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_portfolio, portfolio_fields)};

static const cyaml_schema_field_t sweep_fields[] = {TEXT(ho_raw_sweep, path), TEXT(ho_raw_sweep, label),
                                                    TEXTS(ho_raw_sweep, values), CYAML_FIELD_END};
static const cyaml_schema_value_t sweep_entry = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_sweep, sweep_fields)};

static const cyaml_schema_field_t study_fields[] = {TEXT(ho_raw_study, name),
                                                    TEXTS(ho_raw_study, workloads),
                                                    TEXTS(ho_raw_study, modes),
                                                    TEXTS(ho_raw_study, platforms),
                                                    TEXTS(ho_raw_study, only),
                                                    TEXTS(ho_raw_study, without),
                                                    LIST(ho_raw_study, sweep, &sweep_entry),
                                                    LIST(ho_raw_study, zip, &sweep_entry),
                                                    CYAML_FIELD_END};
static const cyaml_schema_value_t study = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_study, study_fields)};

static const cyaml_schema_field_t output_fields[] = {
    TEXT(ho_raw_output, table),   TEXT(ho_raw_output, figure), TEXT(ho_raw_output, study),  TEXT(ho_raw_output, kind),
    TEXT(ho_raw_output, problem), TEXT(ho_raw_output, x),      TEXT(ho_raw_output, y),      TEXT(ho_raw_output, against),
    TEXT(ho_raw_output, test),    TEXT(ho_raw_output, adjust), TEXTS(ho_raw_output, value), CYAML_FIELD_END};
static const cyaml_schema_value_t output = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_output, output_fields)};

static const cyaml_schema_field_t config_fields[] = {TEXT(ho_raw_config, format),
                                                     TEXT(ho_raw_config, name),
                                                     TEXT(ho_raw_config, seed),
                                                     TEXT(ho_raw_config, replicates),
                                                     TEXTS(ho_raw_config, workloads),
                                                     TEXTS(ho_raw_config, modes),
                                                     TEXTS(ho_raw_config, platforms),
                                                     LIST(ho_raw_config, exclude, &exclusion),
                                                     TEXTS(ho_raw_config, objectives),
                                                     TEXT(ho_raw_config, memory),
                                                     TEXT(ho_raw_config, frame),
                                                     PART(ho_raw_config, budget, budget_fields),
                                                     TEXT(ho_raw_config, checkpoints),
                                                     PART(ho_raw_config, replays, replays_fields),
                                                     LIST(ho_raw_config, schedulers, &scheduler),
                                                     LIST(ho_raw_config, portfolios, &portfolio),
                                                     LIST(ho_raw_config, studies, &study),
                                                     LIST(ho_raw_config, outputs, &output),
                                                     CYAML_FIELD_END};

const cyaml_schema_value_t ho_config_schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, ho_raw_config, config_fields)};
