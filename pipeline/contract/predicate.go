package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Functions may say what a contract requires: `requires(valid(s, n))` with `return n > 0 && __CPROVER_is_fresh(s, n);`
// in valid. Where that is assumed, valid has to make the pointer that its caller passes, so such a function is written
// twice more, behind its file:
//
//   - unitproof_assume_F gets the addresses of its arguments, and gives pointers back that it made;
//   - unitproof_check_F gets what tells fresh objects apart.
//
// The file with the contract may know no more of F than its declaration: there both are weak, and call F. Where a word
// of a contract stands in F otherwise than it is understood, it stays, as a call of a function that nobody defines.

const (
	AssumePrefix = "unitproof_assume_"
	CheckPrefix  = "unitproof_check_"

	// maxSlots is how many fresh objects one contract may speak of through functions, and what the helper of the prelude
	// looks at; maxOwn is how many one function may.
	maxSlots = 32
	maxOwn   = 8
)

// predicatePrefixes begin the names of what is written for functions that say what is fresh.
var predicatePrefixes = []string{AssumePrefix, CheckPrefix}

// lifted are the functions of a file that say what is fresh.
type lifted struct {
	// defined are those with a body that has words of contracts, by name, and declared others that another file may
	// define so.
	defined, declared map[string]function
	// order are the names of defined, as they stand in the file.
	order []string
	// slots is how many fresh objects a defined one speaks of, -1 where that is not known.
	slots map[string]int
	used  []string // declared ones that conditions ask
}

// declarations finds the functions of the file, by name: those with a body, and those that are declared only.
func (r *reader) declarations() (defined, declared map[string]function, order []string) {
	defined, declared = map[string]function{}, map[string]function{}
	for i := 0; i+1 < len(r.tokens); i++ {
		if r.depth[i] != 0 || !r.is(i+1, "(") || r.partner[i+1] < 0 {
			continue
		}
		name := r.word(i)
		if name == "" || specifiers[name] || types[name] || qualifiers[name] || isClause(name) ||
			r.word(i-1) == "" && !r.is(i-1, "*") {
			continue
		}
		f := function{name: i, open: i + 1, shut: r.partner[i+1], body: -1}
		next := f.shut + 1
		for {
			word := r.word(next)
			if (isClause(word) || specifiers[word]) && r.is(next+1, "(") && r.partner[next+1] > 0 {
				next = r.partner[next+1] + 1
				continue
			}
			break
		}
		for f.start = i; f.start > 0 && !r.is(f.start-1, ";") &&
			!(r.is(f.start-1, "}") && r.depth[f.start-1] == 0); f.start-- {
		}
		switch {
		case r.is(next, "{") && r.partner[next] > 0:
			f.body, f.end = next, r.partner[next]
			if _, again := defined[name]; !again {
				order = append(order, name)
			}
			defined[name] = f
			i = f.end
		case r.is(next, ";"):
			if _, again := declared[name]; !again {
				declared[name] = f
			}
			i = next
		}
	}
	for name := range defined {
		delete(declared, name)
	}
	return defined, declared, order
}

// lift finds the functions that conditions of contracts are written in.
func (r *reader) lift() *lifted {
	defined, declared, order := r.declarations()
	l := &lifted{defined: map[string]function{}, declared: declared, slots: map[string]int{}}
	hasLoop := func(f function) bool {
		for _, loop := range r.loops {
			if f.body < loop.start && loop.start < f.end {
				return true
			}
		}
		return false
	}
	suits := func(f function) bool {
		g := &generator{conditions: conditions{reader: r}, f: f}
		if hasLoop(f) || g.parameters() != nil || g.isVoid() {
			return false
		}
		for i := f.open; i < f.shut; i++ {
			if r.is(i, "[") {
				return false
			}
		}
		return true
	}
	for again := true; again; {
		again = false
		for _, name := range order {
			f := defined[name]
			if _, done := l.defined[name]; done || !suits(f) {
				continue
			}
			for i := f.body; i < f.end; i++ {
				if _, other := l.defined[r.word(i)]; (other || predicates[r.word(i)] > 0) && r.is(i+1, "(") {
					l.defined[name], again = f, true
					break
				}
			}
		}
	}
	for name, f := range declared {
		if p := r.src.at(r.tokens[f.name].Start); r.src.originals[p.file] == nil || !suits(f) {
			delete(declared, name)
		}
	}
	for _, name := range order {
		if _, ok := l.defined[name]; ok {
			l.order = append(l.order, name)
			l.count(r, name)
		}
	}
	for _, f := range r.functions {
		for _, cl := range f.clauses {
			for i := cl.open; i < cl.close && (cl.kind == requires || cl.kind == ensures); i++ {
				if _, ok := declared[r.word(i)]; ok && r.is(i+1, "(") && !slices.Contains(l.used, r.word(i)) {
					l.used = append(l.used, r.word(i))
				}
			}
		}
	}
	return l
}

