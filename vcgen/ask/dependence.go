package ask

import "github.com/unitproof/unitproof/vcgen/smt"

// dependence decides which terms contain some variables. It visits each term only once over all calls, whereas
// Context.Symbols would visit shared subterms again for each call.
type dependence struct {
	c              *smt.Context
	on             smt.TermSet
	known, depends smt.TermSet
	stack          []smt.Term
}

// newDependence returns a dependence on the variables on.
func newDependence(c *smt.Context, on []smt.Term) *dependence {
	d := &dependence{c: c}
	for _, v := range on {
		d.on.Add(v)
	}
	return d
}

// of reports whether one of the variables occurs in t.
func (d *dependence) of(t smt.Term) bool {
	d.stack = append(d.stack[:0], t)
	for len(d.stack) > 0 {
		t := d.stack[len(d.stack)-1]
		if d.known.Has(t) {
			d.stack = d.stack[:len(d.stack)-1]
			continue
		}
		depends, n := d.on.Has(t), len(d.stack)
		for _, a := range d.c.Args(t) {
			if !d.known.Has(a) {
				d.stack = append(d.stack, a)
			}
			depends = depends || d.depends.Has(a)
		}
		if len(d.stack) > n && !depends {
			continue // its arguments first
		}
		d.stack = d.stack[:n-1]
		d.known.Add(t)
		if depends {
			d.depends.Add(t)
		}
	}
	return d.depends.Has(t)
}
