/* explain.c: see explain.h. */
#include "cli/explain.h"

#include "base/units.h"

const char *ho_cli_bottleneck_name(ho_bottleneck b) {
  const char *const names[] = {"compute", "transfer", "launch", "memory"};
  return names[b];
}

static ho_link busiest_link(const ho_problem *q, const ho_replay_result *r) {
  ho_link best = -1;
  for (ho_link l = 0; l < q->platform->n_links; l++)
    if (r->link[l].busy > 0 && (best < 0 || r->link[l].busy > r->link[best].busy)) best = l;
  return best;
}

/* The transfer that spent longest between being possible and being done, beyond what it takes alone. */
static int32_t longest_wait(const ho_problem *q, const ho_replay_result *r, double *wait) {
  int32_t worst = -1;
  *wait = 0;
  for (int32_t i = 0; i < r->n_transfers; i++) {
    const ho_replay_transfer *t = &r->transfer[i];
    double lost = t->end - t->requested - ho_copy_time(q->platform, t->from, t->to, t->bytes);
    if (lost > *wait * (1 + 1e-9) && lost > 1e-12) {
      worst = i;
      *wait = lost;
    }
  }
  return worst;
}

void ho_cli_explain(const ho_problem *q, const ho_replay_result *r, GString *out) {
  const ho_platform *p = q->platform;
  double makespan = r->figures.latency, path = ho_problem_critical_path(q);
  g_string_append_printf(out, "  bottleneck: %s;", ho_cli_bottleneck_name(r->bottleneck));
  for (int b = 0; b < 4; b++)
    g_string_append_printf(out, "%s %s %.0f %%", b ? "," : " critical path:", ho_cli_bottleneck_name((ho_bottleneck)b),
                           makespan > 0 ? 100 * r->share[b] / makespan : 0.0);
  g_string_append_c(out, '\n');
  ho_link l = busiest_link(q, r);
  if (l >= 0) {
    g_autofree char *bytes = ho_unit_format(r->link[l].bytes, HO_UNIT_BYTES);
    g_string_append_printf(out, "  busiest link: %s, %s, busy %.0f %% of the time\n", p->link[l].name, bytes,
                           100 * r->link[l].busy / makespan);
  } else {
    g_string_append(out, "  busiest link: none, nothing crosses memories\n");
  }
  double wait;
  int32_t t = longest_wait(q, r, &wait);
  if (t >= 0) {
    g_autofree char *bytes = ho_unit_format(r->transfer[t].bytes, HO_UNIT_BYTES);
    g_autofree char *lost = ho_unit_format(wait, HO_UNIT_SECONDS);
    g_string_append_printf(out, "  longest wait: %s (%s) from %s to %s arrives %s later than alone\n",
                           q->graph->tensor[r->transfer[t].tensor].name, bytes, p->memory[r->transfer[t].from].name,
                           p->memory[r->transfer[t].to].name, lost);
  }
  g_autofree char *bound = ho_unit_format(path, HO_UNIT_SECONDS);
  if (path > 0) g_string_append_printf(out, "  fastest critical path: %s, latency is %.3g times that\n", bound, makespan / path);
  for (ho_device d = 0; d < p->n_devices; d++)
    g_string_append_printf(out, "%s%s %.0f %%", d ? ", " : "  devices busy: ", p->device[d].name, 100 * r->device[d].utilisation);
  g_string_append_c(out, '\n');
}

json_t *ho_cli_explain_json(const ho_problem *q, const ho_replay_result *r) {
  json_t *share = json_object(), *busy = json_object();
  for (int b = 0; b < 4; b++) json_object_set_new(share, ho_cli_bottleneck_name((ho_bottleneck)b), json_real(r->share[b]));
  for (ho_device d = 0; d < q->platform->n_devices; d++)
    json_object_set_new(busy, q->platform->device[d].name, json_real(r->device[d].utilisation));
  json_t *j = json_pack("{s:s, s:o, s:f, s:o}", "bottleneck", ho_cli_bottleneck_name(r->bottleneck), "critical_path", share,
                        "fastest_path", ho_problem_critical_path(q), "utilisation", busy);
  ho_link l = busiest_link(q, r);
  if (l >= 0)
    json_object_set_new(
        j, "busiest_link",
        json_pack("{s:s, s:f, s:f}", "name", q->platform->link[l].name, "bytes", r->link[l].bytes, "busy", r->link[l].busy));
  return j;
}