// count finds how many fresh objects a function speaks of.
func (l *lifted) count(r *reader, name string) int {
	if n, done := l.slots[name]; done {
		return n
	}
	l.slots[name] = -1 // where it calls itself
	f, n := l.defined[name], 0
	for i := f.body; i < f.end; i++ {
		if !r.is(i+1, "(") {
			continue
		}
		if _, other := l.defined[r.word(i)]; other {
			m := l.count(r, r.word(i))
			if m < 0 {
				return -1
			}
			n += m
		} else if r.word(i) == "__CPROVER_is_fresh" {
			n++
		}
	}
	if n > maxOwn {
		n = -1
	}
	l.slots[name] = n
	return n
}

// asks tells whether a condition's word is a function that says what is fresh, or may be one, and for how many objects
// it needs a slot.
func (l *lifted) asks(word string, s scope) (slots int, ok bool) {
	if !s.lifts || word == "" {
		return 0, false
	}
	if _, ok := l.defined[word]; ok {
		n := l.slots[word]
		return max(n, 0), n >= 0 || s.use == assumed
	}
	_, ok = l.declared[word]
	return maxOwn, ok && !s.within
}

// callPredicate writes the call, at token i, of a function that says what is fresh.
func (c *conditions) callPredicate(i, shut int, s scope, st stance) error {
	word := c.word(i)
	args := c.arguments(i+2, shut)
	f, defined := c.lifted.defined[word]
	if !defined {
		f = c.lifted.declared[word]
	}
	g := &generator{conditions: conditions{reader: c.reader}, f: f}
	if err := g.parameters(); err != nil {
		return err
	}
	if len(g.names) != len(args) {
		return c.wrong(i, "%s takes %d arguments", word, len(g.names))
	}
	c.to(i)
	if s.use == checked {
		n, _ := c.lifted.asks(word, s)
		c.w.text("%s%s(", CheckPrefix, word)
		for _, a := range args {
			if err := c.condition(a.lo, a.hi, s, free); err != nil {
				return err
			}
			c.w.text(", ")
		}
		c.w.text("%s, %s)", s.fresh.place(), c.freshFlags(s))
		for range n {
			s.fresh.add()
		}
		return nil
	}
	before, after := "", ""
	if st == may {
		before, after = "(__unitproof_choice() && ", ")"
	}
	c.w.text("%s__extension__({ ", before)
	var refs, can []string
	for k, p := range c.split(f.open+1, f.shut, ",") {
		if len(args) == 0 {
			break
		}
		name := fmt.Sprintf("unitproof_argument_%d", k)
		for t := p.lo; t < p.hi; t++ {
			if c.word(t) == g.names[k] && !c.is(t+1, "(") {
				c.w.text(" %s", name)
				continue
			}
			c.w.text(" %s", c.tokens[t].Of(c.src.text))
		}
		c.w.text(" = (")
		if err := c.condition(args[k].lo, args[k].hi, s, free); err != nil {
			return err
		}
		c.w.text(");")
		if lvalue := c.words(args[k].lo, args[k].hi); c.isPlace(args[k].lo, args[k].hi) {
			pointer := fmt.Sprintf("__builtin_classify_type(%[1]s) == 5 && __builtin_types_compatible_p(__typeof__(%[1]s), "+
				"__typeof__((void)0, (%[1]s))) && __builtin_classify_type(%[2]s) == 5", lvalue, name)
			refs = append(refs, fmt.Sprintf("__builtin_choose_expr(%s, (void *)&%s, (void *)&%s)", pointer, lvalue, name))
			can = append(can, fmt.Sprintf("(unsigned long long)__builtin_choose_expr(%s, 1, 0) << %d", pointer, k))
			if c.made != nil {
				c.made[lvalue] = true
			}
		} else {
			refs = append(refs, "(void *)&"+name)
		}
	}
	c.w.text(" void *unitproof_arguments[] = {%s}; %s%s(unitproof_arguments, %s); })%s",
		strings.Join(append(refs, "0"), ", "), AssumePrefix, word, strings.Join(append(can, "0ull"), " | "), after)
	return nil
}

