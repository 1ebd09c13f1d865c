package inspect

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Evaluate computes a C expression without side effects at the current moment, in the scope of a frame.
//
// It supports names, literals, casts to types of the program, sizeof, and all operators except assignments, calls and
// the comma. The value of a name or access path is a place, whose parts can be displayed.
func (r *Inspector) Evaluate(f FrameView, text string) (v Value, err error) {
	p := &cexpr{r: r, frame: f}
	if p.toks, err = cTokens(text); err != nil {
		return Value{}, err
	}
	defer func() {
		if e, ok := recover().(cError); ok {
			v, err = Value{}, errors.New(string(e))
		}
	}()
	v = p.ternary()
	if !p.at("") {
		p.fail("`%s` is not understood here", p.tok().text)
	}
	if v.broken != "" {
		return Value{}, errors.New(v.broken)
	}
	return v, nil
}

// True reports whether a condition holds. It returns an error if the value is not a number or is unknown.
func (v Value) True() (bool, error) {
	n, err := v.decay().load()
	if err != nil {
		return false, err
	}
	if v.typ.Kind == llvmir.DIFloat {
		return state.ToFloat(n, int(v.typ.Bits)) != 0, nil
	}
	return n.Bits != 0, nil
}

type cError string

type cToken struct {
	text string // "" at the end
	kind byte   // 'n' name, '0' number, 'c' character, 'o' operator
}

var cOperators = []string{"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"}

func cTokens(s string) ([]cToken, error) {
	if len(s) > 10_000 {
		return nil, errors.New("the expression is too long")
	}
	letter := func(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	var out []cToken
	for i := 0; i < len(s); {
		c, start := s[i], i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case letter(c):
			for i < len(s) && (letter(s[i]) || digit(s[i])) {
				i++
			}
			out = append(out, cToken{s[start:i], 'n'})
		case digit(c) || c == '.' && i+1 < len(s) && digit(s[i+1]):
			for i < len(s) && (letter(s[i]) || digit(s[i]) || s[i] == '.' || strings.IndexByte("eEpP", s[i-1]) >= 0 &&
				(s[i] == '+' || s[i] == '-') && i > start && !strings.HasPrefix(s[start:], "0x")) {
				i++
			}
			out = append(out, cToken{s[start:i], '0'})
		case c == '\'':
			for i++; i < len(s) && s[i] != '\''; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			if i >= len(s) {
				return nil, errors.New("a character without its closing '")
			}
			i++
			out = append(out, cToken{s[start:i], 'c'})
		default:
			op := s[i : i+1]
			for _, o := range cOperators {
				if strings.HasPrefix(s[i:], o) {
					op = o
				}
			}
			if !strings.ContainsAny(op[:1], "+-*/%&|^~!<>=?:()[].") || op == "=" {
				return nil, fmt.Errorf("`%s` is not understood: expressions have no side effects and no calls", op)
			}
			i += len(op)
			out = append(out, cToken{op, 'o'})
		}
	}
	return append(out, cToken{}), nil
}

// cexpr is a recursive descent parser that evaluates while it parses.
type cexpr struct {
	r     *Inspector
	frame FrameView
	toks  []cToken
	depth int
	// idle: the operand is not evaluated (the right operand of a decided && or ?:), so errors in it are ignored.
	idle int
}

func (p *cexpr) fail(format string, args ...any) { panic(cError(fmt.Sprintf(format, args...))) }

func (p *cexpr) tok() cToken { return p.toks[0] }

func (p *cexpr) at(op string) bool { return p.toks[0].text == op && p.toks[0].kind != 'c' }

func (p *cexpr) take(op string) bool {
	if p.at(op) {
		p.toks = p.toks[1:]
		return true
	}
	return false
}

func (p *cexpr) expect(op string) {
	if !p.take(op) {
		p.fail("`%s` is missing", op)
	}
}

// nothing returns the value of an operand that is not evaluated.
func (p *cexpr) nothing() Value { return p.number(0, cInt) }

