# matrix.gp: a number for every pair of schedulers: rows against columns, darker is more.
#
# What stands above this line (when this is the copy beside a figure) says what is drawn: data, outputs[], title_text, n, name[], least, most. The data file has
# one line per pair: row, column, value (NaN: nothing). To change the look, edit this copy and run:   gnuplot matrix.gp

set encoding utf8
set datafile separator whitespace
width = 4.5 + 1.35 * n                         # cm
height = 2.8 + 0.75 * n

do for [o = 1:|outputs|] {
  out = outputs[o]
  kind = out[strlen(out) - 2:strlen(out)]
  if (kind eq "pdf") { set terminal pdfcairo noenhanced size width cm, height cm font "Helvetica,8" fontscale 0.75 linewidth 1 }
  if (kind eq "svg") { set terminal svg noenhanced size width * 37.8, height * 37.8 font "Helvetica,11" linewidth 1 }
  if (kind eq "png") { set terminal pngcairo noenhanced size width * 79, height * 79 font "Helvetica,8" fontscale 2.09 linewidth 2.6 }
  set output out
  set title title_text font ",8" offset 0, -0.6
  set border 0
  unset key
  unset colorbox
  set xrange [0.5:n + 0.5]
  set yrange [n + 0.5:0.5]
  unset xtics
  unset ytics
  set xtics scale 0 rotate by 35 right
  set ytics scale 0
  do for [i = 1:n] {
    set xtics add (name[i] i)
    set ytics add (name[i] i)
  }
  set palette defined (0 "#ffffff", 1 "#08306b") # one hue, so that it reads in grey
  set cbrange [log(least):log(most)]
  share(x) = (log(x) - log(least)) / (log(most) - log(least))
  plot data using 2:1:(log($3)) with image pixels, \
       data using 2:1:($1 == $2 ? "" : sprintf($3 < 10 ? "%.2f" : $3 < 1000 ? "%.0f" : "%.0e", $3)):(share($3) > 0.5 ? 0xffffff : 0x000000) \
         with labels font ",7" textcolor rgb variable
  set output
}
