package contract

import (
	"bytes"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// use is what becomes of a condition.
type use uint8

const (
	// assumed: pointers are made such that the condition holds.
	assumed use = iota
	// checked: the condition is evaluated.
	checked
)

// stance is how a part of a condition stands in the whole.
type stance uint8

const (
	// must: the condition holds only if the part does.
	must stance = iota
	// may: the part being true can only help, but it need not be.
	may
	// free: anything else.
	free
)

// scope is what the words of a contract mean where a condition is written.
type scope struct {
	use use
	// after: the condition speaks of the state behind a call, with a result and with old values.
	after bool
	// made: what is fresh was allocated by the function.
	made bool
	// inLoop: the condition is one of a loop.
	inLoop bool
	// old gives the variable that holds an expression's earlier value, by its first token.
	old map[int]string
	// fresh are the variables that hold which objects were fresh so far.
	fresh *slots
	// lifts: functions may say what is fresh. within: the condition is one of such a function.
	lifts, within bool
}

// conditions writes conditions.
type conditions struct {
	*reader
	w *writer
	// flat: what is written stays on one line.
	flat bool
	// declares: in the braces of a statement expression.
	declares bool
	// made are the pointers that the contract under way made so far, as they are written.
	made map[string]bool
	// own are the parameters of the function under way.
	own    []string
	lifted *lifted
}

// havocErrno makes errno arbitrary, where any file of the program uses it: library functions set it, and no frame names
// it.
const havocErrno = " __unitproof_havoc((void *)__unitproof_errno_at(), sizeof(int));"

// to goes to the place of a token.
func (c *conditions) to(i int) {
	if c.flat {
		c.w.text(" ")
		return
	}
	c.w.move(c.src.fineAt(c.tokens[i].Start))
}

// clause goes to the place of a clause: where a macro wraps it, of the name that is written for it.
func (c *conditions) clause(cl clause) {
	if c.flat {
		c.w.text(" ")
		return
	}
	p := c.src.at(c.tokens[cl.name].Start)
	if o := c.src.originals[p.file]; o != nil {
		at := o.offset(p)
		if word := c.word(cl.name); at < 0 || !bytes.HasPrefix(o.text[at:], []byte(word)) {
			q, ok := o.callOf(c.src.fineAt(c.tokens[cl.open+1].Start))
			if !ok { // the whole clause is a macro
				q = c.src.fineAt(c.tokens[cl.name].Start)
			}
			p = q
		}
	}
	c.w.move(p)
}

// ours writes something of ours that stands in no file of the user's.
func (c *conditions) ours(format string, args ...any) {
	if c.flat {
		c.w.text(format, args...)
		return
	}
	c.w.ours(format, args...)
}

// token writes one token at its place.
func (c *conditions) token(i int) {
	c.to(i)
	if n := len(c.w.out); n > 0 && csource.IsIdentByte(c.w.out[n-1]) &&
		csource.IsIdentByte(c.src.text[c.tokens[i].Start]) {
		c.w.text(" ") // what a macro made of a word in front of it may be longer
	}
	c.w.raw(c.src.text[c.tokens[i].Start:c.tokens[i].End])
}

// within writes some tokens as a condition.
func (c *conditions) condition(lo, hi int, s scope, st stance) error {
	if lo >= hi {
		return c.wrong(lo, "an operand is missing")
	}
	// What binds least comes first. A comma or a semicolon separates what is no part of one condition.
	if at := c.find(lo, hi, ",", ";"); at >= 0 {
		if err := c.optional(lo, at, s); err != nil {
			return err
		}
		c.token(at)
		return c.optional(at+1, hi, s)
	}
	if at := c.find(lo, hi, "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="); at >= 0 {
		if !c.declares {
			return c.wrong(at, "a condition of a contract may change nothing")
		}
		return c.leaf(lo, hi, s, free)
	}
	if at := c.find(lo, hi, "?"); at >= 0 {
		colon := c.colon(at, hi)
		if colon < 0 {
			return c.wrong(at, "? has no :")
		}
		if err := c.condition(lo, at, s, free); err != nil {
			return err
		}
		c.token(at)
		// Each of the two is evaluated only where the whole is it.
		if err := c.condition(at+1, colon, s, st); err != nil {
			return err
		}
		c.token(colon)
		return c.condition(colon+1, hi, s, st)
	}
	if at := c.find(lo, hi, "<==>"); at >= 0 {
		c.w.text("(!(")
		if err := c.condition(lo, at, s, free); err != nil {
			return err
		}
		c.w.text(") == !(")
		if err := c.condition(at+c.width(at), hi, s, free); err != nil {
			return err
		}
		c.w.text("))")
		return nil
	}
	if at := c.find(lo, hi, "==>"); at >= 0 {
		c.w.text("(!(")
		if err := c.condition(lo, at, s, free); err != nil {
			return err
		}
		c.w.text(") || (")
		if err := c.condition(at+c.width(at), hi, s, st); err != nil {
			return err
		}
		c.w.text("))")
		return nil
	}
	// The right side of || is evaluated only where the left one does not hold; both sides of | are.
	for _, op := range []struct {
		word        string
		left, right stance
	}{{"||", max(st, may), st}, {"&&", st, st}, {"|", max(st, may), max(st, may)}, {"^", free, free}, {"&", st, st}} {
		if at := c.findBinary(lo, hi, op.word); at >= 0 {
			if err := c.condition(lo, at, s, op.left); err != nil {
				return err
			}
			c.token(at)
			return c.condition(at+1, hi, s, op.right)
		}
	}
	if c.is(lo, "(") && c.partner[lo] == hi-1 && !c.is(lo+1, "{") {
		c.token(lo)
		if err := c.condition(lo+1, hi-1, s, st); err != nil {
			return err
		}
		c.token(hi - 1)
		return nil
	}
	return c.leaf(lo, hi, s, st)
}

// optional is a condition, or nothing.
func (c *conditions) optional(lo, hi int, s scope) error {
	if lo >= hi {
		return nil
	}
	return c.condition(lo, hi, s, free)
}

// find is the first of some operators outside of brackets, -1 for none.
func (c *conditions) find(lo, hi int, ops ...string) int {
	for i := lo; i < hi; i++ {
		if (c.is(i, "(") || c.is(i, "[") || c.is(i, "{")) && c.partner[i] > i {
			i = c.partner[i]
			continue
		}
		if c.tokens[i].Kind != csource.Operator {
			continue
		}
		op, n := c.operator(i)
		for _, want := range ops {
			if op == want {
				return i
			}
		}
		i += n - 1
	}
	return -1
}

// findBinary is the first of an operator with two operands outside of brackets, -1 for none.
func (c *conditions) findBinary(lo, hi int, op string) int {
	for at := c.find(lo, hi, op); at >= 0; at = c.find(at+1, hi, op) {
		before := at - 1
		if op != "&" || before >= lo &&
			(c.tokens[before].Kind != csource.Operator || c.is(before, ")") || c.is(before, "]")) &&
			!c.isCast(lo, before) {
			return at
		}
	}
	return -1
}

// isCast tells whether a token ends parentheses in front of an operand, as far as can be seen without knowing types.
func (c *conditions) isCast(lo, shut int) bool {
	if !c.is(shut, ")") || c.partner[shut] < lo {
		return false
	}
	open := c.partner[shut]
	if open > lo && c.tokens[open-1].Kind != csource.Operator {
		return false // a call
	}
	return c.is(shut-1, "*") || types[c.word(shut-1)]
}

// operator is the operator at a token, those of CBMC that C does not have included, and how many tokens it is.
func (c *conditions) operator(i int) (op string, tokens int) {
	switch {
	case c.is(i, "<=") && c.is(i+1, "=") && c.is(i+2, ">"):
		return "<==>", 3
	case c.is(i, "==") && c.is(i+1, ">"):
		return "==>", 2
	}
	return c.tokens[i].Of(c.src.text), 1
}

func (c *conditions) width(i int) int { _, n := c.operator(i); return n }

// colon is the : of a ?.
func (c *conditions) colon(question, hi int) int {
	depth := 0
	for i := question; i < hi; i++ {
		switch {
		case (c.is(i, "(") || c.is(i, "[") || c.is(i, "{")) && c.partner[i] > i:
			i = c.partner[i]
		case c.is(i, "?"):
			depth++
		case c.is(i, ":"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// words are some tokens without the spaces between them.
func (c *conditions) words(lo, hi int) string {
	for hi-1 > lo && c.is(lo, "(") && c.partner[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	var b strings.Builder
	for i := lo; i < hi; i++ {
		b.WriteString(c.tokens[i].Of(c.src.text))
	}
	return b.String()
}

// binds finds, in what is assumed, `p == q` of a pointer that was made and one that was not: it is made that pointer,
// as by __CPROVER_pointer_equals. What only has the address of an object would be no pointer to it.
func (c *conditions) binds(lo, hi int, s scope, st stance) (made, other span, ok bool) {
	at := c.find(lo, hi, "==")
	if s.use != assumed || s.inLoop || s.within || st == free || at < 0 ||
		c.find(at+1, hi, "==", "!=", "<", ">", "<=", ">=") >= 0 {
		return made, other, false
	}
	made, other = span{lo, at}, span{at + 1, hi}
	if !c.made[c.words(made.lo, made.hi)] {
		made, other = other, made
	}
	if !c.made[c.words(made.lo, made.hi)] || c.made[c.words(other.lo, other.hi)] {
		return made, other, false
	}
	for i := other.lo; i < other.hi; i++ { // a variable, or a member of one
		if c.word(i) == "" && !c.is(i, ".") && !c.is(i, "->") || c.word(i) == "NULL" {
			return made, other, false
		}
	}
	return made, other, true
}

// leaf writes what has no logical operator outside of brackets.
func (c *conditions) leaf(lo, hi int, s scope, st stance) error {
	if made, other, ok := c.binds(lo, hi, s, st); ok {
		c.to(lo)
		return c.make("__CPROVER_pointer_equals", []span{other, made}, s, st)
	}
	whole := func(from, shut int) stance {
		if from != lo || shut != hi-1 {
			return free
		}
		return st
	}
	for i := lo; i < hi; i++ {
		word := c.word(i)
		args := -1
		if c.is(i+1, "(") && c.partner[i+1] > 0 {
			args = c.partner[i+1]
		}
		switch {
		case (c.is(i, "++") || c.is(i, "--")) && !c.declares:
			return c.wrong(i, "a condition of a contract may change nothing")
		case quantifiers[word] && c.is(i+1, "{") && c.partner[i+1] > 0:
			if err := c.quantifier(i, s); err != nil {
				return err
			}
			i = c.partner[i+1]
		case args > 0 && c.asks(word, s, whole(i, args)):
			if err := c.callPredicate(i, args, s, whole(i, args)); err != nil {
				return err
			}
			i = args
		case predicates[word] && args > 0:
			stands := whole(i, args)
			if err := c.predicate(i, args, s, stands); err != nil {
				return err
			}
			i = args
		case word == "__CPROVER_return_value":
			if !s.after {
				return c.wrong(i, "there is a result in what the function ensures only")
			}
			c.to(i)
			c.w.text("unitproof_result")
		case word == "__CPROVER_old" || word == "__CPROVER_loop_entry":
			name, ok := s.old[i]
			if !ok {
				return c.wrong(i, "%s", map[string]string{"__CPROVER_old": "__CPROVER_old belongs to what a function ensures",
					"__CPROVER_loop_entry": "__CPROVER_loop_entry belongs to the invariant of a loop"}[word])
			}
			c.to(i)
			c.w.text("%s", name)
			i = args
		case (c.is(i, "(") || c.is(i, "[") || c.is(i, "{")) && c.partner[i] > i:
			end := c.partner[i]
			c.token(i)
			outside := c.declares
			c.declares = outside || c.is(i, "{") // of a statement expression, which has variables of its own
			err := c.optional(i+1, end, s)
			c.declares = outside
			if err != nil {
				return err
			}
			c.token(end)
			i = end
		default:
			c.token(i)
		}
	}
	return nil
}

// quantifiers are CBMC's, which are no C: `__CPROVER_forall { int i; CONDITION }`.
var quantifiers = map[string]bool{"__CPROVER_forall": true, "__CPROVER_exists": true}

// quantifier writes the one at token i with its words, for others to make C of, on one line.
func (c *conditions) quantifier(i int, s scope) error {
	end := c.partner[i+1]
	semicolon := c.find(i+2, end, ";")
	if semicolon < 0 {
		return c.wrong(i, "%s has the form { TYPE NAME; CONDITION }", c.word(i))
	}
	c.to(i)
	flat := *c
	flat.flat = true
	for k := i; k <= semicolon; k++ {
		flat.token(k)
	}
	from := semicolon + 1
	if at := c.find(from, end, "==>"); at >= 0 && c.find(from, end, "?", "<==>", ",") < 0 {
		if err := flat.condition(from, at, s, free); err != nil {
			return err
		}
		c.w.text(" ==> ")
		from = at + c.width(at)
	}
	if err := flat.condition(from, end, s, free); err != nil {
		return err
	}
	c.w.text(" }")
	return nil
}

// predicates are the words of contracts that look like calls of functions.
var predicates = map[string]bool{"__CPROVER_is_fresh": true, "__CPROVER_pointer_equals": true,
	"__CPROVER_pointer_in_range_dfcc": true, "__CPROVER_is_freeable": true, "__CPROVER_was_freed": true}

// predicate writes the one at token i, whose parentheses end at shut.
func (c *conditions) predicate(i, shut int, s scope, st stance) error {
	word := c.word(i)
	args := c.arguments(i+2, shut)
	want := map[string]int{"__CPROVER_is_fresh": 2, "__CPROVER_pointer_equals": 2, "__CPROVER_pointer_in_range_dfcc": 3,
		"__CPROVER_is_freeable": 1, "__CPROVER_was_freed": 1}[word]
	if len(args) != want {
		return c.wrong(i, "%s takes %d arguments", word, want)
	}
	if s.inLoop && word != "__CPROVER_pointer_in_range_dfcc" && word != "__CPROVER_pointer_equals" {
		return c.wrong(i, "%s is not understood in the contract of a loop", word)
	}
	join := func(pieces ...any) error { return c.join(args, s, pieces...) }
	c.to(i)
	makes := s.use == assumed && !s.inLoop && word != "__CPROVER_is_freeable" && word != "__CPROVER_was_freed"
	if !makes {
		switch word {
		case "__CPROVER_is_fresh":
			return c.isFresh(join, s)
		case "__CPROVER_pointer_equals":
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

// make writes an assumed predicate, which makes a pointer.
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
	// The pointer is a variable: an array has another type than what & and * make of it.
	if err := join(before, "__extension__({ _Static_assert(__builtin_types_compatible_p(__typeof__(", pointer,
		"), __typeof__(&*(", pointer, "))), \"a pointer is made: this is an array\"); void **unitproof_p = (void **)&(",
		pointer, "); "); err != nil {
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
			allocate = "__unitproof_malloc" // what a function makes is an object
		}
		err = join("*unitproof_p = "+allocate+"((", 1, ")); __unitproof_assume(*unitproof_p != 0);")
	case "__CPROVER_pointer_equals":
		err = join("*unitproof_p = (void *)(", 1, ");")
	case "__CPROVER_pointer_in_range_dfcc":
		err = join("char *unitproof_low = (char *)(", 0, "); "+
			"__unitproof_size_t unitproof_n = (__unitproof_size_t)((char *)(", 2,
			") - unitproof_low), unitproof_k = __unitproof_number(); __unitproof_assume(unitproof_k <= unitproof_n); "+
				"*unitproof_p = unitproof_low + unitproof_k;")
	}
	if err != nil {
		return err
	}
	return join(" (_Bool)1; })" + after)
}

// pointerOf is the argument of a predicate that is made.
func pointerOf(predicate string) int {
	if predicate == "__CPROVER_pointer_in_range_dfcc" {
		return 1
	}
	return 0
}

// join writes pieces of ours around arguments, which are numbers.
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

// isFresh writes the question whether memory is there, and shares no byte with that of those before it. The proof of
// the contract has an object for each: what it does within their bytes, it does in parts of one object, too, unless
// somebody asks which objects they are.
func (c *conditions) isFresh(join func(...any) error, s scope) error {
	if err := join("__extension__({ const void *unitproof_p = (", 0, "); _Bool unitproof_ok = unitproof_p != 0 && "+
		"__unitproof_r_ok(unitproof_p, (", 1, ")); __unitproof_size_t unitproof_n = (", 1,
		"); unitproof_ok = unitproof_ok"); err != nil {
		return err
	}
	apart := " && __unitproof_disjoint(unitproof_p, unitproof_n, %s, %s)"
	if c.wholeObjects {
		apart = " && !(%[1]s && __unitproof_object(unitproof_p) == __unitproof_object(%[1]s))%.0[2]s"
	}
	if s.within {
		c.w.text(" && __unitproof_all_apart(unitproof_slots, %s%d, unitproof_p, unitproof_n, %s)", s.fresh.base, s.fresh.n,
			c.freshFlags(s))
		c.w.text(" && (!(unitproof_flags & 2) || (__unitproof_is_new(unitproof_p) && __unitproof_offset(unitproof_p) == 0))")
		c.w.text("; if (!(unitproof_flags & 2)) __unitproof_apart(unitproof_p)")
	} else {
		for k := range s.fresh.n {
			object, size := s.fresh.at(k)
			c.w.text(apart, object, size)
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

// span is some tokens.
type span struct{ lo, hi int }

// arguments splits tokens at commas.
func (c *conditions) arguments(lo, hi int) []span {
	if lo >= hi {
		return nil
	}
	return c.split(lo, hi, ",")
}

// split splits tokens at an operator outside of brackets.
func (c *conditions) split(lo, hi int, op string) []span {
	var out []span
	for {
		at := c.find(lo, hi, op)
		if at < 0 {
			return append(out, span{lo, hi})
		}
		out = append(out, span{lo, at})
		lo = at + 1
	}
}

// uses finds the calls of a word in some tokens, outermost only.
func (c *conditions) uses(word string, lo, hi int) (list []span) {
	for i := lo; i < hi; i++ {
		if c.word(i) == word && c.is(i+1, "(") && c.partner[i+1] > 0 {
			list = append(list, span{i, c.partner[i+1]})
			i = c.partner[i+1]
		}
	}
	return list
}