// attempt calls f, unless the value is not needed.
func (p *cexpr) attempt(f func() (Value, error)) Value {
	if p.idle > 0 {
		return p.nothing()
	}
	v, err := f()
	if err != nil {
		p.fail("%s", err)
	}
	return v
}

func (p *cexpr) ternary() Value {
	if p.depth++; p.depth > 200 {
		p.fail("the expression is nested too deeply")
	}
	defer func() { p.depth-- }()
	c := p.binary(0)
	if !p.take("?") {
		return c
	}
	yes := p.truth(c)
	branch := func(wanted bool) Value {
		if !wanted {
			p.idle++
			defer func() { p.idle-- }()
		}
		return p.ternary()
	}
	a := branch(yes)
	p.expect(":")
	b := branch(!yes)
	if yes {
		return a
	}
	return b
}

func (p *cexpr) truth(v Value) bool {
	if p.idle > 0 {
		return false
	}
	b, err := v.True()
	if err != nil {
		p.fail("%s", err)
	}
	return b
}

var cLevels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"},
	{"+", "-"}, {"*", "/", "%"}}

func (p *cexpr) binary(level int) Value {
	if level == len(cLevels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for slices.Contains(cLevels[level], p.tok().text) && p.tok().kind == 'o' {
		op := p.tok().text
		p.toks = p.toks[1:]
		if op == "||" || op == "&&" {
			a := p.truth(x)
			skip := a == (op == "||")
			if skip {
				p.idle++
			}
			y := p.binary(level + 1)
			if skip {
				p.idle--
			} else {
				a = p.truth(y)
			}
			x = p.boolean(a)
			continue
		}
		y := p.binary(level + 1)
		left := x
		x = p.attempt(func() (Value, error) { return p.r.operate(op, left, y) })
	}
	return x
}

func (p *cexpr) boolean(b bool) Value {
	if b {
		return p.number(1, cInt)
	}
	return p.number(0, cInt)
}

func (p *cexpr) number(n uint64, t *llvmir.DIType) Value {
	return Value{r: p.r, typ: t, num: state.IntValue(n & state.Mask(int(t.Bits)))}
}

func (p *cexpr) unary() Value {
	if p.depth++; p.depth > 200 {
		p.fail("the expression is nested too deeply")
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("*"):
		x := p.unary()
		return p.attempt(x.Deref)
	case p.take("&"):
		x := p.unary()
		return p.attempt(x.address)
	case p.take("+"):
		x := p.unary()
		return p.attempt(func() (Value, error) { return p.r.operate("+", p.number(0, cInt), x) })
	case p.take("-"):
		x := p.unary()
		return p.attempt(func() (Value, error) { return p.r.operate("-", p.number(0, cInt), x) })
	case p.take("~"):
		x := p.unary()
		return p.attempt(func() (Value, error) { return p.r.operate("^", p.number(^uint64(0), cInt), x) })
	case p.take("!"):
		return p.boolean(!p.truth(p.unary()))
	case p.tok().text == "sizeof" && p.tok().kind == 'n':
		p.toks = p.toks[1:]
		if p.at("(") {
			if t := p.castType(); t != nil {
				return p.number(uint64(explain.TypeSize(t)), cULong)
			}
		}
		x := p.unary()
		return p.number(uint64(explain.TypeSize(x.typ)), cULong)
	case p.at("("):
		if t := p.castType(); t != nil {
			x := p.unary()
			return p.attempt(func() (Value, error) { return x.convert(t) })
		}
	}
	return p.postfix()
}

func (p *cexpr) postfix() Value {
	x := p.primary()
	for {
		switch {
		case p.take("["):
			i := p.ternary()
			p.expect("]")
			base := x
			x = p.attempt(func() (Value, error) {
				q, err := p.r.operate("+", base, i)
				if err != nil {
					return q, err
				}
				return q.Deref()
			})
		case p.at(".") || p.at("->"):
			arrow := p.take("->") || !p.take(".")
			name := p.tok()
			if name.kind != 'n' {
				p.fail("a member's name is missing")
			}
			p.toks = p.toks[1:]
			base := x
			x = p.attempt(func() (Value, error) {
				s := base
				// Like in debuggers, p.x means p->x.
				if arrow || s.typ != nil && s.typ.Kind == llvmir.DIPointer {
					var err error
					if s, err = s.Deref(); err != nil {
						return s, err
					}
				}
				return s.Member(name.text)
			})
		default:
			return x
		}
	}
}

func (p *cexpr) primary() Value {
	t := p.tok()
	switch {
	case t.text == "":
		p.fail("the expression is not complete")
	case t.text == "(" && t.kind == 'o':
		p.toks = p.toks[1:]
		x := p.ternary()
		p.expect(")")
		return x
	case t.kind == '0':
		p.toks = p.toks[1:]
		return p.literal(t.text)
	case t.kind == 'c':
		p.toks = p.toks[1:]
		s, err := strconv.Unquote(t.text)
		if t.text == `'\0'` {
			s, err = "\x00", nil
		}
		if err != nil || len(s) != 1 {
			p.fail("%s is not a character", t.text)
		}
		return p.number(uint64(int64(int8(s[0]))), cInt)
	case t.kind == 'n':
		p.toks = p.toks[1:]
		return p.attempt(func() (Value, error) { return p.r.lookup(p.frame, t.text) })
	}
	p.fail("`%s` is not understood here", t.text)
	return Value{}
}

func (p *cexpr) literal(s string) Value {
	digits := strings.TrimRight(s, "uUlL")
	suffix := strings.ToLower(s[len(digits):])
	if n, err := strconv.ParseUint(digits, 0, 64); err == nil && !strings.Contains(s, "_") {
		t := cInt
		switch {
		case strings.Contains(suffix, "u") && (strings.Contains(suffix, "l") || n > state.Mask(32)), n > state.Mask(63):
			t = cULong
		case strings.Contains(suffix, "u"):
			t = cUInt
		case strings.Contains(suffix, "l") || n > state.Mask(32):
			t = cLong
		case n > state.Mask(31):
			t = cLong
			if strings.HasPrefix(s, "0") {
				t = cUInt
			}
		}
		return p.number(n, t)
	}
	f, err := strconv.ParseFloat(strings.TrimRight(s, "fFlL"), 64)
	if err != nil {
		p.fail("%s is not a number", s)
	}
	return Value{r: p.r, typ: cDouble, num: state.FromFloat(f, 64)}
}

// lookup returns the meaning of a name in a frame: a variable in scope, a static one, a function, an enumerator.
func (r *Inspector) lookup(f FrameView, name string) (Value, error) {
	if name == "NULL" {
		return Value{r: r, typ: cVoidPtr}, nil
	}
	locals := r.Locals(f)
	for i := len(locals) - 1; i >= 0; i-- {
		if locals[i].Name == name {
			return locals[i].Value, nil
		}
	}
	var best *llvmir.Global
	rank := 0
	for _, g := range r.Program.Globals {
		if g.SourceName != name || g.DIType == nil {
			continue
		}
		n := 1
		if g.Loc != nil && f.Loc != nil {
			switch {
			case g.Loc.Scope != nil && explain.InScope(g.Loc.Scope, f.Loc.Scope):
				n = 4
			case g.Loc.Scope == nil && g.Loc.File == f.Loc.File:
				n = 3
			case g.Loc.Scope == nil:
				n = 2
			}
		}
		if n > rank {
			best, rank = g, n
		}
	}
	if best != nil {
		return r.globalValue(best), nil
	}
	for _, fn := range r.Program.Funcs {
		if fn.SourceName == name || fn.Name == name {
			if o := r.Funcs[fn]; o != nil {
				return Value{r: r, typ: cVoidPtr, num: state.PointerTo(o, 0)}, nil
			}
		}
	}
	if e, t := r.cTypes().enumerator(name); t != nil {
		return Value{r: r, typ: t, num: state.IntValue(uint64(e))}, nil
	}
	for _, b := range f.fr.Bound {
		if b.V.Name == name {
			return Value{}, fmt.Errorf("%s is not in scope here", name)
		}
	}
	return Value{}, fmt.Errorf("no variable %s is visible here", name)
}
