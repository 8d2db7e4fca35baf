/* blocks.c: see blocks.h. */
#include "plots/blocks.h"

#include <string.h>

#include "base/units.h"
#include "plots/svg.h"

#define TINY 0.5   /* px: narrower blocks are joined */
#define LETTER 5.0 /* px: mean width of a letter at the size of block names */
#define NAME_SIZE 9
#define LEAST_LETTERS 6  /* shorter remains of a name say nothing */
#define LEAST_NAMED 14.0 /* px: lower blocks have no names */

const char *ho_family_colour(ho_family f) {
  switch (f) {
    case HO_FAMILY_CONV:
    case HO_FAMILY_DEPTHWISE:
      return "#0072b2";
    case HO_FAMILY_GEMM:
    case HO_FAMILY_RECURRENT:
      return "#d55e00";
    case HO_FAMILY_ATTENTION:
      return "#cc79a7";
    case HO_FAMILY_NORM:
    case HO_FAMILY_SOFTMAX:
      return "#f0e442";
    case HO_FAMILY_ELEMENTWISE:
      return "#56b4e9";
    case HO_FAMILY_POOL:
    case HO_FAMILY_REDUCE:
      return "#009e73";
    case HO_FAMILY_GATHER:
    case HO_FAMILY_SCATTER:
      return "#e69f00";
    case HO_FAMILY_DATA:
      return "#8c8c8c";
    default:
      return "#bdbdbd";
  }
}

const char *ho_family_label(ho_family f) {
  switch (f) {
    case HO_FAMILY_CONV:
    case HO_FAMILY_DEPTHWISE:
      return "convolution";
    case HO_FAMILY_GEMM:
    case HO_FAMILY_RECURRENT:
      return "matrix product";
    case HO_FAMILY_ATTENTION:
      return "attention";
    case HO_FAMILY_NORM:
    case HO_FAMILY_SOFTMAX:
      return "norm, softmax";
    case HO_FAMILY_ELEMENTWISE:
      return "elementwise";
    case HO_FAMILY_POOL:
    case HO_FAMILY_REDUCE:
      return "pool, reduce";
    case HO_FAMILY_GATHER:
    case HO_FAMILY_SCATTER:
      return "gather, scatter";
    case HO_FAMILY_DATA:
      return "data movement";
    default:
      return "other";
  }
}

static gboolean is_dark(const char *colour) {
  return !strcmp(colour, "#0072b2") || !strcmp(colour, "#d55e00") || !strcmp(colour, "#009e73");
}

/* The name inside its block, shortened to what fits; nothing where next to nothing fits. */
static void draw_name(ho_blocks *b, double x, double width, const char *colour, const char *name) {
  g_autofree char *valid = g_utf8_make_valid(name, -1);
  glong room = (glong)((width - 4) / LETTER), length = g_utf8_strlen(valid, -1);
  if (room < MIN(length, LEAST_LETTERS) || b->height < LEAST_NAMED) return;
  g_autofree char *head = length > room ? g_utf8_substring(valid, 0, room - 1) : g_strdup(valid);
  g_autofree char *shown = g_strconcat(head, length > room ? "…" : "", NULL);
  ho_svg_text(b->svg, x + width / 2, b->y + b->height / 2 + 3.2, NAME_SIZE, HO_SVG_MIDDLE,
              is_dark(colour) ? "#ffffff" : "#000000", shown);
}

void ho_blocks_end(ho_blocks *b) {
  if (!b->run_count) return;
  g_autofree char *tip = g_strdup_printf("%d %s", b->run_count, b->noun);
  ho_svg_rect(b->svg, b->run_from, b->y, MAX(b->run_to - b->run_from, 0.3), b->height, b->run_colour, tip);
  b->run_count = 0;
}

static void join(ho_blocks *b, double from, double to, const char *colour) {
  if (b->run_count && (b->run_colour != colour || from > b->run_to + TINY)) ho_blocks_end(b);
  if (!b->run_count) {
    b->run_from = b->run_to = from;
    b->run_colour = colour;
  }
  b->run_to = MAX(b->run_to, to);
  b->run_count++;
}

void ho_blocks_add(ho_blocks *b, double from, double to, const char *colour, const char *name, const char *what) {
  double x = b->left + from * b->per_second, right = b->left + to * b->per_second;
  if (right - x < TINY) {
    join(b, x, right, colour);
    return;
  }
  ho_blocks_end(b);
  g_autofree char *start = ho_unit_format(from, HO_UNIT_SECONDS);
  g_autofree char *length = ho_unit_format(to - from, HO_UNIT_SECONDS);
  g_autofree char *tip = g_strdup_printf("%s (%s): %s from %s", name, what, length, start);
  double seam = right - x > 3 ? 0.6 : 0; /* a hair of white between neighbours */
  ho_svg_rect(b->svg, x, b->y, right - x - seam, b->height, colour, tip);
  draw_name(b, x, right - x, colour, name);
}
