package curve

import (
	"fmt"
	"math"
	"strings"
)

// Line is a curve of a plot: a cost for each size. Costs that are not positive are left out.
type Line struct {
	Name  string
	Costs []float64
}

// Size of a plot in pixels, and of its margins.
const (
	plotWidth, plotHeight        = 720, 440
	left, right, top, bottom     = 66, 150, 40, 46
	innerWidth, innerHeight      = plotWidth - left - right, plotHeight - top - bottom
	minDecades               int = 1
	tickLength               int = 4
	smallestShown                = 0.1 // milliseconds
	labelHeight              int = 14
)

// colors are the colours of the lines: the palette of Okabe and Ito, which is distinguishable with any kind of colour
// vision.
var colors = []string{"#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c"}

// escape escapes text for SVG. Package html would add its table of entities to the program.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Plot draws lines over sizes as SVG, with both axes logarithmic. The references n, n log n and n² go through the
// first significant cost of the first line (see GrowthOf).
func Plot(title, n string, sizes []int, lines []Line) string {
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, c := range l.Costs {
			if c >= smallestShown {
				lowest, highest = min(lowest, c), max(highest, c)
			}
		}
	}
	if highest < lowest {
		lowest, highest = 1, 10
	}
	x0, x1 := 0.0, 1.0
	if len(sizes) > 0 {
		x0 = math.Log10(float64(sizes[0]))
		x1 = max(math.Log10(float64(sizes[len(sizes)-1])), x0+0.1)
	}
	y0, y1 := math.Floor(math.Log10(lowest)), math.Ceil(math.Log10(highest))
	y1 = max(y1, y0+float64(minDecades))
	px := func(size float64) float64 { return left + (math.Log10(size)-x0)/(x1-x0)*innerWidth }
	py := func(cost float64) float64 { return top + (y1-math.Log10(cost))/(y1-y0)*innerHeight }

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="14">%s</text>`+"\n", left, escape.Replace(title))
	fmt.Fprintf(&b, `<clipPath id="inside"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>`+"\n", left, top,
		innerWidth, innerHeight)
	for d := y0; d <= y1; d++ {
		y := py(math.Pow(10, d))
		fmt.Fprintf(&b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#e0e0e0"/>`+"\n", left, y, left+innerWidth, y)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-tickLength-2, y+4,
			duration(math.Pow(10, d)))
	}
	for _, s := range sizes {
		x := px(float64(s))
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#808080"/>`+"\n", x, top+innerHeight, x,
			top+innerHeight+tickLength)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, top+innerHeight+18, Count(s))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", left+innerWidth/2, plotHeight-8,
		escape.Replace(n))
	fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#808080"/>`+"\n", left, top,
		innerWidth, innerHeight)
	if len(lines) > 0 {
		b.WriteString(references(sizes, lines[0].Costs, px, py))
	}
	b.WriteString(curves(sizes, lines, px, py))
	b.WriteString("</svg>\n")
	return b.String()
}

// references returns dashed lines through the first significant cost.
func references(sizes []int, costs []float64, px, py func(float64) float64) string {
	first := -1
	largest := 0.0
	for _, c := range costs {
		largest = max(largest, c)
	}
	for i, c := range costs {
		if c >= minCost && c >= largest/30 {
			first = i
			break
		}
	}
	if first < 0 || first == len(costs)-1 {
		return ""
	}
	var b strings.Builder
	for _, r := range []struct {
		name string
		f    func(n float64) float64
		dy   float64 // offset of the name, below or above its line, so that neighbours do not overlap
	}{{"n", func(n float64) float64 { return n }, 14}, {"n log n", func(n float64) float64 { return n * math.Log(n) }, -5},
		{"n²", func(n float64) float64 { return n * n }, -5}} {
		scale := costs[first] / r.f(max(float64(sizes[first]), 2))
		var points []string
		for _, s := range sizes[first:] {
			points = append(points, fmt.Sprintf("%.1f,%.1f", px(float64(s)), py(scale*r.f(max(float64(s), 2)))))
		}
		fmt.Fprintf(&b,
			`<polyline clip-path="url(#inside)" points="%s" fill="none" stroke="#b0b0b0" stroke-dasharray="4 4"/>`+"\n",
			strings.Join(points, " "))
		// The name is at the end of the line, at the edge of the plot.
		last := len(sizes) - 1
		x, y := px(float64(sizes[last]))-8, py(scale*r.f(float64(sizes[last])))+r.dy
		if y < top+12 {
			k := first
			for k+1 < last && py(scale*r.f(float64(sizes[k+1]))) > top+12 {
				k++
			}
			x, y = px(float64(sizes[k])), py(scale*r.f(float64(sizes[k])))+r.dy
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="end" fill="#808080" font-size="11">%s</text>`+"\n", x, y,
			r.name)
	}
	return b.String()
}

func curves(sizes []int, lines []Line, px, py func(float64) float64) string {
	var b strings.Builder
	var labels []float64 // positions of names so far
	for k, l := range lines {
		color := colors[k%len(colors)]
		width := 1.5
		if k == 0 {
			width = 2.5
		}
		var points []string
		end := 0.0
		for i, c := range l.Costs {
			if c < smallestShown {
				continue
			}
			x, y := px(float64(sizes[i])), py(c)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`+"\n", x, y, color)
			end = y
		}
		if len(points) == 0 {
			continue
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%.1f"/>`+"\n", strings.Join(points, " "),
			color, width)
		y := end + 4
		for moved := true; moved; {
			moved = false
			for _, o := range labels {
				if math.Abs(o-y) < float64(labelHeight)-1 {
					y, moved = o+float64(labelHeight), true
				}
			}
		}
		labels = append(labels, y)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" fill="%s">%s</text>`+"\n", left+innerWidth+8, y, color,
			escape.Replace(l.Name))
	}
	return b.String()
}

// duration formats milliseconds that are a power of ten.
func duration(ms float64) string {
	switch {
	case ms >= 1000:
		return fmt.Sprintf("%g s", ms/1000)
	case ms >= 1:
		return fmt.Sprintf("%g ms", ms)
	}
	return fmt.Sprintf("%.1f ms", ms)
}

// Count formats a number with grouped digits.
func Count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
