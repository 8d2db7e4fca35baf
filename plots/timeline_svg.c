/* timeline_svg.c: see timeline_svg.h. */
#include "plots/timeline_svg.h"

#include <math.h>

#include "base/fileio.h"
#include "base/units.h"
#include "plots/blocks.h"
#include "plots/lanes.h"
#include "plots/svg.h"

#define WIDTH 1200.0
#define LEFT 160.0 /* px kept for the names of lanes */
#define RIGHT 24.0
#define TITLE 26.0
#define AXIS 34.0
#define LANE 20.0         /* height of a stream's lane */
#define LINK_LANE 8.0     /* height of one lane of a link */
#define MOST_LINK_LANES 4 /* more are drawn over the last one */
#define CURVE 44.0        /* height of a curve */
#define GAP 5.0
#define FAINT "#f3f3f3"
#define GREY "#666666"
#define TRANSFER "#404040"
#define MEMORY_FILL "#cfe3f1"
#define MEMORY_LINE "#0072b2"
#define POWER_FILL "#fbdcc4"
#define POWER_LINE "#d55e00"

typedef struct {
  const ho_problem *q;
  ho_replay *replay;
  const ho_replay_result *r;
  GString *svg;
  double per_second; /* px per s */
  double y;          /* px: top of the next lane */
} canvas;

/* Grey ground and name of the next lane. */
static void begin_lane(canvas *c, double height, const char *name) {
  ho_svg_rect(c->svg, LEFT, c->y, WIDTH - LEFT - RIGHT, height, FAINT, NULL);
  ho_svg_text(c->svg, LEFT - 6, c->y + height / 2 + 3.5, 10, HO_SVG_RIGHT, "#000000", name);
}

static ho_blocks blocks_at(const canvas *c, double y, double height, const char *noun) {
  return (ho_blocks){.svg = c->svg, .left = LEFT, .per_second = c->per_second, .y = y, .height = height, .noun = noun};
}

/* --- devices ---------------------------------------------------------------------------------------------------------------- */
static int32_t streams_used(const canvas *c, ho_device d) {
  int32_t n = 0;
  for (int32_t i = 0; i < c->r->plan->n; i++)
    if (c->r->plan->entry[i].device == d) n = MAX(n, c->r->plan->entry[i].stream + 1);
  return n;
}

/* A stream's entries start in the order of issue. */
static void draw_stream(canvas *c, ho_device d, int32_t stream, gboolean only) {
  const char *device = c->q->platform->device[d].name;
  g_autofree char *name = only ? g_strdup(device) : g_strdup_printf("%s stream %d", device, stream);
  begin_lane(c, LANE, name);
  ho_blocks blocks = blocks_at(c, c->y, LANE, "ops");
  for (int32_t i = 0; i < c->r->plan->n; i++) {
    const ho_entry *e = &c->r->plan->entry[i];
    if (e->device != d || e->stream != stream) continue;
    const ho_op_info *op = &c->q->graph->op[e->op];
    ho_blocks_add(&blocks, c->r->op[i].start, c->r->op[i].end, ho_family_colour(op->family), op->name, op->kind);
  }
  ho_blocks_end(&blocks);
  c->y += LANE + GAP;
}

static void draw_devices(canvas *c) {
  for (ho_device d = 0; d < c->q->platform->n_devices; d++) {
    int32_t n = streams_used(c, d);
    if (!n) { /* an idle device is worth seeing */
      g_autofree char *name = g_strdup_printf("%s (unused)", c->q->platform->device[d].name);
      begin_lane(c, LINK_LANE, name);
      c->y += LINK_LANE + GAP;
    }
    for (int32_t s = 0; s < n; s++) draw_stream(c, d, s, n == 1);
  }
}

