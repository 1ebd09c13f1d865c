// Package curve analyses the growth of costs with a size n. GrowthOf (growth.go) estimates the exponent k of a cost
// n^k by least squares in logarithms; Plot (plot.go) draws costs as SVG with logarithmic axes:
//
//	GrowthOf([]int{100, 200, 400}, []float64{10, 40, 160})   // Exponent 2
//
// The package runs no measurements.
package curve

import "math"

// Growth describes the growth of a cost with n.
type Growth struct {
	// Exponent is the slope in logarithms by least squares. Known is false if fewer than three costs are large
	// enough.
	Exponent float64
	Known    bool
	// NLogN is the slope of n log n on the same sizes.
	NLogN float64
}

// minCost is the cost in milliseconds below which a measurement is mostly noise.
const minCost = 3

// GrowthOf estimates the growth from costs in milliseconds at ascending sizes. It ignores costs below minCost and
// below a thirtieth of the largest, in which constant costs dominate.
func GrowthOf(sizes []int, costs []float64) Growth {
	largest := 0.0
	for _, c := range costs {
		largest = max(largest, c)
	}
	var x, y, z []float64
	for i, c := range costs {
		if c >= minCost && c >= largest/30 {
			n := float64(sizes[i])
			x, y, z = append(x, math.Log(n)), append(y, math.Log(c)), append(z, math.Log(n*math.Log(n)))
		}
	}
	if len(x) < 3 {
		return Growth{}
	}
	return Growth{Exponent: slope(x, y), Known: true, NLogN: slope(x, z)}
}

// slope returns the slope of the line of least squares.
func slope(x, y []float64) float64 {
	var mx, my float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(x))
	}
	var num, den float64
	for i := range x {
		num += (x[i] - mx) * (y[i] - my)
		den += (x[i] - mx) * (x[i] - mx)
	}
	return num / den
}
