/* test_routes.c: the ways between memories, against routes drawn by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/hwprofiles/read_text.h"

#define HEAD                                                                                                                  \
  "format: heteroopt-platform/1\nname: p\n"                                                                                   \
  "memories: [{name: a, capacity: 1, bandwidth: 1}, {name: b, capacity: 1, bandwidth: 1}, {name: c, capacity: 1, bandwidth: " \
  "1}]\n"                                                                                                                     \
  "switches: [s, t]\ndevices: [{name: d, memory: a}]\n"

/* "x>y<z": the links from one memory to another, in order, each with its direction; "-" when there is no way. Caller frees. */
static char *way(const ho_platform *p, const char *from, const char *to) {
  const ho_route *r = ho_platform_route(p, ho_platform_find_memory(p, from), ho_platform_find_memory(p, to));
  if (!r->reachable) return g_strdup("-");
  GString *s = g_string_new(NULL);
  for (int32_t i = 0; i < r->n; i++)
    g_string_append_printf(s, "%s%c", p->link[r->hop[i].link].name, r->hop[i].backward ? '<' : '>');
  return g_string_free(s, FALSE);
}

static void expect_ways(const char *links, const char *const *expected) {
  g_autofree char *text = g_strconcat(HEAD, links, NULL);
  g_autoptr(GError) e = NULL;
  g_autoptr(ho_platform) p = read_text(text, &e);
  cr_assert_not_null(p, "%s", e ? e->message : "");
  for (; *expected; expected += 3) {
    g_autofree char *found = way(p, expected[0], expected[1]);
    cr_expect_str_eq(found, expected[2], "%s to %s: %s, expected %s\n%s", expected[0], expected[1], found, expected[2], links);
  }
}

Test(routes, the_least_latency_wins_over_fewer_links) {
  expect_ways(
      "links: [{name: x, ends: [a, b], bandwidth: 1, latency: 5us}, {name: y, ends: [a, s], bandwidth: 1, latency: 1us},\n"
      "        {name: z, ends: [s, b], bandwidth: 1, latency: 2us}]\n",
      (const char *const[]){"a", "b", "y>z>", "b", "a", "z<y<", "a", "a", "", "a", "c", "-", NULL});
}

Test(routes, fewer_links_win_at_equal_latency) {
  expect_ways(
      "links: [{name: y, ends: [a, s], bandwidth: 1, latency: 1us}, {name: z, ends: [s, b], bandwidth: 1, latency: 1us},\n"
      "        {name: x, ends: [a, b], bandwidth: 1, latency: 2us}]\n",
      (const char *const[]){"a", "b", "x>", "b", "a", "x<", NULL});
}

Test(routes, the_lowest_link_index_wins_at_equal_length_and_both_ways_agree) {
  expect_ways("links: [{name: x, ends: [a, b], bandwidth: 1}, {name: y, ends: [a, b], bandwidth: 9}]\n",
              (const char *const[]){"a", "b", "x>", "b", "a", "x<", NULL});
  /* links 0 and 3 by way of s, 1 and 2 by way of t */
  expect_ways(
      "links: [{name: w, ends: [a, s], bandwidth: 1}, {name: x, ends: [a, t], bandwidth: 1}, {name: y, ends: [t, b], bandwidth: "
      "1},\n"
      "        {name: z, ends: [s, b], bandwidth: 1}]\n",
      (const char *const[]){"a", "b", "w>z>", "b", "a", "z<w<", NULL});
}

Test(routes, a_simplex_link_leads_one_way_only) {
  expect_ways(
      "links: [{name: x, ends: [a, b], bandwidth: 1, duplex: simplex}, {name: y, ends: [b, c], bandwidth: 1, duplex: half},\n"
      "        {name: z, ends: [c, a], bandwidth: 1, duplex: simplex}]\n",
      (const char *const[]){"a", "b", "x>", "b", "a", "y>z>", "c", "b", "y<", NULL});
}

Test(routes, latency_and_energy_add_up_and_the_narrowest_link_counts) {
  g_autoptr(ho_platform) p = read_text(HEAD
                                       "links: [{name: x, ends: [a, s], bandwidth: 3GB/s, latency: 1us, energy: 10pJ},\n"
                                       "        {name: y, ends: [s, b], bandwidth: 2GB/s, latency: 4us, energy: 30pJ}]\n"
                                       "peer_to_peer: [[c, b]]\n",
                                       NULL);
  cr_expect_null(p, "no links lead from c to b");
  p = read_text(HEAD
                "links: [{name: x, ends: [a, s], bandwidth: 3GB/s, latency: 1us, energy: 10pJ},\n"
                "        {name: y, ends: [s, b], bandwidth: 2GB/s, latency: 4us, energy: 30pJ},\n"
                "        {name: z, ends: [s, c], bandwidth: 1GB/s}]\n"
                "host: a\npeer_to_peer: [[c, b]]\n",
                NULL);
  cr_assert_not_null(p);
  const ho_route *r = ho_platform_route(p, 0, 1);
  cr_expect_eq(r->bandwidth, 2e9);
  cr_expect_float_eq(r->latency, 5e-6, 1e-21);
  cr_expect_float_eq(r->energy, 40e-12, 1e-26);
  cr_expect(isinf(ho_platform_route(p, 2, 2)->bandwidth));
  cr_expect(ho_platform_direct(p, 0, 1) && ho_platform_direct(p, 1, 0), "a copy to or from the host needs no staging");
  cr_expect(ho_platform_direct(p, 1, 2) && ho_platform_direct(p, 2, 1), "pairs are symmetric");
}

Test(routes, memories_that_are_not_peers_are_staged) {
  g_autoptr(ho_platform) p =
      read_text(HEAD "links: [{name: x, ends: [a, b], bandwidth: 1}, {name: y, ends: [b, c], bandwidth: 1}]\nhost: a\n", NULL);
  cr_expect_not(ho_platform_direct(p, 1, 2));
  cr_expect(ho_platform_direct(p, 0, 2));
  cr_expect(ho_platform_direct(p, 1, 1));
}
