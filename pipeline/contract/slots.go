package contract

// slots has the variables that distinguish the fresh objects of clauses.
type slots struct {
	n int
	// array reports whether the slots are elements of unitproof_slots from base on, which predicates can access.
	array bool
	base  string
}

// add adds a slot, and returns the names of its object and size.
func (s *slots) add() (object, size string) {
	s.n++
	return s.at(s.n - 1)
}

// at returns the names of the object and size of slot k.
func (s *slots) at(k int) (object, size string) {
	if s.array {
		name := "unitproof_slots[" + s.base + itoa(k) + "]"
		return name + ".at", name + ".size"
	}
	name := "unitproof_fresh_" + itoa(k)
	return name, name + "_n"
}

// place returns the arguments of a call that pass the slots behind the current ones.
func (s *slots) place() string { return "unitproof_slots, " + s.base + itoa(s.n) }

// freshFlags returns the flags that a predicate gets from the contract that calls it: bit 0, fresh objects are compared
// as whole objects; bit 1, fresh objects were allocated by the function that ensures them.
func (c *conditions) freshFlags(s scope) string {
	flags := 0
	if c.wholeObjects {
		flags |= 1
	}
	if s.made {
		flags |= 2
	}
	if s.within {
		return "unitproof_flags | " + itoa(flags)
	}
	return itoa(flags)
}

// declareFresh declares the slots for the fresh objects of all clauses of a kind.
func (g *generator) declareFresh(s scope, kind clauseKind) error {
	n := 0
	for _, cl := range g.f.clauses {
		for i := cl.open; i < cl.close && cl.kind == kind; i++ {
			if g.word(i) == "__CPROVER_is_fresh" {
				n++
			} else if m, ok := g.lifted.asks(g.word(i), s); ok && g.is(i+1, "(") {
				n += m
				s.fresh.array = true
			}
		}
	}
	switch {
	case s.fresh.array && n > maxSlots:
		return g.wrong(g.f.name, "the contract of %s may ask for %d fresh objects through functions: more than %d are not "+
			"understood", g.name, n, maxSlots)
	case s.fresh.array:
		g.ours(" struct __unitproof_fresh unitproof_slots[%d] = {{0, 0}};", max(n, 1))
	default:
		for k := range n {
			object, size := s.fresh.at(k)
			g.ours(" const void *%s = 0; __unitproof_size_t %s = 0;", object, size)
		}
	}
	return nil
}

// asks reports whether a word is a predicate at a position of a condition at which it can be translated.
func (c *conditions) asks(word string, s scope, st stance) bool {
	if s.use == assumed && st == free {
		return false
	}
	_, ok := c.lifted.asks(word, s)
	return ok
}
