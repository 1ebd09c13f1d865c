package ask

import "github.com/unitproof/unitproof/vcgen/smt"

// dependence tells which terms speak of some variables. It looks at each term once, however often it is asked: about
// terms that consist of each other, Context.Symbols would look at all that is below them again.
type dependence struct {
	c              *smt.Context
	on             smt.TermSet
	known, depends smt.TermSet
	stack          []smt.Term
}

// newDependence returns one about some variables.
func newDependence(c *smt.Context, on []smt.Term) *dependence {
	d := &dependence{c: c}
	for _, v := range on {
		d.on.Add(v)
	}
	return d
}

// of tells whether one of the variables is in the cone of t.
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
