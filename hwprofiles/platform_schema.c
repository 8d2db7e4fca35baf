/* platform_schema.c: see platform_schema.h. The keys here are the keys that docs/platforms.md explains. */
#include "hwprofiles/platform_schema.h"

#define OPTIONAL (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)
#define TEXT(key, type, member) CYAML_FIELD_STRING_PTR(key, OPTIONAL, type, member, 0, CYAML_UNLIMITED)
#define REQUIRED_TEXT(key, type, member) CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, type, member, 1, CYAML_UNLIMITED)
#define WORD(key, type, member, words) \
  CYAML_FIELD_ENUM_PTR(key, OPTIONAL | CYAML_FLAG_STRICT, type, member, words, CYAML_ARRAY_LEN(words))

static const cyaml_strval_t kinds[] = {{"cpu", HO_DEVICE_CPU},   {"gpu", HO_DEVICE_GPU}, {"npu", HO_DEVICE_NPU},
                                       {"fpga", HO_DEVICE_FPGA}, {"dsp", HO_DEVICE_DSP}, {"generic", HO_DEVICE_GENERIC}};
static const cyaml_strval_t modes[] = {{"async", HO_LAUNCH_ASYNC}, {"sync", HO_LAUNCH_SYNC}, {"graph", HO_LAUNCH_GRAPH}};
static const cyaml_strval_t sharings[] = {{"exclusive", HO_SHARING_EXCLUSIVE}, {"spatial", HO_SHARING_SPATIAL}};
static const cyaml_strval_t duplexes[] = {
    {"full", HO_DUPLEX_FULL}, {"half", HO_DUPLEX_HALF}, {"simplex", HO_DUPLEX_SIMPLEX}, {"fat", HO_DUPLEX_FAT}};
static const cyaml_strval_t contentions[] = {
    {"fair", HO_CONTENTION_FAIR}, {"serial", HO_CONTENTION_SERIAL}, {"none", HO_CONTENTION_NONE}};
static const cyaml_strval_t dispatchers[] = {{"per_device", HO_DISPATCH_PER_DEVICE}, {"one", HO_DISPATCH_ONE}};
static const cyaml_strval_t idles[] = {{"used", HO_IDLE_USED}, {"all", HO_IDLE_ALL}};

static const cyaml_schema_value_t name_entry = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED)};
static const cyaml_schema_value_t pair_entry = {CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_POINTER, char *, &name_entry, 2)};

static const cyaml_schema_field_t precision_fields[] = {TEXT("fp64", ho_raw_precisions, at[HO_FP64]),
                                                        TEXT("fp32", ho_raw_precisions, at[HO_FP32]),
                                                        TEXT("tf32", ho_raw_precisions, at[HO_TF32]),
                                                        TEXT("bf16", ho_raw_precisions, at[HO_BF16]),
                                                        TEXT("fp16", ho_raw_precisions, at[HO_FP16]),
                                                        TEXT("fp8", ho_raw_precisions, at[HO_FP8]),
                                                        TEXT("int8", ho_raw_precisions, at[HO_INT8]),
                                                        TEXT("int4", ho_raw_precisions, at[HO_INT4]),
                                                        CYAML_FIELD_END};

#define FAMILY(key, f) TEXT(key, ho_raw_efficiency, family[f])
#define FAMILIES                                                                                                        \
  FAMILY("default", HO_FAMILY_DEFAULT), FAMILY("gemm", HO_FAMILY_GEMM), FAMILY("conv", HO_FAMILY_CONV),                 \
      FAMILY("depthwise", HO_FAMILY_DEPTHWISE), FAMILY("attention", HO_FAMILY_ATTENTION),                               \
      FAMILY("recurrent", HO_FAMILY_RECURRENT), FAMILY("norm", HO_FAMILY_NORM), FAMILY("softmax", HO_FAMILY_SOFTMAX),   \
      FAMILY("elementwise", HO_FAMILY_ELEMENTWISE), FAMILY("pool", HO_FAMILY_POOL), FAMILY("reduce", HO_FAMILY_REDUCE), \
      FAMILY("gather", HO_FAMILY_GATHER), FAMILY("scatter", HO_FAMILY_SCATTER), FAMILY("data", HO_FAMILY_DATA)
