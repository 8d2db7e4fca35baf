/* peer.h: a scheduling problem reduced to what another simulator needs: ops with fixed places and order, tensors that travel.
 *
 * Plain C, without any of the project's types, so that an adapter to another simulator needs nothing else. Everything is in SI units. */
#ifndef HO_BENCH_PEERS_PEER_H
#define HO_BENCH_PEERS_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int n_hosts;
  int n_channels;                    /* link directions that transfers share */
  const double *bandwidth, *latency; /* by channel */
  const int *route_start, *route;    /* channels from host a to b: route[route_start[a * n_hosts + b] …] */
  int n_ops;                         /* each host runs its ops one at a time, in order of index */
  const int *host;                   /* by op */
  const double *seconds, *bytes;     /* by op; bytes: of the tensor it makes, which crosses once to each host that reads it */
  const int *reader_start, *reader;  /* ops that read what op i makes: reader[reader_start[i] …], all later than i */
} ho_peer_case;

/* Runs it in SimGrid; finish[op] in s. Once per process: SimGrid's engine cannot be made twice. */
void ho_peer_simgrid(const ho_peer_case *c, double *finish);

#ifdef __cplusplus
}
#endif

#endif
