package contract

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/vcgen/language"
)

// generator writes the functions for one contract.
type generator struct {
	conditions
	f    function
	name string
	// names has the names of the parameters.
	names []string
	void  bool // no result
}

// storage has the words of a declaration that are not part of the result type.
var storage = map[string]bool{"static": true, "extern": true, "inline": true, "__inline": true, "__inline__": true,
	"_Noreturn": true, "register": true}

// functionCode writes the functions for the contract of f, which follow the user's text.
func (c *conditions) functionCode(f function) error {
	g := &generator{conditions: *c, f: f, name: c.word(f.name)}
	if err := g.parameters(); err != nil {
		return err
	}
	g.void = g.isVoid()
	g.own = g.names
	if err := g.enforce(); err != nil {
		return err
	}
	return g.replace()
}

// parameters finds the names of the parameters.
func (g *generator) parameters() error {
	lo, hi := g.f.open+1, g.f.shut
	if lo >= hi || hi == lo+1 && g.word(lo) == "void" {
		return nil
	}
	for _, p := range g.split(lo, hi, ",") {
		if g.is(p.lo, "...") {
			return g.wrong(p.lo, "the contract of a function with a variable number of arguments is not understood")
		}
		name := g.parameterName(p)
		if name == "" {
			return g.wrong(p.lo, "a function with a contract needs a name for this parameter")
		}
		g.names = append(g.names, name)
	}
	return nil
}

// types has the keywords that are types or parts of types.
var types = map[string]bool{"void": true, "char": true, "short": true, "int": true, "long": true, "float": true,
	"double": true, "signed": true, "unsigned": true, "_Bool": true, "__int128": true, "_Complex": true,
	"__signed__": true, "__int128_t": true, "__builtin_va_list": true}

var qualifiers = map[string]bool{"const": true, "volatile": true, "restrict": true, "__restrict": true,
	"__restrict__": true, "__const": true, "register": true, "_Atomic": true, "__volatile__": true}

// parameterName returns the name in a declaration, or "" if it has none.
func (g *generator) parameterName(p span) string {
	// In f(int (*g)(int)) and f(int (*a)[4]) the name is in the first parentheses.
	for i := p.lo; i < p.hi; i++ {
		if g.is(i, "[") && g.partner[i] > i {
			i = g.partner[i]
			continue
		}
		if g.is(i, "(") && g.partner[i] > i && !specifiers[g.word(i-1)] {
			if g.is(i+1, "*") || g.is(i+1, "(") {
				return g.parameterName(span{i + 1, g.partner[i]})
			}
		}
	}
	typed, pointer, name := false, false, ""
	for i := p.lo; i < p.hi; i++ {
		word := g.word(i)
		switch {
		case g.is(i, "["):
			i = g.partner[i]
		case g.is(i, "*"):
			pointer = true
		case word == "" || qualifiers[word]:
		case specifiers[word] && g.is(i+1, "("):
			typed = typed || strings.Contains(word, "typeof")
			i = g.partner[i+1]
		case word == "struct" || word == "union" || word == "enum":
			typed = true
			i++
		case types[word]:
			typed = true
		case !typed && !pointer:
			typed = true // a typedef name
		default:
			name = word
		}
	}
	return name
}

// isVoid reports whether the function has no result.
func (g *generator) isVoid() bool {
	void := false
	for i := g.f.start; i < g.f.name; i++ {
		switch word := g.word(i); {
		case word == "void":
			void = true
		case g.is(i, "*"):
			return false
		case specifiers[word] && g.is(i+1, "(") && g.partner[i+1] > 0:
			i = g.partner[i+1]
		}
	}
	return void
}

// head writes the head of the function with a prefix before its name, and with another result type unless result is "".
func (g *generator) head(prefix, result string) {
	g.to(g.f.name)
	g.w.text("__attribute__((weak)) ")
	if result != "" {
		g.w.text("%s ", result)
	} else {
		g.resultType()
	}
	g.w.text(" %s%s", prefix, g.name)
	for i := g.f.open; i <= g.f.shut; i++ {
		g.spaced(i)
	}
	g.w.text(" {")
}

// spaced writes a token after a space, at the current position.
func (g *generator) spaced(i int) { g.w.text(" %s", g.tokens[i].Of(g.src.text)) }

// resultType writes the type of the result.
func (g *generator) resultType() {
	for i := g.f.start; i < g.f.name; i++ {
		word := g.word(i)
		switch {
		case storage[word]:
		case (word == "__attribute__" || word == "__attribute") && g.is(i+1, "("):
			i = g.partner[i+1]
		default:
			g.spaced(i)
		}
	}
}

// clauses writes a call of a primitive for each clause of a kind: to assume it, or to check it, with its text.
func (g *generator) clauses(kind clauseKind, primitive string, in scope) error {
	for _, cl := range g.f.clauses {
		if cl.kind != kind {
			continue
		}
		g.clause(cl)
		g.w.text("%s((_Bool)(", primitive)
		if err := g.condition(cl.open+1, cl.close, in, must); err != nil {
			return err
		}
		if in.use == checked {
			g.w.text("), %s);", g.quote(cl))
		} else {
			g.w.text("));")
		}
	}
	return nil
}