static const cyaml_schema_field_t efficiency_fields[] = {FAMILIES, TEXT("memory", ho_raw_efficiency, memory), CYAML_FIELD_END};
static const cyaml_schema_field_t family_fields[] = {FAMILIES, CYAML_FIELD_END};

#define IN(key, p) CYAML_FIELD_MAPPING_PTR(key, OPTIONAL, ho_raw_efficiency_in, at[p], family_fields)
static const cyaml_schema_field_t efficiency_in_fields[] = {IN("fp64", HO_FP64), IN("fp32", HO_FP32), IN("tf32", HO_TF32),
                                                            IN("bf16", HO_BF16), IN("fp16", HO_FP16), IN("fp8", HO_FP8),
                                                            IN("int8", HO_INT8), IN("int4", HO_INT4), CYAML_FIELD_END};

static const cyaml_schema_field_t supports_fields[] = {
    CYAML_FIELD_SEQUENCE("kinds", OPTIONAL, ho_raw_supports, kinds, &name_entry, 1, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("except", OPTIONAL, ho_raw_supports, except, &name_entry, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("precisions", OPTIONAL, ho_raw_supports, precisions, &name_entry, 1, CYAML_UNLIMITED), CYAML_FIELD_END};

static const cyaml_schema_field_t launch_fields[] = {WORD("mode", ho_raw_launch, mode, modes), TEXT("host", ho_raw_launch, host),
                                                     TEXT("device", ho_raw_launch, device), CYAML_FIELD_END};

static const cyaml_schema_field_t power_fields[] = {
    TEXT("idle", ho_raw_power, idle),
    TEXT("busy", ho_raw_power, busy),
    TEXT("peak", ho_raw_power, peak),
    TEXT("off", ho_raw_power, off),
    CYAML_FIELD_MAPPING_PTR("per_flop", OPTIONAL, ho_raw_power, per_flop, precision_fields),
    TEXT("per_byte", ho_raw_power, per_byte),
    CYAML_FIELD_END};

static const cyaml_schema_field_t point_fields[] = {REQUIRED_TEXT("name", ho_raw_point, name),
                                                    REQUIRED_TEXT("speed", ho_raw_point, speed),
                                                    REQUIRED_TEXT("power", ho_raw_point, power), CYAML_FIELD_END};
static const cyaml_schema_value_t point_entry = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_point, point_fields)};

/* What profiles and the devices of a platform have in common. */
#define DEVICE_FIELDS                                                                                                         \
  WORD("kind", ho_raw_device, kind, kinds), CYAML_FIELD_MAPPING_PTR("peak", OPTIONAL, ho_raw_device, peak, precision_fields), \
      CYAML_FIELD_MAPPING_PTR("efficiency", OPTIONAL, ho_raw_device, efficiency, efficiency_fields),                          \
      CYAML_FIELD_MAPPING_PTR("efficiency_memory", OPTIONAL, ho_raw_device, efficiency_memory, family_fields),                \
      CYAML_FIELD_MAPPING_PTR("efficiency_in", OPTIONAL, ho_raw_device, efficiency_in, efficiency_in_fields),                 \
      TEXT("bandwidth", ho_raw_device, bandwidth), TEXT("saturation", ho_raw_device, saturation),                             \
      CYAML_FIELD_MAPPING_PTR("error", OPTIONAL, ho_raw_device, error, precision_fields),                                     \
      CYAML_FIELD_MAPPING_PTR("supports", OPTIONAL, ho_raw_device, supports, supports_fields),                                \
      CYAML_FIELD_MAPPING_PTR("launch", OPTIONAL, ho_raw_device, launch, launch_fields),                                      \
      CYAML_FIELD_UINT_PTR("streams", OPTIONAL, ho_raw_device, streams), WORD("sharing", ho_raw_device, sharing, sharings),   \
      CYAML_FIELD_UINT_PTR("copy_engines", OPTIONAL, ho_raw_device, copy_engines),                                            \
      CYAML_FIELD_MAPPING_PTR("power", OPTIONAL, ho_raw_device, power, power_fields),                                         \
      CYAML_FIELD_SEQUENCE("points", OPTIONAL, ho_raw_device, points, &point_entry, 0, CYAML_UNLIMITED),                      \
      TEXT("reconfigure", ho_raw_device, reconfigure), TEXT("measured_with", ho_raw_device, measured_with),                   \
      CYAML_FIELD_BOOL_PTR("estimated", OPTIONAL, ho_raw_device, estimated)

