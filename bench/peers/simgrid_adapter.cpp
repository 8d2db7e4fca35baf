/* simgrid_adapter.cpp: runs a case in SimGrid (Casanova et al., JPDC 74(10), 2014), through s4u.
 *
 * One actor per host executes its ops in order, each when all it reads is there; a transfer is a communication between two hosts, created when
 * the tensor has been made. The network model is CM02 (max-min sharing) without its corrections for TCP: factors 1, no limit by window size,
 * no weights by bandwidth, no traffic against the flow. CM02 weights flows by the latency of their routes, so cases have equal ones. The
 * precisions are tightened: by default, events closer than 1e-9 s and shares closer than 1e-5 become one. Rates are solved in full: in 3.32, the
 * default (Lazy) leaves a flow at half of a link whose other flow is limited elsewhere when the latencies of both end together. */
#include <xbt/log.h>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "bench/peers/peer.h"

namespace sg4 = simgrid::s4u;

namespace {

class Run {
 public:
  Run(const ho_peer_case *c, double *finish) : c(c), finish(finish), missing(c->n_ops, 0) {
    make_platform();
    for (int i = 0; i < c->n_ops; i++) ready.push_back(sg4::Semaphore::create(0));
    for (int k = 0; k < c->reader_start[c->n_ops]; k++) missing[c->reader[k]]++;
    for (int h = 0; h < c->n_hosts; h++) sg4::Actor::create("device", host[h], [this, h] { work_off(h); });
  }

 private:
  const ho_peer_case *c;
  double *finish;
  std::vector<sg4::Host *> host;
  std::vector<sg4::SemaphorePtr> ready; /* by op: released once for each tensor that it reads */
  std::vector<int> missing;

  void make_platform() {
    auto *zone = sg4::create_full_zone("platform");
    std::vector<sg4::Link *> link;
    for (int k = 0; k < c->n_channels; k++)
      link.push_back(zone->create_link("link" + std::to_string(k), c->bandwidth[k])->set_latency(c->latency[k])->seal());
    for (int h = 0; h < c->n_hosts; h++) host.push_back(zone->create_host("host" + std::to_string(h), 1e9)->seal());
    for (int a = 0; a < c->n_hosts; a++)
      for (int b = 0; b < c->n_hosts; b++) {
        if (a == b) continue;
        std::vector<sg4::LinkInRoute> route;
        int pair = a * c->n_hosts + b;
        for (int k = c->route_start[pair]; k < c->route_start[pair + 1]; k++) route.emplace_back(link[c->route[k]]);
        zone->add_route(host[a]->get_netpoint(), host[b]->get_netpoint(), nullptr, nullptr, route, false);
      }
    zone->seal();
  }

  void work_off(int h) {
    for (int i = 0; i < c->n_ops; i++) {
      if (c->host[i] != h) continue;
      for (int k = 0; k < missing[i]; k++) ready[i]->acquire();
      sg4::this_actor::execute(c->seconds[i] * 1e9);
      finish[i] = sg4::Engine::get_clock();
      send(i);
    }
  }

  /* What op i has made, to each host where somebody reads it. */
  void send(int i) {
    std::vector<bool> sent(c->n_hosts, false);
    for (int k = c->reader_start[i]; k < c->reader_start[i + 1]; k++) {
      int to = c->host[c->reader[k]];
      if (sent[to]) continue;
      sent[to] = true;
      if (to == c->host[i])
        arrive(i, to);
      else
        sg4::Actor::create("transfer", host[to], [this, i, to] {
          sg4::Comm::sendto(host[c->host[i]], host[to], static_cast<uint64_t>(c->bytes[i]));
          arrive(i, to);
        });
    }
  }

  void arrive(int i, int at) {
    for (int k = c->reader_start[i]; k < c->reader_start[i + 1]; k++)
      if (c->host[c->reader[k]] == at) ready[c->reader[k]]->release();
  }
};

}  // namespace

void ho_peer_simgrid(const ho_peer_case *c, double *finish) {
  char name[] = "peer";
  char *argv[] = {name, nullptr};
  int argc = 1;
  sg4::Engine engine(&argc, argv);
  xbt_log_control_set("xbt_cfg.thres:warning");
  for (const char *setting :
       {"network/model:CM02", "network/optim:Full", "network/latency-factor:1", "network/bandwidth-factor:1",
        "network/TCP-gamma:0", "network/weight-S:0", "network/crosstraffic:0", "surf/precision:1e-14", "maxmin/precision:1e-12"})
    sg4::Engine::set_config(setting);
  Run run(c, finish);
  engine.run();
}
