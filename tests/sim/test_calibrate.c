/* test_calibrate.c: fits to times with a known answer, to measured ones, and what bad files are told. The tables of docs/validation.md
 * are made here: HO_UPDATE_TABLES=1 writes them into the document instead of comparing. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/stream.h"
#include "hwprofiles/platform_yaml.h"
#include "sim/calibrate.h"

/* ---- known answers ---- */

static ho_device_info known(void) {
  ho_device_info d = {.name = "known", .bandwidth = 1e12, .memory_efficiency = 0.7, .launch_device = 4e-6, .saturation = 1e5};
  for (int f = 0; f < HO_N_FAMILIES; f++) d.efficiency[f] = 0.5;
  d.peak[HO_FP32] = 2e13;
  d.peak[HO_INT8] = 8e13;
  d.efficiency[HO_FAMILY_GEMM] = 0.8;
  d.efficiency[HO_FAMILY_CONV] = 0.35;
  d.efficiency_in[HO_INT8][HO_FAMILY_GEMM] = 0.25;
  return d;
}

static ho_device_info wrong(void) {
  ho_device_info d = known();
  d.memory_efficiency = 0.9;
  d.launch_device = 1e-6;
  d.saturation = 3e4;
  d.efficiency[HO_FAMILY_GEMM] = d.efficiency[HO_FAMILY_CONV] = 0.5;
  d.efficiency_in[HO_INT8][HO_FAMILY_GEMM] = 0;
  return d;
}

/* Times of the known device, every tenth (of each op) five times as long. */
static ho_kernel_times *made(int outliers) {
  static const struct {
    const char *op;
    ho_dtype precision;
    double intensity; /* FLOP/B */
  } kinds[] = {{"gemm", HO_FP32, 300}, {"gemm", HO_INT8, 1000}, {"conv", HO_FP32, 200}, {"relu", HO_FP32, 0.1}};
  const ho_device_info d = known();
  ho_stream r = ho_stream_small(7);
  ho_kernel_times *t = g_new0(ho_kernel_times, 1);
  t->n = 160;
  t->n_groups = 4;
  t->row = g_new0(ho_kernel_time, 160);
  for (int i = 0; i < 160; i++) {
    int k = i % 4;
    double bytes = exp(log(1e4) + ho_stream_uniform(&r) * log(1e5));
    t->row[i] = (ho_kernel_time){.op = g_strdup(kinds[k].op),
                                 .group = k,
                                 .family = ho_kernel_times_family(kinds[k].op),
                                 .precision = kinds[k].precision,
                                 .bytes = bytes,
                                 .flops = bytes * kinds[k].intensity,
                                 .parallelism = exp(log(1e3) + ho_stream_uniform(&r) * log(1e4))};
    t->row[i].seconds = ho_calibrate_predict(&d, &t->row[i]);
    if (outliers && i / 4 % 10 == 3) t->row[i].seconds *= 5;
  }
  return t;
}

#define NEAR(a, b, share) cr_expect_float_eq(a, b, (share) * (b), #a ": %g, expected %g", a, b)

static void recovers(int outliers) {
  g_autoptr(ho_kernel_times) t = made(outliers);
  const ho_device_info start = wrong(), truth = known();
  g_autoptr(GError) e = NULL;
  g_autoptr(ho_calibration) c = ho_calibrate(t, &start, 5, 1, "made", &e);
  cr_assert_not_null(c, "%s", e ? e->message : "");
  NEAR(c->device.efficiency[HO_FAMILY_GEMM], truth.efficiency[HO_FAMILY_GEMM], 0.02);
  NEAR(c->device.efficiency[HO_FAMILY_CONV], truth.efficiency[HO_FAMILY_CONV], 0.02);
  NEAR(c->device.efficiency_in[HO_INT8][HO_FAMILY_GEMM], 0.25, 0.02);
  NEAR(c->device.memory_of[HO_FAMILY_ELEMENTWISE], truth.memory_efficiency, 0.02);
  NEAR(c->device.launch_device, truth.launch_device, 0.02);
  NEAR(c->device.saturation, truth.saturation, 0.02);
  cr_expect_eq(c->device.efficiency[HO_FAMILY_POOL], 0.5, "no row tells of pooling");
  cr_expect_lt(c->after[4].mape, 0.25 * c->before[4].mape);
  cr_expect_lt(c->unseen[4].mape, 0.5 * c->before[4].mape);
  if (outliers) cr_expect_geq(c->set_aside, 16);
}

