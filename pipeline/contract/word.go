package contract

import "slices"

// predicates has CBMC's words that look like function calls, with their numbers of arguments.
var predicates = map[string]int{"__CPROVER_is_fresh": 2, "__CPROVER_pointer_equals": 2,
	"__CPROVER_pointer_in_range_dfcc": 3, "__CPROVER_is_freeable": 1, "__CPROVER_was_freed": 1, obeys: 2}

// obeys is the predicate that a pointer points to a function that satisfies a certain contract. Calls of that function,
// also by pointer, are replaced by its contract. So the pointer has to point to this very function: no other function
// is accepted.
const obeys = "__CPROVER_obeys_contract"

// inLoops has the predicates that are also allowed in contracts of loops.
var inLoops = map[string]bool{"__CPROVER_pointer_in_range_dfcc": true, "__CPROVER_pointer_equals": true, obeys: true}

// predicate writes the predicate at token i, whose parentheses end at shut.
func (c *conditions) predicate(i, shut int, s scope, st stance) error {
	word := c.word(i)
	args := c.arguments(i+2, shut)
	if want := predicates[word]; len(args) != want {
		return c.wrong(i, "%s takes %d arguments", word, want)
	}
	if s.inLoop && !inLoops[word] {
		return c.wrong(i, "%s is not understood in the contract of a loop", word)
	}
	if word == obeys {
		if err := c.hasContract(args[1]); err != nil {
			return err
		}
	}
	join := func(pieces ...any) error { return c.join(args, s, pieces...) }
	c.to(i)
	makes := s.use == assumed && !s.inLoop && word != "__CPROVER_is_freeable" && word != "__CPROVER_was_freed"
	if !makes {
		switch word {
		case "__CPROVER_is_fresh":
			return c.isFresh(join, s)
		case "__CPROVER_pointer_equals", obeys:
			return join("((", 0, ") == (", 1, "))")
		case "__CPROVER_pointer_in_range_dfcc":
			return join("__unitproof_in_range((", 0, "), (", 1, "), (", 2, "))")
		case "__CPROVER_is_freeable":
			return join("__unitproof_is_freeable((", 0, "))")
		}
		return join("__unitproof_was_freed((", 0, "))")
	}
	if pointer := args[pointerOf(word)]; st == free || s.within && !c.isPlace(pointer.lo, pointer.hi) {
		return c.wrong(i, "%s is assumed here, which makes the pointer: it may stand behind &&, ||, ==> and ? only, and "+
			"under no !", word)
	}
	return c.make(word, args, s, st)
}

// make writes an assumed predicate, which assigns a pointer.
func (c *conditions) make(word string, args []span, s scope, st stance) error {
	join := func(pieces ...any) error { return c.join(args, s, pieces...) }
	pointer := pointerOf(word)
	if c.made != nil {
		c.made[c.words(args[pointer].lo, args[pointer].hi)] = true
	}
	before, after := "", ""
	if st == may {
		before, after = "(__unitproof_choice() && ", ")"
	}
	// The pointer is a variable: the type of an array differs from the type of &*array.
	if err := join(before, "__extension__({ _Static_assert(__builtin_types_compatible_p(__typeof__(", pointer,
		"), __typeof__(&*(", pointer, "))), \"a pointer is made: this is an array\"); "); err != nil {
		return err
	}
	if k := c.parameterAt(args[pointer], s); k >= 0 {
		c.w.text("if (!(unitproof_can >> %d & 1)) (void)__CPROVER_is_fresh_of_an_expression(); ", k)
	}
	var err error
	switch word {
	case "__CPROVER_is_fresh":
		allocate := "__unitproof_part"
		if s.after {
			allocate = "__unitproof_malloc" // memory that a function allocates is a whole object
		}
		err = join("*(void **)&(", 0, ") = "+allocate+"((", 1, ")); __unitproof_assume((", 0, ") != 0);")
	case "__CPROVER_pointer_equals":
		err = join("*(void **)&(", 0, ") = (void *)(", 1, ");")
	case obeys:
		err = join("_Static_assert(__builtin_types_compatible_p(__typeof__(", 0, "), __typeof__(&*(", 1,
			"))), \"the function with the contract is of another type than the pointer\"); *(void **)&(", 0, ") = (void *)(",
			1, ");")
	case "__CPROVER_pointer_in_range_dfcc":
		err = join(inRange...)
	}
	if err != nil {
		return err
	}
	return join(" (_Bool)1; })" + after)
}

