data = "front.dat"
array outputs[2] = ["front.pdf", "front.png"]
n_problems = 1
n_panels = 3
n_series = 3
array problem[1] = ["graph.json/inference/platform"]
array xlabel[3] = ["latency (ms)", "latency (ms)", "energy (mJ)"]
array ylabel[3] = ["energy (mJ)", "peak memory (%)", "peak memory (%)"]
array xscale[3] = [1000, 1000, 1000]
array yscale[3] = [1000, 100, 100]
array xmin[3] = [1.5362018746666664, 1.5362018746666664, 100.50692167573332]
array xmax[3] = [12.000134241750606, 12.000134241750606, 963.9663840309333]
array ymin[3] = [100.50692167573332, 0.02081176, 0.02081176]
array ymax[3] = [963.9663840309333, 0.12104523785616754, 0.12104523785616754]
array xlog[3] = [0, 0, 0]
array ylog[3] = [0, 0, 0]
array xref[3] = [12.000134241750606, 12.000134241750606, 962.9799613694412]
array yref[3] = [962.9799613694412, 0.12104523785616754, 0.12104523785616754]
array series[3] = ["single-fastest", "HEFT", "NSGA-II (median of 3)"]
array colour[3] = ["#000000", "#d55e00", "#009e73"]
array marker[3] = [5, 9, 6]
array lines[3] = [0, 0, 1]
array dash[3] = [3, 3, 1]

# front.gp: Pareto fronts, one row of panels per problem, one panel per pair of objectives.
#
# What stands above this line (when this is the copy beside a figure) says what is drawn: data, outputs[], n_problems, n_panels,
# n_series, and the arrays problem, xlabel, ylabel, xscale, yscale, xmin … ymax, xlog, ylog, xref, yref, series, marker, colour, lines, dash. The data file holds, for
# every problem, panel and series, two blocks: the points, and the corners of the staircase that they attain up to the
# reference point. All numbers there are in SI units. To change the look, edit this copy and run:   gnuplot front.gp

set encoding utf8
set datafile separator whitespace
width = 18.2                                   # cm: the width of a page of two columns
longest = 0
do for [s = 1:n_series] { longest = strlen(series[s]) > longest ? strlen(series[s]) : longest }
columns = longest > 20 ? 3 : 4                 # of the legend
has_reference = 0
do for [c = 1:|xref|] { if (xref[c] == xref[c] && yref[c] == yref[c]) { has_reference = 1 } }
rows = (n_series + has_reference + columns - 1) / columns
row = n_problems > 4 ? (n_problems > 6 ? 3.6 : 22.0 / n_problems) : 5.2   # cm: up to six problems fit on a page
height = row * n_problems + 0.7 + 0.45 * rows
legend = 0.45 * rows / height

block(p, k, s, what) = (((p - 1) * n_panels + k - 1) * n_series + s - 1) * 2 + what
# Tics: about five on a linear axis; 1, 2, 5 of each decade on a logarithmic one, or whole decades where there are many.
power(x) = 10.0**floor(log10(x))
nice(x) = x < 1.5 ? 1 : x < 3.5 ? 2 : x < 7.5 ? 5 : 10
step(range) = nice(range / 5 / power(range / 5)) * power(range / 5)
mantissas(low, high) = high / low < 300 ? "1 2 5" : "1"
cell(p, k) = (p - 1) * n_panels + k

do for [o = 1:|outputs|] {
  out = outputs[o]
  kind = out[strlen(out) - 2:strlen(out)]
  if (kind eq "pdf") { set terminal pdfcairo noenhanced size width cm, height cm font "Helvetica,8" fontscale 0.75 linewidth 1 pointscale 0.9 rounded }
  if (kind eq "svg") { set terminal svg noenhanced size width * 37.8, height * 37.8 font "Helvetica,11" linewidth 1 }
  if (kind eq "png") { set terminal pngcairo noenhanced size width * 79, height * 79 font "Helvetica,8" fontscale 2.09 linewidth 2.6 pointscale 2.4 }
  set output out
  set multiplot layout n_problems, n_panels margins 0.075, 0.99, legend + 1.25 / height, 1 - 0.5 / height spacing 0.09, 1.5 / height
  unset key
  set border 3 linewidth 0.6
  set tics nomirror scale 0.6 out
  set format "%g"
  set grid linewidth 0.3 linecolor rgb "#dddddd"
  do for [p = 1:n_problems] {
    do for [k = 1:n_panels] {
      c = cell(p, k)
      unset logscale
      if (xlog[c]) {
        set logscale x
        set xtics (power(xmin[c]))
        do for [e = 0:ceil(log10(xmax[c] / power(xmin[c])))] {
          do for [m in mantissas(xmin[c], xmax[c])] { set xtics add (power(xmin[c]) * 10.0**e * m) }
        }
      } else {
        set xtics step(xmax[c] - xmin[c])
      }
      if (ylog[c]) {
        set logscale y
        set ytics (power(ymin[c]))
        do for [e = 0:ceil(log10(ymax[c] / power(ymin[c])))] {
          do for [m in mantissas(ymin[c], ymax[c])] { set ytics add (power(ymin[c]) * 10.0**e * m) }
        }
      } else {
        set ytics step(ymax[c] - ymin[c])
      }
      set xlabel xlabel[c] offset 0, 0.3
      set ylabel ylabel[c] offset 0.1, 0
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
        if (has_reference) {
          set label n_series + 2 "reference point" at screen 0.1 + 0.9 / columns * (n_series % columns), \
            screen legend - 0.45 * (n_series / columns + 0.2) / height left offset 1.2, 0 \
            point pointtype 2 pointsize 0.6 linewidth 0.8 linecolor rgb "#999999"
        }
      }
      plot for [s = 1:n_series] data index block(p, k, s, 1) using ($1 * xscale[c]):($2 * yscale[c]) with steps \
             linewidth (lines[s] ? 1 : 0.5) dashtype dash[s] linecolor rgb colour[s] notitle, \
           for [s = 1:n_series] data index block(p, k, s, 0) using ($1 * xscale[c]):($2 * yscale[c]) with points \
             pointtype marker[s] pointsize (lines[s] ? 0.42 : 0.75) linewidth 0.8 linecolor rgb colour[s] notitle, \
           "+" using (xref[c]):(yref[c]) every 1::0::0 with points pointtype 2 pointsize 0.6 linewidth 0.8 linecolor rgb "#999999" notitle
    }
  }
  unset multiplot
  set output
}