// enforce writes the proof of the contract.
func (g *generator) enforce() error {
	g.head(language.EnforcePrefix, "void")
	fresh := &slots{}
	before := scope{use: assumed, lifts: true, fresh: fresh}
	g.begin()
	g.ours(havocErrno+" __unitproof_assuming(%d);", language.AssumesRequired) // a contract is used at any time
	if err := g.clauses(requires, "__unitproof_assume", before); err != nil {
		return err
	}
	g.ours(" __unitproof_assuming(%d);", language.AssumesNothing)
	after := scope{use: checked, lifts: true, after: true, made: true, fresh: fresh}
	if err := g.history(&after); err != nil {
		return err
	}
	if err := g.declareFresh(after, ensures); err != nil {
		return err
	}
	targets, err := g.targets(g.f.clauses, before)
	if err != nil {
		return err
	}
	freed, err := g.freed(before)
	if err != nil {
		return err
	}
	g.ours(" __unitproof_frame_begin(0);")
	for _, t := range targets {
		g.ours(" __unitproof_frame_add(%s_at, %s_size);", t, t)
	}
	for _, t := range freed {
		g.ours(" __unitproof_frame_free(%s);", t)
	}
	g.to(g.f.name)
	if !g.void {
		g.resultType()
		g.w.text(" unitproof_result =")
	}
	g.w.text(" %s(%s);", g.name, strings.Join(g.names, ", "))
	g.ours(" __unitproof_frame_pause();")
	if err := g.clauses(ensures, "__unitproof_ensures", after); err != nil {
		return err
	}
	g.ours(" __unitproof_frame_go_on(); __unitproof_frame_end(); }")
	return nil
}

// replace writes the function that replaces calls of f.
func (g *generator) replace() error {
	// Its checks are reported at the call, so it has no position in the user's files.
	g.w.raw([]byte("\n# 1 \"" + File + "\" 3\n"))
	g.flat = true
	defer func() { g.flat = false }()
	g.head(language.ReplacePrefix, "")
	g.begin()
	fresh := &slots{}
	before := scope{use: checked, lifts: true, fresh: fresh}
	if err := g.declareFresh(before, requires); err != nil {
		return err
	}
	if err := g.clauses(requires, "__unitproof_requires", before); err != nil {
		return err
	}
	after := scope{use: assumed, lifts: true, after: true, fresh: fresh}
	if err := g.history(&after); err != nil {
		return err
	}
	targets, err := g.targets(g.f.clauses, before)
	if err != nil {
		return err
	}
	freed, err := g.freed(before)
	if err != nil {
		return err
	}
	for _, t := range targets {
		g.w.text(" __unitproof_havoc((void *)%s_at, %s_size);", t, t)
	}
	g.ours(havocErrno)
	for _, t := range freed {
		g.w.text(" if (__unitproof_choice()) __unitproof_free((void *)%s);", t)
	}
	if !g.void {
		g.w.text(" ")
		g.resultType()
		g.w.text(" unitproof_result; __unitproof_havoc((void *)&unitproof_result, sizeof unitproof_result);")
	}
	says := language.AssumesEnsured
	if g.neverReturns() {
		says = language.AssumesRequired
	}
	g.ours(" __unitproof_assuming(%d);", says)
	g.leave()
	if err := g.clauses(ensures, "__unitproof_assume", after); err != nil {
		return err
	}
	g.ours(" __unitproof_assuming(%d);", language.AssumesNothing)
	if !g.void {
		g.w.text(" return unitproof_result;")
	}
	g.w.text(" }")
	return nil
}

// neverReturns reports whether the contract excludes that the function returns: it ensures false.
func (g *generator) neverReturns() bool {
	return slices.ContainsFunc(g.f.clauses, func(cl clause) bool {
		return cl.kind == ensures && strings.TrimPrefix(g.words(cl.open+1, cl.close), "(_Bool)") == "0"
	})
}

