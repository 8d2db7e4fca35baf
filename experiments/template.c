/* template.c: what `heteroopt new` writes: commented files that work as they stand. */
#include <string.h>

#include "experiments/config.h"

static const char experiment[] =
    "# One file = one experiment.   heteroopt check @.yaml | heteroopt run @.yaml | heteroopt compare @.db\n"
    "# Every key: docs/experiments.md. Paths are relative to this file.\n"
    "format: heteroopt-experiment/1\n"
    "name: @            # -> @.db and @-out/ beside this file\n"
    "seed: 1            # the only seed; every stream of random numbers is hashed from it\n"
    "replicates: 5      # runs per problem of schedulers that draw random numbers; the others run once (n=1)\n"
    "\n"
    "workloads:         # built-in models (heteroopt list models) or files: - ../models/mine.onnx\n"
    "  - resnet50:batch=1\n"
    "  - resnet50:batch=8\n"
    "modes: [inference]                # or training; lists multiply: workloads x modes x platforms\n"
    "platforms: [workstation, edge-soc]  # installed ones (heteroopt list platforms) or files: ./mine.yaml\n"
    "# exclude:         # combinations to leave out, printed as a dash with the reason\n"
    "#   - {workload: resnet50, mode: training, platform: edge-soc, why: nobody trains it there}\n"
    "\n"
    "objectives: [latency, energy, memory]\n"
    "memory: tightest   # or total, accelerator: what the objective memory measures\n"
    "frame: payoff      # or near, absolute, union: what hypervolumes are measured in\n"
    "budget: {evaluations: 1000}       # whole plans scored per run\n"
    "checkpoints: 12    # fronts kept on the way, at log-spaced evaluations\n"
    "replays: {times: 20, noise: 0.05} # noisy replays of every plan found, for P50 and P95; also: model_error: 0.2\n"
    "\n"
    "schedulers:        # heteroopt list schedulers; set = the options that `schedule --set` takes\n"
    "  - {use: single-fastest}\n"
    "  - {use: greedy-rules}\n"
    "  - {use: heft, label: HEFT}      # label = the name in tables and plots\n"
    "  - {use: random}\n"
    "  - {use: nsga2, label: NSGA-II, set: [population=50, init=heuristics]}\n"
    "portfolios:        # schedulers that leave one plan compete as a set\n"
    "  - {label: Lists, of: [single-fastest, greedy-rules, HEFT]}\n";

static const char platform[] =
    "# A platform: memories, the devices that compute out of them, and the links between.   heteroopt platform info @.yaml\n"
    "# Every key: docs/platforms.md. Numbers are SI base units; suffixes such as 80GB, 32GB/s, 5us, 400W are read too.\n"
    "format: heteroopt-platform/1\n"
    "name: @\n"
    "memories:\n"
    "  - {name: host, capacity: 128GB, bandwidth: 100GB/s}\n"
    "  - {name: hbm0, capacity: 40GB, bandwidth: 1.5TB/s}\n"
    "switches: [root]\n"
    "devices:\n"
    "  - {name: cpu, profile: intel-xeon-8380, memory: host}   # heteroopt list devices; any key can be overridden here\n"
    "  - name: accelerator                                     # or written out in full\n"
    "    kind: generic          # cpu | gpu | npu | fpga | dsp | generic\n"
    "    memory: hbm0\n"
    "    peak: {fp32: 20e12, fp16: 160e12}                     # FLOP/s\n"
    "    efficiency: {gemm: 0.8, conv: 0.6, default: 0.5, memory: 0.8}\n"
    "    saturation: 100000     # parallel work items that fill it\n"
    "    launch: {mode: async, host: 4us, device: 1us}\n"
    "    streams: 2\n"
    "    sharing: spatial       # exclusive: one kernel at a time\n"
    "    copy_engines: 1\n"
    "    power: {idle: 30, busy: 50, peak: 300, per_flop: {fp32: 5e-12, fp16: 1e-12}, per_byte: 60e-12}\n"
    "links:\n"
    "  - {name: pcie0, ends: [host, root], bandwidth: 32GB/s, latency: 1us, duplex: full, energy: 10e-12}\n"
    "  - {name: pcie1, ends: [root, hbm0], bandwidth: 32GB/s, latency: 0, duplex: full}\n"
    "host: host\n"
    "contention: fair\n";

/* `text` with `name` in place of every '@'. */
static char *filled(const char *text, const char *name) {
  g_auto(GStrv) parts = g_strsplit(text, "@", -1);
  return g_strjoinv(name, parts);
}

char *ho_config_template(const char *name) {
  return filled(experiment, name);
}
char *ho_platform_template(const char *name) {
  return filled(platform, name);
}
