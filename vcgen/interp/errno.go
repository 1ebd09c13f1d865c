package interp

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
)

// setErrno has errno be a number, where the program uses it.
func (m *Machine) setErrno(number uint64) {
	if g := m.m.GlobalByName[language.Errno]; g != nil {
		o := m.global(g)
		m.put(o, 0, state.IntValue(number), intType(32))
		m.touch(o)
	}
}

// mayChangeErrno leaves errno as it is, or with any number but 0 in it.
func (c *call) mayChangeErrno() {
	if c.m.m.GlobalByName[language.Errno] == nil {
		return
	}
	left := c.m.arbitrary(intType(32), c.in.ID, choice.Nondet, func(r *state.Input) {
		r.Fn, r.Variable = c.fn.SourceName, "errno"
	})
	if left.Bits != 0 {
		c.m.setErrno(left.Bits)
	}
}
