package interp

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
)

// setErrno sets errno to a number, if the program uses errno.
func (m *Machine) setErrno(number uint64) {
	if g := m.m.GlobalByName[language.Errno]; g != nil {
		o := m.global(g)
		m.put(o, 0, state.IntValue(number), intType(32))
		m.touch(o)
	}
}

// mayChangeErrno leaves errno unchanged, or sets it to an arbitrary number other than 0.
func (c *call) mayChangeErrno() {
	if c.m.m.GlobalByName[language.Errno] == nil {
		return
	}
	t := intType(32)
	value := c.m.number(choice.Question{Kind: choice.Nondet, Site: c.in.ID, Bits: t.Bits})
	if value == 0 { // unchanged: not worth reporting
		return
	}
	r := c.m.newInput(choice.Nondet, c.in.ID)
	r.Value, r.Typ, r.IsValue, r.Fn, r.Variable = state.IntValue(value), t, true, c.fn.SourceName, "errno"
	c.m.Inputs = append(c.m.Inputs, r)
	if c.m.obs != nil {
		c.m.obs.Chosen(r, nil, 0)
	}
	c.m.setErrno(value)
}