/* --- links ------------------------------------------------------------------------------------------------------------------ */
static void draw_direction(canvas *c, const GArray *slices, ho_link l, int32_t backward, int32_t lanes) {
  const ho_platform *p = c->q->platform;
  int32_t shown = MIN(lanes, MOST_LINK_LANES);
  double height = MAX(shown * LINK_LANE, 11.0);
  g_autofree char *name = g_strdup_printf("%s to %s", p->link[l].name, ho_vertex_name(p, p->link[l].ends[1 - backward]));
  begin_lane(c, height, name);
  for (int32_t lane = 0; lane < shown; lane++) {
    ho_blocks blocks = blocks_at(c, c->y + lane * height / shown, height / shown - (shown > 1), "transfers");
    for (guint k = 0; k < slices->len; k++) {
      const ho_link_slice *s = &g_array_index(slices, ho_link_slice, k);
      if (s->link != l || s->backward != backward || MIN(s->lane, MOST_LINK_LANES - 1) != lane) continue;
      const ho_replay_transfer *t = &c->r->transfer[s->transfer];
      g_autofree char *bytes = ho_unit_format(t->bytes, HO_UNIT_BYTES);
      ho_blocks_add(&blocks, t->start, t->end, TRANSFER, c->q->graph->tensor[t->tensor].name, bytes);
    }
    ho_blocks_end(&blocks);
  }
  c->y += height + GAP;
}

static void draw_links(canvas *c) {
  const ho_platform *p = c->q->platform;
  g_autofree int32_t *lanes = g_new0(int32_t, 2 * (size_t)p->n_links + 1);
  g_autoptr(GArray) slices = ho_link_slices(p, c->r, lanes);
  for (ho_link l = 0; l < p->n_links; l++)
    for (int32_t backward = 0; backward < 2; backward++)
      if (lanes[2 * l + backward]) draw_direction(c, slices, l, backward, lanes[2 * l + backward]);
}

/* --- curves ----------------------------------------------------------------------------------------------------------------- */
/* Keeps, of all points that fall on one half pixel, the highest: a peak is never lost, and the picture stays small. */
static int thin(const canvas *c, const GArray *curve, double top, double *x, double *y) {
  int n = 0;
  for (guint i = 0; i < curve->len; i++) {
    const ho_curve_point *p = &g_array_index(curve, ho_curve_point, i);
    double px = floor((LEFT + p->time * c->per_second) * 2) / 2, py = c->y + CURVE - p->value / top * (CURVE - 2);
    if (n && x[n - 1] == px && i + 1 < curve->len) {
      y[n - 1] = MIN(y[n - 1], py);
      continue;
    }
    x[n] = px;
    y[n++] = py;
  }
  return n;
}

static void draw_curve(canvas *c, const GArray *curve, const char *name, const char *scale, double top, const char *fill,
                       const char *stroke) {
  ho_svg_rect(c->svg, LEFT, c->y, WIDTH - LEFT - RIGHT, CURVE, FAINT, NULL);
  g_autofree double *x = g_new(double, curve->len + 1);
  g_autofree double *y = g_new(double, curve->len + 1);
  int n = thin(c, curve, top, x, y);
  ho_svg_steps(c->svg, n, x, y, LEFT + c->r->figures.latency * c->per_second, c->y + CURVE, fill, stroke);
  ho_svg_text(c->svg, LEFT - 6, c->y + CURVE / 2 - 1, 10, HO_SVG_RIGHT, "#000000", name);
  ho_svg_text(c->svg, LEFT - 6, c->y + CURVE / 2 + 11, 9, HO_SVG_RIGHT, GREY, scale);
  c->y += CURVE + GAP;
}

static void draw_memories(canvas *c) {
  const ho_platform *p = c->q->platform;
  for (ho_memory m = 0; m < p->n_memories; m++) {
    g_autoptr(GArray) curve = ho_memory_curve(c->replay, m);
    double peak = ho_curve_peak(curve);
    if (peak <= 0) continue;
    g_autofree char *peak_text = ho_unit_format(peak, HO_UNIT_BYTES);
    g_autofree char *capacity = ho_unit_format(p->memory[m].capacity, HO_UNIT_BYTES);
    g_autofree char *name = g_strdup_printf("memory %s", p->memory[m].name);
    g_autofree char *scale = g_strdup_printf("peak %s of %s", peak_text, capacity);
    draw_curve(c, curve, name, scale, peak, MEMORY_FILL, MEMORY_LINE);
  }
}

static void draw_power(canvas *c) {
  g_autoptr(ho_rates) rates = ho_rates_new(c->replay);
  g_autoptr(GArray) curve = ho_power_curve(rates);
  double peak = ho_curve_peak(curve);
  if (peak <= 0) return;
  g_autofree char *scale = g_strdup_printf("peak %.4g W", peak);
  draw_curve(c, curve, "power, all devices", scale, peak, POWER_FILL, POWER_LINE);
}