Test(calibrate, the_device_that_made_the_times_is_found) {
  recovers(0);
}

Test(calibrate, a_tenth_of_the_rows_five_times_too_long_changes_little) {
  recovers(1);
}

Test(calibrate, same_rows_and_seed_give_the_same_bits) {
  g_autoptr(ho_kernel_times) t = made(1);
  const ho_device_info start = wrong();
  g_autoptr(ho_calibration) a = ho_calibrate(t, &start, 5, 3, "made", NULL), b = ho_calibrate(t, &start, 5, 3, "made", NULL);
  cr_expect_eq(a->device.launch_device, b->device.launch_device);
  cr_expect_eq(a->unseen[4].mape, b->unseen[4].mape);
}

/* 1e9 FLOP at 2e13 · 0.8 take 62.5 us; 1e8 B at 1e12 · 0.7 take 142.857 us; 4 us of launch; a tenth of the device is ten times as slow. */
Test(calibrate, a_prediction_is_the_roofline_and_the_launch) {
  const ho_device_info d = known();
  ho_kernel_time t = {.family = HO_FAMILY_GEMM, .precision = HO_FP32, .flops = 1e9};
  cr_expect_float_eq(ho_calibrate_predict(&d, &t), 66.5e-6, 1e-12);
  t.parallelism = 1e4;
  cr_expect_float_eq(ho_calibrate_predict(&d, &t), 629e-6, 1e-12);
  t = (ho_kernel_time){.family = HO_FAMILY_GEMM, .precision = HO_FP32, .flops = 1e9, .bytes = 1e8};
  cr_expect_float_eq(ho_calibrate_predict(&d, &t), 4e-6 + 1e-4 / 0.7, 1e-12);
}

/* ---- a profile's own file ---- */

Test(calibrate, a_fitted_profile_reads_back_as_it_was) {
  g_autofree char *folder = g_dir_make_tmp("calibrate-XXXXXX", NULL), *file = g_build_filename(folder, "mine.yaml", NULL);
  ho_arena *arena = ho_arena_new();
  ho_device_info d, again;
  g_autoptr(GError) e = NULL;
  cr_assert(ho_profile_load("nvidia-v100-sxm2", NAN, arena, &d, &e), "%s", e ? e->message : "");
  d.efficiency[HO_FAMILY_GEMM] = 0.123456789;
  d.efficiency_in[HO_FP16][HO_FAMILY_GEMM] = 1.0 / 3;
  g_autofree char *text = ho_profile_to_yaml(&d, "mine", "a summary: with a colon");
  cr_assert(g_file_set_contents(file, text, -1, NULL));
  cr_assert(ho_profile_load(file, NAN, arena, &again, &e), "%s", e ? e->message : "");
  g_autofree char *twice = ho_profile_to_yaml(&again, "mine", "a summary: with a colon");
  cr_expect_str_eq(text, twice);
  cr_expect_eq(again.efficiency_in[HO_FP16][HO_FAMILY_GEMM], 1.0 / 3);
  cr_expect_eq(again.bandwidth, 897e9);
  ho_arena_free(arena);
  g_remove(file);
  g_rmdir(folder);
}

/* ---- bad files ---- */

static void refused(const char *text, const char *device, const char *expected) {
  g_autofree char *file = NULL;
  int fd = g_file_open_tmp("times-XXXXXX.csv", &file, NULL);
  cr_assert(fd >= 0 && g_close(fd, NULL) && g_file_set_contents(file, text, -1, NULL));
  g_autoptr(GError) e = NULL;
  ho_kernel_times *t = ho_kernel_times_read(file, device, &e);
  cr_assert_null(t, "accepted: %s", text);
  cr_expect_not_null(strstr(e->message, expected), "'%s' does not say '%s'", e->message, expected);
  cr_expect_null(strchr(e->message, '\n'));
  g_remove(file);
}

#define HEAD "op,precision,flops,bytes,time_us\n"

