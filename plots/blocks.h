/* blocks.h: one lane of a timeline: rectangles over time, with names where they fit.
 *
 * Blocks are given in order of start. Those narrower than half a pixel are joined with their neighbours of the same colour, so that
 * the size of a picture is bounded by its width and not by the number of ops. */
#ifndef HO_PLOTS_BLOCKS_H
#define HO_PLOTS_BLOCKS_H

#include <glib.h>

#include "models/kind.h"

G_BEGIN_DECLS

/* Okabe & Ito's colour-blind safe colours by group of families; they differ in lightness too. */
const char *ho_family_colour(ho_family f);
const char *ho_family_label(ho_family f);

typedef struct {
  GString *svg;
  double left, per_second; /* px of second 0; px per second */
  double y, height;        /* px */
  const char *noun;        /* what a joined block counts: "ops" */
  double run_from, run_to; /* px: the joined block under construction */
  const char *run_colour;
  int run_count;
} ho_blocks;

void ho_blocks_add(ho_blocks *b, double from, double to, const char *colour, const char *name, const char *what);
void ho_blocks_end(ho_blocks *b); /* draws what is still joined */

G_END_DECLS

#endif
