package smt

// Dependence tells which terms speak of some variables. It looks at each term once, however often it is asked: about
// terms that consist of each other, Context.Symbols would look at all that is below them again.
type Dependence struct {
	c              *Context
	on             termSet
	known, depends termSet
	stack          []Term
}

// Dependence returns one about some variables.
func (c *Context) Dependence(on []Term) *Dependence {
	d := &Dependence{c: c}
	for _, v := range on {
		d.on.add(v)
	}
	return d
}

// Of tells whether one of the variables is in the cone of t.
func (d *Dependence) Of(t Term) bool {
	d.stack = append(d.stack[:0], t)
	for len(d.stack) > 0 {
		t := d.stack[len(d.stack)-1]
		if d.known.has(t) {
			d.stack = d.stack[:len(d.stack)-1]
			continue
		}
		depends, n := d.on.has(t), len(d.stack)
		for _, a := range d.c.Args(t) {
			if !d.known.has(a) {
				d.stack = append(d.stack, a)
			}
			depends = depends || d.depends.has(a)
		}
		if len(d.stack) > n && !depends {
			continue // its arguments first
		}
		d.stack = d.stack[:n-1]
		d.known.add(t)
		if depends {
			d.depends.add(t)
		}
	}
	return d.depends.has(t)
}