Test(calibrate, a_bad_file_is_told_line_and_column) {
  refused("", NULL, "empty");
  refused("op,precision,flops,bytes\n", NULL, "no column is called 'time_us'");
  refused("op,op,precision,flops,bytes,time_us\n", NULL, "each name once");
  refused(HEAD, NULL, "no rows");
  refused(HEAD "gemm,fp32,1,1,nan\n", NULL, ":2: time_us: found 'nan'");
  refused(HEAD "gemm,fp32,1,1,0\n", NULL, ":2: time_us: found '0', expected at least 1e-6");
  refused(HEAD "gemm,fp32,-1,1,1\n", NULL, ":2: flops: found '-1'");
  refused(HEAD "gemm,fp32,1,1e999,1\n", NULL, ":2: bytes: found '1e999'");
  refused(HEAD "gemm,fp32,1e25,1,1\n", NULL, ":2: flops: found '1e25', expected a number from 0 to 1e24");
  refused(HEAD "gemm,fp32,0,0,1\n", NULL, "flops or bytes above 0");
  refused(HEAD "gemm,fp33,1,1,1\n", NULL, ":2: precision: found 'fp33'");
  refused(HEAD "gemm,fp32,1,1\n", NULL, ":2: 4 fields, expected 5");
  refused(HEAD "\"gemm,fp32,1,1,1\n", NULL, ":2: a quoted field does not end");
  refused("device," HEAD "\"a, b\",gemm,fp32,1,1,1\nc,gemm,fp32,1,1,1\n", NULL, "rows of 2 devices");
  refused("device," HEAD "\"a, b\",gemm,fp32,1,1,1\nc,gemm,fp32,1,1,1\n", "a,b", "did you mean 'a, b'");
}

/* A linear layer of 1024 to 4096 features on 2 · 3 rows: 2 · 6 · 4096 · 1024 FLOP; 4 · (6 · 1024 + 1024 · 4096 + 6 · 4096) B. A product of 5 matrices
 * 7 × 11 and 11 × 13: 2 · 5 · 7 · 13 · 11 FLOP, 4 · 5 · (77 + 143 + 91) B. Views, sizes and dropouts launch nothing. */
Test(calibrate, an_operator_graph_gives_the_work_of_its_kernels) {
  g_autofree char *file = NULL;
  int fd = g_file_open_tmp("graph-XXXXXX.csv", &file, NULL);
  cr_assert(fd >= 0 && g_close(fd, NULL));
  cr_assert(g_file_set_contents(file,
                                "op,target,input_shapes,latency,output_shape,dtype\n"
                                "placeholder,x,[],0.0,\"(2, 3, 1024)\",torch.float32\n"
                                "call_method,view,\"[[2, 3, 1024]]\",0.01,\"(6, 1024)\",torch.float32\n"
                                "call_module,a.dropout,\"[[2, 3, 1024]]\",0.01,\"(2, 3, 1024)\",torch.float32\n"
                                "call_method,size,\"[[2, 3, 1024]]\",0.01,\"(1,)\",\n"
                                "call_module,a.dense,\"[[2, 3, 1024]]\",0.5,\"(2, 3, 4096)\",torch.float32\n"
                                "call_function,<built-in method matmul of type object at 0x1>,\"[[5, 7, 11], [5, 11, "
                                "13]]\",0.25,\"(5, 7, 13)\",torch.float32\n",
                                -1, NULL));
  g_autoptr(GError) e = NULL;
  g_autoptr(ho_kernel_times) t = ho_kernel_times_read(file, NULL, &e);
  cr_assert_not_null(t, "%s", e ? e->message : "");
  cr_assert_eq(t->n, 2);
  cr_expect_eq(t->row[0].flops, 50331648);
  cr_expect_eq(t->row[0].bytes, 4 * (6144 + 4194304 + 24576));
  cr_expect_eq(t->row[0].family, HO_FAMILY_GEMM);
  cr_expect_float_eq(t->row[0].seconds, 0.5e-3, 1e-12);
  cr_expect_eq(t->row[1].flops, 10010);
  cr_expect_eq(t->row[1].bytes, 6220);
  cr_expect_eq(t->row[1].family, HO_FAMILY_ATTENTION);
  g_remove(file);
  refused("op,target,input_shapes,latency,output_shape,dtype\ncall_module,a.fc,[[2]],x,(2),torch.float32\n", NULL,
          ":2: latency: found 'x'");
  refused("op,target,input_shapes,latency,output_shape,dtype\ncall_module,a.fc,[2x],1,(2),torch.float32\n", NULL,
          ":2: input_shapes");
}

