package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A predicate is a function of the user whose body uses words of contracts:
//
//	bool valid(char *s, int n) { return n > 0 && __CPROVER_is_fresh(s, n); }
//	void f(char *s, int n) __CPROVER_requires(valid(s, n));
//
// An assumed call of valid has to assign its caller's pointer s, so the function is written twice more, behind its
// file:
//
//   - unitproof_assume_F gets the addresses of its arguments, and assigns the pointers that it makes;
//   - unitproof_check_F gets the slots that distinguish fresh objects.
//
// A file with a contract may contain only a declaration of F. In that case both are weak there, and call F. A word of
// contracts that is used in an unsupported way stays a call of an undefined function.

const (
	AssumePrefix = "unitproof_assume_"
	CheckPrefix  = "unitproof_check_"

	// maxSlots is the number of fresh objects that one contract may request through predicates; the prelude's helper
	// has as many checks. maxOwn is the limit for one predicate.
	maxSlots = 32
	maxOwn   = 8
)

// predicatePrefixes are the prefixes of the functions that are generated for predicates.
var predicatePrefixes = []string{AssumePrefix, CheckPrefix}

// lifted has the predicates of a file: functions that may request fresh objects.
type lifted struct {
	// defined has the functions with a body that uses words of contracts, by name. declared has the other functions,
	// which another file may define like that.
	defined, declared map[string]function
	// order has the names of defined in the order of the file.
	order []string
	// slots is the number of fresh objects that a defined predicate requests, -1 if it is unknown.
	slots map[string]int
	used  []string // declared ones that conditions call
}

// declarations returns the functions of the file by name: with a body (order is their order), and declared only.
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

// lift finds the predicates.
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

// count returns the number of fresh objects that a predicate requests.
func (l *lifted) count(r *reader, name string) int {
	if n, done := l.slots[name]; done {
		return n
	}
	l.slots[name] = -1 // for recursive calls
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

// asks reports whether a word of a condition is, or may be, a predicate, and returns the number of its slots.
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

// callPredicate writes the call of a predicate at token i.
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

// isPlace reports whether the tokens are a parameter of the current function, or a member reachable through one that is
// not a bit-field.
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

// predicateHeads declares the generated functions of all predicates.
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

// predicateOf returns the generator of one predicate.
func (c *conditions) predicateOf(f function) *generator {
	g := &generator{conditions: *c, f: f, name: c.word(f.name)}
	if err := g.parameters(); err != nil {
		g.names = nil // lift has checked them
	}
	g.own = g.names
	g.begin()
	return g
}

// storage returns the storage class of the generated functions.
func (g *generator) storage() string {
	for i := g.f.start; i < g.f.name; i++ {
		if g.word(i) == "static" {
			return "static __attribute__((unused))"
		}
	}
	return ""
}

// predicateHead writes the head of a generated function of the predicate, and reports whether there is such a function.
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

// predicateBodies writes the generated functions of the predicates of this file, and weak ones for the predicates of
// other files.
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

// weakPredicates writes weak functions for predicates that another file may define; they apply if it does not.
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

// statements writes the body of a predicate with its conditions.
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

// understood writes an assumed condition, or its unchanged tokens if it cannot be assumed.
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

// parameterAt returns the index of the parameter that the tokens are, or -1; only in functions that get addresses.
func (c *conditions) parameterAt(t span, s scope) int {
	if !s.within || s.use != assumed {
		return -1
	}
	return slices.Index(c.own, c.words(t.lo, t.hi))
}