// inRange assigns a pointer any value of a range, as pieces of join.
var inRange = []any{"char *unitproof_low = (char *)(", 0, "); " +
	"__unitproof_size_t unitproof_n = (__unitproof_size_t)((char *)(", 2,
	") - unitproof_low), unitproof_k = __unitproof_number(); __unitproof_assume(unitproof_k <= unitproof_n); " +
		"*(void **)&(", 1, ") = unitproof_low + unitproof_k;"}

// hasContract returns an error unless the tokens name a function with a contract: obeys is meaningless for others.
func (c *conditions) hasContract(t span) error {
	lo, hi := t.lo, t.hi
	for lo < hi && (c.is(lo, "&") || c.is(lo, "(") && c.partner[lo] == hi-1) {
		if c.is(lo, "(") {
			hi--
		}
		lo++
	}
	if lo+1 == hi && slices.ContainsFunc(c.functions, func(f function) bool { return c.word(f.name) == c.word(lo) }) {
		return nil
	}
	return c.wrong(t.lo,
		"%s needs the name of a function with a contract here: give a declaration of one its clauses", obeys)
}

// pointerOf returns the index of the argument that an assumed predicate assigns.
func pointerOf(predicate string) int {
	if predicate == "__CPROVER_pointer_in_range_dfcc" {
		return 1
	}
	return 0
}

// join writes pieces of generated text; a number is the index of an argument.
func (c *conditions) join(args []span, s scope, pieces ...any) error {
	for _, p := range pieces {
		switch p := p.(type) {
		case string:
			c.w.text("%s", p)
		case int:
			if err := c.condition(args[p].lo, args[p].hi, s, free); err != nil {
				return err
			}
		}
	}
	return nil
}

// isFresh writes the check that memory is readable and disjoint from the memory of earlier slots. The proof of a
// contract allocates a separate object for each slot. Disjoint memory is sufficient for callers: behavior within the
// bytes of separate objects is the same within parts of one object, unless the program compares objects (wholeObjects).
func (c *conditions) isFresh(join func(...any) error, s scope) error {
	if err := join("__extension__({ const void *unitproof_p = (", 0, "); _Bool unitproof_ok = unitproof_p != 0 && "+
		"__unitproof_r_ok(unitproof_p, (", 1, ")); __unitproof_size_t unitproof_n = (", 1,
		"); unitproof_ok = unitproof_ok"); err != nil {
		return err
	}
	disjointness := " && __unitproof_disjoint(unitproof_p, unitproof_n, %s, %s)"
	if c.wholeObjects {
		disjointness = " && !(%[1]s && __unitproof_object(unitproof_p) == __unitproof_object(%[1]s))%.0[2]s"
	}
	if s.within {
		c.w.text(" && __unitproof_all_apart(unitproof_slots, %s%d, unitproof_p, unitproof_n, %s)", s.fresh.base, s.fresh.n,
			c.freshFlags(s))
		c.w.text(" && (!(unitproof_flags & 2) || (__unitproof_is_new(unitproof_p) && __unitproof_offset(unitproof_p) == 0))")
		c.w.text("; if (!(unitproof_flags & 2)) __unitproof_apart(unitproof_p)")
	} else {
		for k := range s.fresh.n {
			object, size := s.fresh.at(k)
			c.w.text(disjointness, object, size)
		}
		if s.made {
			c.w.text(" && __unitproof_is_new(unitproof_p) && __unitproof_offset(unitproof_p) == 0")
		} else {
			c.w.text("; __unitproof_apart(unitproof_p)")
		}
	}
	object, size := s.fresh.add()
	c.w.text("; if (unitproof_ok) %s = unitproof_p, %s = unitproof_n; unitproof_ok; })", object, size)
	return nil
}