Test(calibrate, too_few_rows_a_missing_peak_and_no_bandwidth_are_refused) {
  g_autoptr(ho_kernel_times) t = made(0);
  ho_device_info d = wrong();
  g_autoptr(GError) few = NULL, peak = NULL, bandwidth = NULL;
  d.peak[HO_INT8] = 0;
  cr_expect_null(ho_calibrate(t, &d, 5, 1, "made", &peak));
  cr_expect_not_null(strstr(peak->message, "no peak"));
  d = wrong();
  d.bandwidth = NAN;
  cr_expect_null(ho_calibrate(t, &d, 5, 1, "made", &bandwidth));
  cr_expect_not_null(strstr(bandwidth->message, "no bandwidth"));
  d = wrong();
  cr_expect_null(ho_calibrate(t, &d, 100, 1, "made", &few));
  cr_expect_not_null(strstr(few->message, "160 rows, expected at least 200"));
}

/* ---- measured times ---- */

/* Devices of kernel_times.csv that have a profile. */
static const struct {
  const char *device, *profile;
  double bandwidth; /* B/s; NAN: the profile's */
} measured[] = {{"NVIDIA T4", "nvidia-t4", 320e9},
                {"NVIDIA V100 (DGX-1 SXM2)", "nvidia-v100-sxm2", NAN},
                {"Tesla V100-PCIE-32GB", "nvidia-v100-pcie-32gb", NAN},
                {"NVIDIA A100-PCIE-40GB", "nvidia-a100-pcie-40gb", NAN},
                {"NVIDIA H100 80GB HBM3", "nvidia-h100-sxm", 3.35e12},
                {"AMD Instinct MI210", "amd-mi210", NAN}};

/* Error (a share) of a roofline whose efficiencies were fitted to half of all rows of that op (roofline_baseline_error.csv, the last field
 * but two of the line); NAN: none. */
static double baseline(const char *text, const char *device, const char *op, ho_dtype precision) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autofree char *start = g_strdup_printf(",%s,%s,%s", device, op, ho_dtype_name(precision));
  for (char **l = lines; *l; l++) {
    char *at = strstr(*l, start);
    if (!at || !strchr(",_(", at[strlen(start)])) continue;
    g_auto(GStrv) fields = g_strsplit(at + strlen(start), ",", -1);
    guint n = g_strv_length(fields);
    return g_ascii_strtod(fields[n - 3], NULL) / 100;
  }
  return NAN;
}

static void add_rows(GString *out, const ho_kernel_times *t, const ho_calibration *c, const char *file) {
  for (int32_t g = 0; g < t->n_groups; g++) {
    const ho_kernel_time *some = t->row;
    while (some->group != g) some++;
    double base = baseline(file, t->device, some->op, some->precision);
    g_string_append_printf(out, "| %s | %s | %s | %d | %.1f %% | %.3f | %.1f %% | %.1f %% | %.3f | ", t->device, some->op,
                           ho_dtype_name(some->precision), c->before[g].n, 100 * c->before[g].mape, c->before[g].spearman,
                           100 * c->after[g].mape, 100 * c->unseen[g].mape, c->unseen[g].spearman);
    if (isnan(base))
      g_string_append(out, "- | |\n");
    else
      g_string_append_printf(out, "%.1f %% | %s |\n", 100 * base,
                             c->unseen[g].mape <= base   ? "yes"
                             : c->before[g].mape <= base ? "profile only"
                                                         : "no");
  }
}

static char *shared_file(const char *name) {
  const char *shared = g_getenv("HO_SHARED"), *source = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *folder = shared ? g_strdup(shared) : g_build_filename(source ? source : ".", "..", "shared", NULL);
  char *file = g_build_filename(folder, "data", "hardware", name, NULL);
  if (!g_file_test(file, G_FILE_TEST_EXISTS)) cr_skip("no reference data: %s is absent", file);
  return file;
}

static char *kernel_table(const char *times, const char *published) {
  GString *out = g_string_new(
      "| device | op | precision | rows | profile | Spearman | fitted | unseen | Spearman | published | reached |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < G_N_ELEMENTS(measured); i++) {
    ho_arena *arena = ho_arena_new();
    ho_device_info d;
    g_autoptr(GError) e = NULL;
    cr_assert(ho_profile_load(measured[i].profile, measured[i].bandwidth, arena, &d, &e), "%s", e ? e->message : "");
    g_autoptr(ho_kernel_times) t = ho_kernel_times_read(times, measured[i].device, &e);
    cr_assert_not_null(t, "%s", e ? e->message : "");
    g_autoptr(ho_calibration) c = ho_calibrate(t, &d, 5, 1, times, &e);
    cr_assert_not_null(c, "%s", e ? e->message : "");
    cr_expect_leq(c->after[t->n_groups].mape, c->before[t->n_groups].mape, "%s: the fit is worse than the profile", t->device);
    add_rows(out, t, c, published);
    ho_arena_free(arena);
  }
  return g_string_free(out, FALSE);
}