/* --- axis, legend, title ---------------------------------------------------------------------------------------------------- */
static void draw_axis(canvas *c, double top) {
  double end = c->r->figures.latency, step = ho_nice_step(end, 12);
  double unit = end >= 1 ? 1 : end >= 1e-3 ? 1e-3 : 1e-6;
  const char *unit_name = end >= 1 ? "s" : end >= 1e-3 ? "ms" : "µs";
  for (int k = 0; k * step <= end * (1 + 1e-12); k++) {
    double x = LEFT + k * step * c->per_second;
    char label[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(label, sizeof label, "%.6g", k * step / unit);
    ho_svg_line(c->svg, x, top, x, c->y, "#d0d0d0", 0.5);
    ho_svg_line(c->svg, x, c->y, x, c->y + 4, GREY, 1);
    ho_svg_text(c->svg, x, c->y + 14, 10, HO_SVG_MIDDLE, "#000000", label);
  }
  ho_svg_line(c->svg, LEFT, c->y, WIDTH - RIGHT, c->y, GREY, 1);
  g_autofree char *caption = g_strdup_printf("time (%s)", unit_name);
  ho_svg_text(c->svg, LEFT - 6, c->y + 14, 10, HO_SVG_RIGHT, "#000000", caption);
  c->y += AXIS;
}

static double legend_entry(canvas *c, double x, const char *colour, const char *label) {
  ho_svg_rect(c->svg, x, c->y - 9, 12, 10, colour, NULL);
  ho_svg_text(c->svg, x + 16, c->y, 10, HO_SVG_LEFT, "#000000", label);
  return x + 16 + 5.6 * (double)g_utf8_strlen(label, -1) + 18;
}

/* Each colour that occurs, once. */
static void draw_legend(canvas *c) {
  double x = LEFT;
  gboolean used[HO_N_FAMILIES] = {FALSE};
  for (int32_t i = 0; i < c->r->plan->n; i++) used[c->q->graph->op[c->r->plan->entry[i].op].family] = TRUE;
  for (int f = 0; f < HO_N_FAMILIES; f++) {
    gboolean seen = FALSE;
    for (int before = 0; before < f; before++)
      seen |= used[before] && ho_family_colour((ho_family)before) == ho_family_colour((ho_family)f);
    if (used[f] && !seen) x = legend_entry(c, x, ho_family_colour((ho_family)f), ho_family_label((ho_family)f));
  }
  if (c->r->n_transfers) legend_entry(c, x, TRANSFER, "transfer");
  c->y += 12;
}

static char *title_text(const canvas *c) {
  g_autofree char *latency = ho_unit_format(c->r->figures.latency, HO_UNIT_SECONDS);
  g_autofree char *energy = ho_unit_format(c->r->figures.energy, HO_UNIT_JOULES);
  g_autofree char *memory = ho_share_format(c->r->figures.tightest);
  return g_strdup_printf("%s on %s: latency %s, energy %s, tightest memory %s full", c->q->graph->name, c->q->platform->name,
                         latency, energy, memory);
}

gboolean ho_timeline_write(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error) {
  double end = r->figures.latency;
  g_autoptr(GString) body = g_string_new(NULL);
  canvas c = {.q = q, .replay = replay, .r = r, .svg = body, .y = TITLE};
  c.per_second = end > 0 ? (WIDTH - LEFT - RIGHT) / end : 0;
  g_autofree char *title = title_text(&c);
  ho_svg_text(body, LEFT, 16, 12, HO_SVG_LEFT, "#000000", title);
  draw_devices(&c);
  draw_links(&c);
  draw_memories(&c);
  draw_power(&c);
  if (end > 0) draw_axis(&c, TITLE);
  draw_legend(&c);
  g_autoptr(GString) svg = g_string_new(NULL);
  ho_svg_begin(svg, WIDTH, c.y, title);
  g_string_append_len(svg, body->str, (gssize)body->len);
  ho_svg_end(svg);
  return ho_file_write(file, svg->str, svg->len, error);
}
