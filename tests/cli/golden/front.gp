data = "front.dat"
array outputs[2] = ["front.pdf", "front.png"]
n_problems = 1
n_panels = 3
n_series = 3
array problem[1] = ["graph.json/inference/platform"]
array xlabel[3] = ["latency (ms)", "latency (ms)", "energy (mJ)"]
array ylabel[3] = ["energy (mJ)", "peak memory / capacity", "peak memory / capacity"]
array xscale[3] = [1000, 1000, 1000]
array yscale[3] = [1000, 1, 1]
array xmin[3] = [1.5362018746666664, 1.5362018746666664, 100.50692167573332]
array xmax[3] = [10.813969058666665, 10.813969058666665, 963.9663840309333]
array ymin[3] = [100.50692167573332, 0.0002081176, 0.0002081176]
array ymax[3] = [963.9663840309333, 0.0011090823999999999, 0.0011090823999999999]
array xlog[3] = [0, 0, 0]
array ylog[3] = [0, 0, 0]
array series[3] = ["single-fastest", "HEFT", "NSGA-II (median of 3)"]
array colour[3] = ["#000000", "#d55e00", "#009e73"]
array marker[3] = [5, 9, 6]
array lines[3] = [0, 0, 1]
array dash[3] = [3, 3, 1]

# front.gp: Pareto fronts, one row of panels per problem, one panel per pair of objectives.
#
# What stands above this line (when this is the copy beside a figure) says what is drawn: data, outputs[], n_problems, n_panels,
# n_series, and the arrays problem, xlabel, ylabel, xscale, yscale, xref, yref, series, marker, colour, lines, dash. The data file holds, for
# every problem, panel and series, two blocks: the points, and the corners of the staircase that they attain up to the
# reference point. All numbers there are in SI units. To change the look, edit this copy and run:   gnuplot front.gp

set encoding utf8
set datafile separator whitespace
width = 18.2                                   # cm: the width of a page of two columns
columns = 4                                    # of the legend
rows = (n_series + columns - 1) / columns
height = 5.2 * n_problems + 0.5 + 0.45 * rows
legend = 0.45 * rows / height

block(p, k, s, what) = (((p - 1) * n_panels + k - 1) * n_series + s - 1) * 2 + what
cell(p, k) = (p - 1) * n_panels + k

do for [o = 1:|outputs|] {
  out = outputs[o]
  kind = out[strlen(out) - 2:strlen(out)]
  if (kind eq "pdf") { set terminal pdfcairo noenhanced size width cm, height cm font "Helvetica,8" fontscale 0.75 linewidth 1 pointscale 0.9 rounded }
  if (kind eq "svg") { set terminal svg noenhanced size width * 37.8, height * 37.8 font "Helvetica,11" linewidth 1 }
  if (kind eq "png") { set terminal pngcairo noenhanced size width * 79, height * 79 font "Helvetica,8" fontscale 2.09 linewidth 2.6 pointscale 2.4 }
  set output out
  set multiplot layout n_problems, n_panels margins 0.075, 0.99, legend + 1.05 / height, 1 - 0.5 / height spacing 0.09, 1.5 / height
  unset key
  set border 3 linewidth 0.6
  set tics nomirror scale 0.6 out
  set format "%g"
  set grid linewidth 0.3 linecolor rgb "#dddddd"
  do for [p = 1:n_problems] {
    do for [k = 1:n_panels] {
      c = cell(p, k)
      unset logscale
      if (xlog[c]) { set logscale x }
      if (ylog[c]) { set logscale y }
      set xlabel xlabel[c] offset 0, 0.3
      set ylabel ylabel[c] offset 0.6, 0
      set xrange [xmin[c]:xmax[c]]
      set yrange [ymin[c]:ymax[c]]
      unset label
      if (k == 1) { set label 1 problem[p] at graph 0, graph 1 offset 0, 0.7 left font ",8" }
      if (p == n_problems && k == n_panels) {
        do for [s = 1:n_series] {
          set label s + 1 series[s] at screen 0.1 + 0.9 / columns * ((s - 1) % columns), \
            screen legend - 0.45 * ((s - 1) / columns + 0.2) / height left offset 1.2, 0 \
            point pointtype marker[s] pointsize (lines[s] ? 0.6 : 0.75) linewidth 0.8 linecolor rgb colour[s]
        }
      }
      plot for [s = 1:n_series] data index block(p, k, s, 1) using ($1 * xscale[c]):($2 * yscale[c]) with steps \
             linewidth (lines[s] ? 1 : 0.5) dashtype dash[s] linecolor rgb colour[s] notitle, \
           for [s = 1:n_series] data index block(p, k, s, 0) using ($1 * xscale[c]):($2 * yscale[c]) with points \
             pointtype marker[s] pointsize (lines[s] ? 0.42 : 0.75) linewidth 0.8 linecolor rgb colour[s] notitle
    }
  }
  unset multiplot
  set output
}