static char *replaced(const char *document, const char *name, const char *table) {
  g_autofree char *mark = g_strdup_printf("<!-- table %s -->\n", name);
  const char *start = strstr(document, mark), *end = start ? strstr(start, "<!-- end -->") : NULL;
  cr_assert_not_null(end, "docs/validation.md has no place for table %s", name);
  start += strlen(mark);
  return g_strdup_printf("%.*s%s%s", (int)(start - document), document, table, end);
}

/* Compares the document with what it would be, or writes it. */
static void hold(const char *name, const char *table) {
  g_autofree char *file = g_build_filename(g_getenv("HO_TEST_SRCDIR"), "docs", "validation.md", NULL), *before = NULL;
  cr_assert(g_file_get_contents(file, &before, NULL, NULL));
  g_autofree char *after = replaced(before, name, table);
  if (g_getenv("HO_UPDATE_TABLES"))
    cr_assert(g_file_set_contents(file, after, -1, NULL));
  else
    cr_expect_str_eq(before, after, "run this test with HO_UPDATE_TABLES=1 and look at what changed");
}

Test(calibrate, the_table_of_measured_kernels_is_what_the_fit_reaches) {
  g_autofree char *times = shared_file("kernel_times.csv"), *name = shared_file("roofline_baseline_error.csv"), *published = NULL;
  cr_assert(g_file_get_contents(name, &published, NULL, NULL));
  g_autofree char *table = kernel_table(times, published);
  hold("kernels", table);
}

/* ---- operator graphs ---- */

static const struct {
  int device; /* of `measured` */
  const char *file;
} graphs[] = {{3, "NVIDIA_A100-PCIE-40GB"}, {5, "AMD_Instinct_MI210"}, {0, "Tesla_T4"}, {2, "Tesla_V100-PCIE-32GB"}};

static void add_graph_row(GString *out, const char *device, const char *what, ho_calibrate_error e) {
  g_string_append_printf(out, "| %s | %s | %d | %.1f %% | %.3f | %.3f |\n", device, what, e.n, 100 * e.mape, e.spearman, e.total);
}

static void add_graph(GString *out, size_t i, const char *times) {
  const char *device = measured[graphs[i].device].device;
  g_autofree char *name = g_strdup_printf("opgraphs/%s__bert_large-inf-512-8.csv", graphs[i].file), *file = shared_file(name);
  ho_arena *arena = ho_arena_new();
  ho_device_info d;
  g_autoptr(GError) e = NULL;
  cr_assert(ho_profile_load(measured[graphs[i].device].profile, measured[graphs[i].device].bandwidth, arena, &d, &e));
  g_autoptr(ho_kernel_times) kernels = ho_kernel_times_read(times, device, &e), t = ho_kernel_times_read(file, NULL, &e);
  cr_assert(kernels && t, "%s", e ? e->message : "");
  g_autoptr(ho_calibration) micro = ho_calibrate(kernels, &d, 5, 1, times, &e), own = ho_calibrate(t, &d, 5, 1, file, &e);
  cr_assert(micro && own, "%s", e ? e->message : "");
  add_graph_row(out, device, "profile", ho_calibrate_error_of(&d, t));
  add_graph_row(out, device, "fitted to kernels, unseen graph", ho_calibrate_error_of(&micro->device, t));
  add_graph_row(out, device, "fitted to the graph, unseen ops", own->unseen[t->n_groups]);
  cr_expect_lt(own->unseen[t->n_groups].mape, own->before[t->n_groups].mape, "%s: fits to ops do not help with other ops",
               device);
  ho_arena_free(arena);
}

Test(calibrate, the_table_of_operator_graphs_is_what_the_cost_model_reaches) {
  g_autofree char *times = shared_file("kernel_times.csv");
  g_autoptr(GString) out =
      g_string_new("| device | predicted by | ops | error | Spearman | predicted / measured, all |\n|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < G_N_ELEMENTS(graphs); i++) add_graph(out, i, times);
  hold("operator graphs", out->str);
}
