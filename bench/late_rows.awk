# Draws late_rows.csv as SVG: measured times as circles, the closed form as a line, a colour for each latency. Both axes are logarithmic.
function x_of(r) { return left + log(r / lowest_r * 1.15) / log(highest_r / lowest_r * 1.3225) * (right - left) }
function y_of(t) { return bottom - log(t / lowest_t * 1.15) / log(highest_t / lowest_t * 1.3225) * (bottom - top) }
function text(x, y, what, anchor) { printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what }
BEGIN {
    left = 80; right = 640; top = 50; bottom = 410
    split("#d55e00 #0072b2 #009e73 #cc79a7 #e69f00", colours, " ")
}
NR > 1 {
    if (!($1 in number)) { number[$1] = ++many; names[many] = $1 }
    if (!($2 in ticks)) { ticks[$2] = 1; steps[++marks] = $2 }
    latency[++points] = $1; r[points] = $2; measured[points] = $3; closed[points] = $4
    if (points == 1) { lowest_r = highest_r = $2; lowest_t = highest_t = $3 }
    if ($2 + 0 < lowest_r + 0) lowest_r = $2
    if ($2 + 0 > highest_r + 0) highest_r = $2
    for (i = 3; i <= 4; ++i) {
        if ($i + 0 < lowest_t + 0) lowest_t = $i
        if ($i + 0 > highest_t + 0) highest_t = $i
    }
}
END {
    if (!points) exit 1
    print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"480\" viewBox=\"0 0 860 480\" font-family=\"sans-serif\" " \
        "font-size=\"12\" fill=\"#222222\" stroke=\"none\">\n<rect width=\"860\" height=\"480\" fill=\"#ffffff\"/>"
    for (power = 1; power < 1e9; power *= 10)
        for (factor = 1; factor < 10; ++factor) {
            t = factor * power
            if (y_of(t) > bottom || y_of(t) < top || (factor > 2 && factor != 5 && highest_t / lowest_t > 20)) continue
            printf "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", left, y_of(t), right, y_of(t)
            text(left - 8, y_of(t) + 4, t, "end")
        }
    for (i = 1; i <= marks; ++i) {
        printf "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#eeeeee\"/>\n", x_of(steps[i]), top, x_of(steps[i]), bottom
        text(x_of(steps[i]), bottom + 18, steps[i], "middle")
    }
    printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888888\"/>\n", left, top, right - left, bottom - top
    text((left + right) / 2, 26, "A step, by the steps between two exchanges of rows that come late", "middle")
    text((left + right) / 2, bottom + 44, "R, steps between two exchanges", "middle")
    text(16, top - 12, "us a step", "start")
    for (n = 1; n <= many; ++n) {
        line = ""
        for (i = 1; i <= points; ++i) {
            if (latency[i] != names[n]) continue
            line = line sprintf("%.1f,%.1f ", x_of(r[i]), y_of(closed[i]))
            printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x_of(r[i]), y_of(measured[i]), colours[n]
        }
        printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", line, colours[n]
        y = top + 10 + 44 * (n - 1)
        printf "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n", right + 29, y, colours[n]
        text(right + 50, y + 4, names[n] ", measured", "start")
        printf "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"/>\n", right + 16, y + 22, right + 42, y + 22,
            colours[n]
        text(right + 50, y + 26, names[n] ", closed form", "start")
    }
    print "</svg>"
}