static const cyaml_schema_field_t profile_fields[] = {REQUIRED_TEXT("format", ho_raw_device, format),
                                                      REQUIRED_TEXT("name", ho_raw_device, name),
                                                      TEXT("summary", ho_raw_device, summary), DEVICE_FIELDS, CYAML_FIELD_END};
const cyaml_schema_value_t ho_profile_schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, ho_raw_device, profile_fields)};

static const cyaml_schema_field_t device_fields[] = {
    REQUIRED_TEXT("name", ho_raw_device, name), TEXT("profile", ho_raw_device, profile),
    REQUIRED_TEXT("memory", ho_raw_device, memory), DEVICE_FIELDS, CYAML_FIELD_END};
static const cyaml_schema_value_t device_entry = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_device, device_fields)};

static const cyaml_schema_field_t memory_fields[] = {REQUIRED_TEXT("name", ho_raw_memory, name),
                                                     REQUIRED_TEXT("capacity", ho_raw_memory, capacity),
                                                     REQUIRED_TEXT("bandwidth", ho_raw_memory, bandwidth), CYAML_FIELD_END};
static const cyaml_schema_value_t memory_entry = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_memory, memory_fields)};

static const cyaml_schema_field_t link_fields[] = {
    REQUIRED_TEXT("name", ho_raw_link, name),
    CYAML_FIELD_SEQUENCE_FIXED("ends", CYAML_FLAG_POINTER, ho_raw_link, ends, &name_entry, 2),
    REQUIRED_TEXT("bandwidth", ho_raw_link, bandwidth),
    TEXT("latency", ho_raw_link, latency),
    WORD("duplex", ho_raw_link, duplex, duplexes),
    TEXT("energy", ho_raw_link, energy),
    CYAML_FIELD_END};
static const cyaml_schema_value_t link_entry = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, ho_raw_link, link_fields)};

static const cyaml_schema_field_t platform_fields[] = {
    REQUIRED_TEXT("format", ho_raw_platform, format),
    REQUIRED_TEXT("name", ho_raw_platform, name),
    TEXT("summary", ho_raw_platform, summary),
    CYAML_FIELD_SEQUENCE("memories", CYAML_FLAG_POINTER, ho_raw_platform, memories, &memory_entry, 1, 512),
    CYAML_FIELD_SEQUENCE("switches", OPTIONAL, ho_raw_platform, switches, &name_entry, 0, 512),
    CYAML_FIELD_SEQUENCE("devices", CYAML_FLAG_POINTER, ho_raw_platform, devices, &device_entry, 1, 10000),
    CYAML_FIELD_SEQUENCE("links", OPTIONAL, ho_raw_platform, links, &link_entry, 0, 10000),
    TEXT("host", ho_raw_platform, host),
    CYAML_FIELD_SEQUENCE("peer_to_peer", OPTIONAL, ho_raw_platform, peer_to_peer, &pair_entry, 0, CYAML_UNLIMITED),
    WORD("contention", ho_raw_platform, contention, contentions),
    WORD("dispatchers", ho_raw_platform, dispatchers, dispatchers),
    WORD("count_idle", ho_raw_platform, count_idle, idles),
    CYAML_FIELD_END};
const cyaml_schema_value_t ho_platform_schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, ho_raw_platform, platform_fields)};
