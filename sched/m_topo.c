/* m_topo.c: devices are filled one after the other, in topological order.
 *
 * Source: Jeon, Cai, Hu, Wu & Kim, "Baechi: Fast device placement of machine learning graphs", SoCC 2020 (m-TOPO).
 * An op's memory is its outputs, its workspace and its weights. Each device takes, in topological order, as many ops as fit into the mean memory per
 * device plus that of the largest op; then comes the next device, in platform order.
 * Where the paper is silent, its devices being alike: an op that the device cannot run goes where it finishes first and takes no memory here.
 * Capacities are not looked at, as there. Ops are issued by upward rank. Costs as in heft.c.
 * Complexity: as HEFT. Options: none. Ties: the lower index. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/list.h"

static double bytes_of(const ho_graph *g, ho_op o) {
  double bytes = (double)g->op[o].workspace;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) bytes += (double)g->tensor[g->out[i]].bytes;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
    if (g->tensor[g->in[i]].role == HO_ROLE_WEIGHT) bytes += (double)g->tensor[g->in[i]].bytes;
  return bytes;
}

static ho_op topo_fill(ho_list *l) {
  const ho_costs *c = l->c;
  g_autofree int16_t *device = g_new(int16_t, (size_t)c->n_ops + 1);
  double sum = 0, most = 0, used = 0;
  for (ho_op o = 0; o < c->n_ops; o++) {
    sum += bytes_of(c->g, o);
    most = fmax(most, bytes_of(c->g, o));
  }
  double limit = sum / c->n_devices + most;
  ho_device d = 0;
  for (int32_t k = 0; k < c->n_ops; k++) {
    ho_op o = c->g->topo[k];
    double bytes = bytes_of(c->g, o);
    if (used + bytes > limit && d + 1 < c->n_devices) {
      d++;
      used = 0;
    }
    device[o] = (int16_t)d;
    if (isfinite(c->time[(int64_t)o * c->n_devices + d])) used += bytes;
  }
  return ho_list_by_devices(l, device);
}

static int topo_run(ho_search *s) {
  return ho_list_run(s, topo_fill);
}

const ho_scheduler ho_scheduler_m_topo = {
    HO_LIST_SCHEDULER,
    .name = "m-topo",
    .summary = "devices are filled evenly, one after the other, in topological order",
    .source = "Jeon et al., Baechi, SoCC 2020",
    .run = topo_run,
};
