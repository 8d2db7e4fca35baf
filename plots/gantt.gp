# gantt.gp: who computes what when, and what crosses between memories.
#
# What stands above this line (when this is the copy beside a figure) says what is drawn: data, outputs[], title_text, n_lanes, lane[],
# tscale, tunit, tmax, colour[]. The data file has one line per activity: lane, start (s), end (s), colour index. To change the look, edit this
# copy and run:   gnuplot gantt.gp

set encoding utf8
set datafile separator whitespace
width = 18.2                                   # cm: the width of a page of two columns
height = 1.9 + 0.5 * n_lanes

do for [o = 1:|outputs|] {
  out = outputs[o]
  kind = out[strlen(out) - 2:strlen(out)]
  if (kind eq "pdf") { set terminal pdfcairo noenhanced size width cm, height cm font "Helvetica,8" fontscale 0.75 linewidth 1 }
  if (kind eq "svg") { set terminal svg noenhanced size width * 37.8, height * 37.8 font "Helvetica,11" linewidth 1 }
  if (kind eq "png") { set terminal pngcairo noenhanced size width * 79, height * 79 font "Helvetica,8" fontscale 2.09 linewidth 2.6 }
  set output out
  set title title_text font ",8" offset 0, -0.6
  set border 1 linewidth 0.6
  set tics nomirror scale 0.6 out
  set grid xtics linewidth 0.3 linecolor rgb "#dddddd"
  unset key
  set xlabel sprintf("time (%s)", tunit) offset 0, 0.3
  set xrange [0:tmax * tscale]
  set yrange [n_lanes + 0.5:0.5]
  unset ytics
  set ytics scale 0
  do for [l = 1:n_lanes] { set ytics add (lane[l] l) }
  set style fill solid 1.0 noborder
  plot data using ($2 * tscale):1:($2 * tscale):($3 * tscale):($1 - 0.38):($1 + 0.38):(int(column(4))) \
         with boxxyerror linecolor rgb variable
  set output
}
