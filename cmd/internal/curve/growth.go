// Package curve tells how costs grow with a size: growth.go estimates exponents, plot.go draws. It runs nothing.
package curve

import "math"

// Growth is how a cost grows with n.
type Growth struct {
	// Exponent is the slope of the logarithms by least squares; Known is false where fewer than three costs stand out.
	Exponent float64
	Known    bool
	// NLogN is the slope that n log n has on the same sizes.
	NLogN float64
}

// minCost is the cost in milliseconds below which a measurement is mostly noise.
const minCost = 3

// GrowthOf estimates the growth from costs in milliseconds at sizes that ascend. Costs below minCost and those below a
// thirtieth of the largest are left out: there what does not depend on n hides what does.
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

// slope is that of the line of least squares.
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
