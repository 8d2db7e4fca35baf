/* test_trace_times.c: the times of a profile laid over a graph. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "models/trace_times.h"

static ho_graph *with_times(const ho_graph *g, const ho_bindings *bindings) {
  g_autofree char *trace = sample_path("kineto.json");
  g_autoptr(GError) error = NULL;
  ho_graph *timed = ho_graph_with_times(g, trace, bindings, &error);
  cr_assert_not_null(timed, "%s", error ? error->message : "");
  return timed;
}

Test(trace_times, an_op_has_the_median_of_its_events_by_device) {
  g_autoptr(ho_graph) g = read_sample("simgrid.dot"), h = with_times(g, NULL);
  cr_assert_eq(time_on(h, "left", "gpu0"), 3.5e-6, "of 3.5, 2.5 and 100 µs");
  cr_assert_eq(time_on(h, "left", "cpu"), 40e-6);
  cr_assert_eq(time_on(h, "right", "cpu"), 8e-6, "ONNX Runtime's name for it");
  cr_assert_eq(time_on(h, "join", "npu1"), 6e-6, "the name of the process");
  cr_assert_eq(h->op[ho_graph_find_op(h, "load")].n_times, -1, "not in the trace: the cost model decides");
  cr_assert_not_null(strstr(h->note, "measured times of 3 of 6 ops from kineto.json (1 events have the name of no op)"), "%s",
                     h->note);
}

Test(trace_times, devices_given_take_the_place_of_those_in_the_trace) {
  const char *const device[] = {"npu0", NULL};
  ho_bindings on_npu = {.n_devices = 1, .device = device};
  g_autoptr(ho_graph) g = read_sample("simgrid.dot"), h = with_times(g, &on_npu);
  cr_assert_eq(time_on(h, "left", "npu0"), (3.5e-6 + 40e-6) / 2, "the median of four");
  cr_assert_eq(h->n_time_devices, 1);
}

Test(trace_times, times_of_other_devices_stay) {
  g_autofree char *message = NULL;
  const char *text = "digraph { left [size=1, time=\"tpu=0.5;cpu=0.25\"] }";
  g_autoptr(ho_graph) g = read_bytes(text, strlen(text), ".dot", &message), h = with_times(g, NULL);
  cr_assert_eq(time_on(h, "left", "tpu"), 0.5);
  cr_assert_eq(time_on(h, "left", "cpu"), 40e-6);
}

Test(trace_times, nothing_else_of_the_graph_changes) {
  g_autoptr(ho_graph) g = ho_graph_load("resnet18:mode=training", NULL, NULL, NULL);
  g_autofree char *trace = NULL;
  int fd = g_file_open_tmp("ho-trace-XXXXXX.json", &trace, NULL);
  g_autofree char *text = g_strdup_printf("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"dur\":2}]", g->op[3].name);
  cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  g_autoptr(ho_graph) h = ho_graph_with_times(g, trace, NULL, NULL);
  cr_assert_not_null(h);
  cr_assert_eq(time_on(h, g->op[3].name, "gpu0"), 2e-6);
  g_unlink(trace);
  cr_assert(h->n_ops == g->n_ops && h->n_tensors == g->n_tensors && h->n_edges == g->n_edges);
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_tensor_info *a = &g->tensor[t], *b = &h->tensor[t];
    cr_assert(a->bytes == b->bytes && a->role == b->role && a->alias == b->alias && a->rank == b->rank &&
              a->is_output == b->is_output);
  }
  for (ho_op o = 0; o < g->n_ops; o++) cr_assert(g->op[o].flops == h->op[o].flops && g->op[o].read == h->op[o].read);
}

static void expect_trace_refused(const char *text, const char *part) {
  g_autofree char *trace = NULL;
  int fd = g_file_open_tmp("ho-trace-XXXXXX.json", &trace, NULL);
  cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  g_autoptr(ho_graph) g = read_sample("simgrid.dot");
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_with_times(g, trace, NULL, &error));
  g_unlink(trace);
  cr_assert(g_str_has_prefix(error->message, trace) && !strchr(error->message, '\n'), "%s", error->message);
  cr_assert_not_null(strstr(error->message, part), "'%s' is not in: %s", part, error->message);
}

Test(trace_times, a_trace_of_something_else_is_refused) {
  expect_trace_refused("[{\"ph\":\"X\",\"name\":\"gemm\",\"dur\":1}]", "none of its 1 events has the name of an op of 'six'");
  expect_trace_refused("{\"traceEvents\": []}", "none of its 0 events");
  expect_trace_refused("{\"ops\": []}", "traceEvents is missing");
  expect_trace_refused("{\"traceEvents\": [{\"ph\":\"X\",\"name\":\"left\",\"dur\":-1}]}", "traceEvents[0].dur");
  expect_trace_refused("{\"traceEvents\": [{\"ph\":\"X\",\"name\":\"left\"}]}", "dur");
  expect_trace_refused("{\"traceEvents\": [3]}", "traceEvents[0]: expected an event");
  expect_trace_refused("{\"traceEvents\": [{\"ph\":\"X\",", "not JSON");
}

Test(trace_times, a_trace_is_no_graph) {
  expect_refused("{\"schemaVersion\": 1, \"traceEvents\": []}", ".json", "a profiler's trace has times and no graph");
}
