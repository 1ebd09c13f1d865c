package induction

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/seair"
)

// TestContradiction checks assumptions at a head. They are a defect if they exclude the entry to the loop, unless the
// loop is never entered.
func TestContradiction(t *testing.T) {
	for name, body := range map[string]string{
		"entered":       "unsigned n = nd_uint(), i = 0; assume(n < 1000); while (i < n) i++; sassert(i == n);",
		"never entered": "unsigned n = nd_uint(), i = 0; assume(n < i); while (i < n) i++; sassert(i == n);",
	} {
		in := sampled(t, body)
		if !in.Find(t.Context()) {
			t.Fatalf("%s: no end of the search", name)
		}
		in.Conclude()
		if why := in.Contradiction(t.Context()); !why.None() {
			t.Errorf("%s: %v", name, why)
		}
		c, h := in.c, in.heads[0]
		in.log.Events = append(in.log.Events[:h.Event+1:h.Event+1], append([]seair.Event{{Kind: seair.Assume,
			Guard: h.Guard, Site: h.Site, Cond: c.Not(h.First)}}, in.log.Events[h.Event+1:]...)...)
		in.rechain()
		if why := in.Contradiction(t.Context()); why.None() == (name == "entered") {
			t.Errorf("%s, without its entry: %v", name, why)
		}
	}
}