// quote returns the condition of a clause as a C string literal.
func (c *conditions) quote(cl clause) string {
	var text string
	if cl.open+1 < cl.close {
		open, from, to := c.src.fineAt(c.tokens[cl.open].Start), c.src.fineAt(c.tokens[cl.open+1].Start),
			c.src.fineAt(c.tokens[cl.close-1].Start)
		if o := c.src.originals[from.file]; o != nil {
			var ok bool
			if text, ok = o.inside(open); !ok && from.file == to.file { // a macro expands to the clause
				text = o.words(from, to)
			}
		}
	}
	if text == "" {
		text = string(csource.OneLine(c.src.text[c.tokens[cl.open].End:c.tokens[cl.close].Start]))
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(text) + `"`
}

// history saves the old values that occur in the postconditions.
func (g *generator) history(s *scope) error {
	s.old = map[int]string{}
	for _, cl := range g.f.clauses {
		if cl.kind != ensures {
			continue
		}
		if err := g.save("__CPROVER_old", "unitproof_old", cl.open+1, cl.close, s); err != nil {
			return err
		}
	}
	return nil
}

// targets declares the address and the size of each target of assigns, and returns the names of the variables.
func (c *conditions) targets(clauses []clause, s scope) (names []string, err error) {
	for _, cl := range clauses {
		if cl.kind != assigns {
			continue
		}
		err := c.eachTarget(cl, func(guard, target span) error {
			name := "unitproof_target_" + itoa(len(names))
			names = append(names, name)
			return c.target(name, guard, target, s)
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// countTargets returns the number of targets of assigns.
func (c *conditions) countTargets(clauses []clause) (n int, err error) {
	for _, cl := range clauses {
		if cl.kind == assigns && err == nil {
			err = c.eachTarget(cl, func(_, _ span) error { n++; return nil })
		}
	}
	return n, err
}

// eachTarget calls f for each target of a clause: `a, b; condition: c, d`.
func (c *conditions) eachTarget(cl clause, f func(guard, target span) error) error {
	if cl.open+1 >= cl.close {
		return nil
	}
	for _, group := range c.split(cl.open+1, cl.close, ";") {
		guard := span{}
		if at := c.find(group.lo, group.hi, ":"); at >= 0 && c.find(group.lo, at, "?") < 0 {
			guard = span{group.lo, at}
			group.lo = at + 1
		}
		for _, t := range c.arguments(group.lo, group.hi) {
			if t.lo >= t.hi {
				return c.wrong(t.lo, "a target is missing")
			}
			if err := f(guard, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// target declares the address and the size of one target. They are 0 if the condition of the target does not hold.
func (c *conditions) target(name string, guard, t span, s scope) error {
	now := scope{use: checked, inLoop: s.inLoop, fresh: s.fresh, old: s.old}
	c.to(t.lo)
	write := func(lo, hi int) error { return c.condition(lo, hi, now, free) }
	guarded := func(what func() error) error {
		if guard.lo == guard.hi {
			return what()
		}
		c.w.text("(")
		if err := write(guard.lo, guard.hi); err != nil {
			return err
		}
		c.w.text(") ? ")
		if err := what(); err != nil {
			return err
		}
		c.w.text(" : 0")
		return nil
	}
	pieces := func(list ...any) func() error {
		return func() error {
			for _, p := range list {
				switch p := p.(type) {
				case string:
					c.w.text("%s", p)
				case span:
					if err := write(p.lo, p.hi); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
	var at, size func() error
	word := c.word(t.lo)
	if c.is(t.lo+1, "(") && c.partner[t.lo+1] == t.hi-1 {
		args := c.arguments(t.lo+2, t.hi-1)
		switch {
		case word == "__CPROVER_object_whole" && len(args) == 1:
			at = pieces("(const char *)(", args[0], ") - __unitproof_offset(", args[0], ")")
			size = pieces("__unitproof_size(", args[0], ")")
		case word == "__CPROVER_object_from" && len(args) == 1:
			at = pieces("(const char *)(", args[0], ")")
			size = pieces("__unitproof_size(", args[0], ") - __unitproof_offset(", args[0], ")")
		case word == "__CPROVER_object_upto" && len(args) == 2:
			at = pieces("(const char *)(", args[0], ")")
			size = pieces("(__unitproof_size_t)(", args[1], ")")
		case word == "__CPROVER_typed_target" && len(args) == 1:
			at = pieces("(const char *)&(", args[0], ")")
			size = pieces("sizeof(", args[0], ")")
		}
	}
	if at == nil {
		if word != "" && c.is(t.lo+1, "(") && c.partner[t.lo+1] == t.hi-1 {
			return c.wrong(t.lo, "%s is not a supported target of a clause", word)
		}
		at = pieces("(const char *)&(", t, ")")
		size = pieces("sizeof(", t, ")")
	}
	c.w.text(" const char *%s_at = ", name)
	if err := guarded(at); err != nil {
		return err
	}
	c.w.text("; __unitproof_size_t %s_size = ", name)
	if err := guarded(size); err != nil {
		return err
	}
	c.w.text(";")
	return nil
}

// freed declares a variable for each pointer that the function may free.
func (g *generator) freed(s scope) (names []string, err error) {
	for _, cl := range g.f.clauses {
		if cl.kind != frees {
			continue
		}
		err := g.eachTarget(cl, func(guard, t span) error {
			name := "unitproof_freed_" + itoa(len(names))
			names = append(names, name)
			now := scope{use: checked, fresh: s.fresh}
			g.to(t.lo)
			g.w.text("const void *%s = ", name)
			if guard.lo < guard.hi {
				g.w.text("!(")
				if err := g.condition(guard.lo, guard.hi, now, free); err != nil {
					return err
				}
				g.w.text(") ? 0 : ")
			}
			g.w.text("(const void *)(")
			if err := g.condition(t.lo, t.hi, now, free); err != nil {
				return err
			}
			g.w.text(");")
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}
