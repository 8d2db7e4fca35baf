/* estimate_share.c: kernels side by side: streams of one device, or devices on one memory.
 *
 * The replay shares fairly and lets everybody's rate change; here a kernel takes what those that started before it leave of its device's
 * compute, its device's port and its memory's bandwidth, until they end. Those are not slowed in return, so the work done per second is
 * right, who ends first is not always. */
#include <math.h>

#include "sim/estimate_state.h"

/* Drops what has ended and orders the rest by end: a handful at most (one per queue). */
static int32_t tidy(ho_est_running *r, int32_t n, double now) {
  int32_t kept = 0;
  for (int32_t i = 0; i < n; i++) {
    if (r[i].end <= now) continue;
    ho_est_running x = r[i];
    int32_t j = kept++;
    for (; j > 0 && r[j - 1].end > x.end; j--) r[j] = r[j - 1];
    r[j] = x;
  }
  return kept;
}

/* Share of its speed alone that `row` has beside running[from … n-1]. */
static double speed_beside(const ho_est_row *row, const ho_est_running *r, int32_t from, int32_t n) {
  double compute = 1, port = 1, draw = 1;
  for (int32_t i = from; i < n; i++) {
    draw -= r[i].draw;
    if (r[i].device != row->device) continue;
    compute -= r[i].compute;
    port -= r[i].port;
  }
  double speed = 1;
  if (row->more->compute > compute) speed = fmin(speed, compute / row->more->compute);
  if (row->more->port > port) speed = fmin(speed, port / row->more->port);
  if (row->more->draw > draw) speed = fmin(speed, draw / row->more->draw);
  return speed > 1e-9 ? speed : 0;
}

double ho_est_share(ho_estimate *e, const ho_est_node *x) {
  ho_est_running *r = e->running[x->memory];
  int32_t n = e->n_running[x->memory] = tidy(r, e->n_running[x->memory], x->kernel);
  double left = x->row->time, t = x->kernel, end = t + left;
  for (int32_t i = 0; i < n; i++) {
    double speed = speed_beside(x->row, r, i, n);
    end = left > 0 ? t + (speed > 0 ? left / speed : INFINITY) : t;
    if (end <= r[i].end) break;
    left -= (r[i].end - t) * speed;
    t = r[i].end;
    end = t + left;
  }
  r[e->n_running[x->memory]++] =
      (ho_est_running){end, x->row->more->compute, x->row->more->port, x->row->more->draw, x->row->device};
  return end;
}