// isPlace tells whether some tokens are a parameter of the function under way, or a member of what one leads to, that
// is no bit-field.
func (c *conditions) isPlace(lo, hi int) bool {
	for hi-1 > lo && c.is(lo, "(") && c.partner[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if c.word(lo) == "" || !slices.Contains(c.own, c.word(lo)) || c.mayBeBitField(lo, hi) {
		return false
	}
	for i := lo + 1; i < hi; i += 2 {
		if !c.is(i, ".") && !c.is(i, "->") || c.word(i+1) == "" {
			return false
		}
	}
	return true
}

// slots are what tells the fresh objects of clauses apart.
type slots struct {
	n int
	// array: they stand in unitproof_slots, for functions to see, from base on.
	array bool
	base  string
}

// add gives the names of the next object and of its size.
func (s *slots) add() (object, size string) {
	s.n++
	return s.at(s.n - 1)
}

// at are the names of the k-th.
func (s *slots) at(k int) (object, size string) {
	if s.array {
		name := "unitproof_slots[" + s.base + itoa(k) + "]"
		return name + ".at", name + ".size"
	}
	name := "unitproof_fresh_" + itoa(k)
	return name, name + "_n"
}

// place are the arguments of a call that name where its own begin.
func (s *slots) place() string { return "unitproof_slots, " + s.base + itoa(s.n) }

// freshFlags are what a function has to know of the contract that asks it: bit 0, whether objects are looked at as a
// whole; bit 1, whether what is fresh was made by the function that ensures it.
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

// predicateHeads declares what is written for the functions that say what is fresh.
func (c *conditions) predicateHeads() {
	for _, name := range c.lifted.order {
		g := c.predicateOf(c.lifted.defined[name])
		for _, p := range predicatePrefixes {
			if g.predicateHead(p, g.storage()) {
				g.w.text(";")
			}
		}
	}
}

// predicateOf is the generator of one function.
func (c *conditions) predicateOf(f function) *generator {
	g := &generator{conditions: *c, f: f, name: c.word(f.name)}
	if err := g.parameters(); err != nil {
		g.names = nil // lift has looked
	}
	g.own = g.names
	g.begin()
	return g
}

// storage is that of the function.
func (g *generator) storage() string {
	for i := g.f.start; i < g.f.name; i++ {
		if g.word(i) == "static" {
			return "static __attribute__((unused))"
		}
	}
	return ""
}

// predicateHead writes the head of what is written for the function, if that is written.
func (g *generator) predicateHead(prefix, storage string) bool {
	if n, defined := g.lifted.slots[g.name]; defined && n < 0 && prefix == CheckPrefix {
		return false
	}
	g.ours("%s", storage)
	g.resultType()
	g.w.text(" %s%s(", prefix, g.name)
	if prefix == AssumePrefix {
		g.w.text("void **unitproof_arguments, unsigned long long unitproof_can)")
		return true
	}
	if len(g.names) > 0 {
		for i := g.f.open + 1; i < g.f.shut; i++ {
			g.spaced(i)
		}
		g.w.text(",")
	}
	g.w.text(" struct __unitproof_fresh *unitproof_slots, int unitproof_base, int unitproof_flags)")
	return true
}

// predicateBodies writes the functions that say what is fresh, and what stands for those of other files.
func (c *conditions) predicateBodies() error {
	for _, name := range c.lifted.order {
		g := c.predicateOf(c.lifted.defined[name])
		if g.predicateHead(CheckPrefix, g.storage()) {
			s := scope{use: checked, lifts: true, within: true, fresh: &slots{array: true, base: "unitproof_base + "}}
			if err := g.statements(s); err != nil {
				return err
			}
		}
		g.predicateHead(AssumePrefix, g.storage())
		g.w.text(" {")
		g.parametersFromAddresses()
		g.resultType()
		g.w.text(" unitproof_result;")
		if err := g.statements(scope{use: assumed, lifts: true, within: true, fresh: &slots{}}); err != nil {
			return err
		}
		g.ours(" unitproof_end:;")
		for k, name := range g.names {
			if g.made[name] {
				g.w.text(" if (unitproof_can >> %d & 1) *(void **)unitproof_arguments[%d] = (void *)%s;", k, k, name)
			}
		}
		g.w.text(" return unitproof_result; }")
	}
	return nil
}

// weakPredicates writes what stands for functions that another file defines, should they say nothing of what is fresh.
func (c *conditions) weakPredicates() {
	for _, name := range c.lifted.used {
		for _, p := range predicatePrefixes {
			g := c.predicateOf(c.lifted.declared[name])
			g.predicateHead(p, "__attribute__((weak))")
			g.w.text(" {")
			if p == AssumePrefix {
				g.parametersFromAddresses()
			}
			g.w.text(" return %s(%s); }", g.name, strings.Join(g.names, ", "))
		}
	}
}

// parametersFromAddresses declares the parameters of a function that gets their addresses.
func (g *generator) parametersFromAddresses() {
	for k, p := range g.split(g.f.open+1, g.f.shut, ",") {
		if k >= len(g.names) {
			return
		}
		for t := p.lo; t < p.hi; t++ {
			g.spaced(t)
		}
		g.w.text(" = *(__typeof__(%s) *)unitproof_arguments[%d];", g.names[k], k)
	}
}

// statements writes the body of the function with its conditions.
func (g *generator) statements(s scope) error {
	for i := g.f.body; i <= g.f.end; i++ {
		word := g.word(i)
		args := -1
		if g.is(i+1, "(") && g.partner[i+1] > 0 {
			args = g.partner[i+1]
		}
		if quantifiers[word] && g.is(i+1, "{") && g.partner[i+1] > 0 {
			if err := g.quantifier(i, s); err != nil {
				return err
			}
			i = g.partner[i+1]
			continue
		}
		if s.use == checked && args > 0 {
			_, asks := g.lifted.asks(word, s)
			var err error
			switch {
			case predicates[word] > 0:
				err = g.predicate(i, args, s, free)
			case asks:
				err = g.callPredicate(i, args, s, free)
			default:
				g.token(i)
				continue
			}
			if err != nil {
				return err
			}
			i = args
			continue
		}
		if end := g.find(i+1, g.f.end, ";"); s.use == assumed && word == "return" && end > i+1 {
			g.to(i)
			g.w.text("{ unitproof_result = (")
			if err := g.understood(i+1, end, s); err != nil {
				return err
			}
			g.w.text("); goto unitproof_end; }")
			i = end
			continue
		}
		g.token(i)
	}
	return nil
}

// understood writes a condition that is assumed, or, where it cannot be, as it stands.
func (g *generator) understood(lo, hi int, s scope) error {
	mark, place, known, made := len(g.w.out), g.w.place, g.w.known, maps.Clone(g.made)
	if err := g.condition(lo, hi, s, must); err == nil {
		return nil
	}
	g.w.out, g.w.place, g.w.known, g.made = g.w.out[:mark], place, known, made
	for i := lo; i < hi; i++ {
		g.token(i)
	}
	return nil
}

// declareFresh declares what tells the fresh objects of clauses of a kind apart.
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

// asks tells whether a word is a function that says what is fresh, and is asked so that it can be understood.
func (c *conditions) asks(word string, s scope, st stance) bool {
	if s.use == assumed && st == free {
		return false
	}
	_, ok := c.lifted.asks(word, s)
	return ok
}

// parameterAt is which parameter of a function that gets their addresses some tokens are, -1 for none.
func (c *conditions) parameterAt(t span, s scope) int {
	if !s.within || s.use != assumed {
		return -1
	}
	return slices.Index(c.own, c.words(t.lo, t.hi))
}
