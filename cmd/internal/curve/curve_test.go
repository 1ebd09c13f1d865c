package curve

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestGrowth(t *testing.T) {
	sizes := []int{100, 1000, 10000, 100000}
	costs := func(f func(n float64) float64) (out []float64) {
		for _, n := range sizes {
			out = append(out, f(float64(n)))
		}
		return out
	}
	if g := GrowthOf(sizes, costs(func(n float64) float64 { return n * n })); g.Known {
		t.Errorf("two costs within a factor of thirty tell %v", g)
	}
	sizes = []int{1000, 2000, 4000, 8000}
	for _, test := range []struct {
		f    func(n float64) float64
		want float64
	}{{func(n float64) float64 { return n }, 1}, {func(n float64) float64 { return n * n / 1e4 }, 2},
		{func(n float64) float64 { return 5 * math.Sqrt(n) }, 0.5}} {
		if g := GrowthOf(sizes, costs(test.f)); !g.Known || math.Abs(g.Exponent-test.want) > 1e-9 {
			t.Errorf("growth is %v, not %v", g, test.want)
		}
	}
	g := GrowthOf(sizes, costs(func(n float64) float64 { return n * math.Log(n) / 100 }))
	if !g.Known || math.Abs(g.Exponent-g.NLogN) > 1e-9 || g.NLogN <= 1 || g.NLogN > 1.2 {
		t.Errorf("n log n is %v", g)
	}
	if g := GrowthOf(sizes, []float64{1, 1, 2, 2}); g.Known {
		t.Errorf("costs that are noise tell %v", g)
	}
}

func TestPlot(t *testing.T) {
	svg := Plot("Costs <&>", "things & more", []int{10, 100, 1000}, []Line{{"total", []float64{5, 60, 700}},
		{"none", []float64{0, 0, 0}}, {"a & b", []float64{0, 1, 20}}})
	words := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
		switch x := token.(type) {
		case xml.StartElement:
			words[x.Name.Local]++
		case xml.CharData:
			words[strings.TrimSpace(string(x))]++
		}
	}
	for word, want := range map[string]int{"svg": 1, "polyline": 2 + 3, "circle": 3 + 2, "n log n": 1, "n²": 1,
		"Costs <&>": 1, "things & more": 1, "a & b": 1, "none": 0, "1 000": 1, "100 ms": 1} {
		if words[word] != want {
			t.Errorf("%q is there %d times, not %d", word, words[word], want)
		}
	}
	// Without data the plot is empty, which is no error.
	if svg := Plot("x", "n", []int{1, 2}, []Line{{"total", []float64{0, 0}}}); !strings.Contains(svg, "</svg>") ||
		strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("%s", svg)
	}
}
