package pipeline

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxConsts bounds the constants that conditions compare with.
const maxConsts = 24

// constants are the integers and floats that conditions may compare with: the literals of the functions that lead to
// the failure, and the size of the object that it is about.
func (e *excluder) constants(run *recording.Recording, accused recording.Accused) ([]precondition.Const, []float64) {
	set := constSet{names: macros(e.text)}
	add := set.add
	add(new(big.Int), false, false)
	add(big.NewInt(1), false, false)
	if e.finding.Kind == found.SignedOverflow || e.finding.Kind == found.DivisionByZero {
		add(big.NewInt(-1), false, false)
	}
	if e.finding.Kind == found.InvalidShift {
		add(big.NewInt(32), false, false)
		add(big.NewInt(64), false, false)
	}
	if e.finding.Kind == found.FloatToIntOverflow {
		for _, bits := range []int{8, 16, 31, 32, 63, 64} {
			set.floats = append(set.floats, math.Ldexp(1, bits))
		}
	}
	if err := run.GoTo(run.End()); err != nil {
		return set.list, set.floats
	}
	if o, ok := run.Object(accused.Object); ok && accused.Object != 0 {
		size := new(big.Int).SetUint64(o.Size)
		if accused.N > 1 {
			add(new(big.Int).SetUint64(accused.N), false, false)
			add(new(big.Int).Div(size, new(big.Int).SetUint64(accused.N)), false, false)
		}
		add(size, false, false)
		add(new(big.Int).Add(size, big.NewInt(-1)), false, false)
	}
	for _, n := range arraysAt(run) {
		add(big.NewInt(n), false, false)
	}
	type place struct{ file, function string }
	places := []place{{e.finding.File, e.finding.Function}}
	for i := len(e.finding.CallPath) - 1; i > 0; i-- {
		places = append(places, place{e.finding.CallPath[i].File, e.finding.CallPath[i].Function})
	}
	done := map[place]bool{}
	for _, p := range places {
		if done[p] || p.function == "" {
			continue
		}
		done[p] = true
		path := e.job.Root.Find(p.file)
		text, ok := e.job.Virtual[path]
		if !ok {
			var err error
			if text, err = regular.Source(path); err != nil {
				continue
			}
		}
		f, ok := csource.NewSource(text).Function(p.function)
		if !ok {
			continue
		}
		set.literals(text, text[f.Body:f.End])
	}
	set.literals(e.text, e.text[e.place:e.failing.End]) // set(g, fill % 82)
	if e.clause != "" {
		set.literals(e.text, e.text[e.entry.Start:e.place])
	}
	return set.list, set.floats
}

// constSet collects the constants that conditions may compare with.
type constSet struct {
	names  map[string]string // of macros, by value
	list   []precondition.Const
	floats []float64
}

// add adds a constant once. It is the operand of & if mask, the right operand of % if mod.
func (s *constSet) add(n *big.Int, mask, mod bool) {
	for i := range s.list {
		if c := &s.list[i]; c.Value.Cmp(n) == 0 {
			c.Mask, c.Mod = c.Mask || mask, c.Mod || mod
			if mask {
				c.Name = s.names[n.String()]
			}
			return
		}
	}
	name := ""
	if mask || n.Cmp(big.NewInt(1)) > 0 { // a macro for 1 hardly ever means the 1 that is compared with
		name = s.names[n.String()]
	}
	if len(s.list) < maxConsts {
		s.list = append(s.list, precondition.Const{Value: n, Name: name, Mask: mask, Mod: mod})
	}
}

// literals adds the numbers in a part of a text, and the values of its macros that the part names.
func (s *constSet) literals(text, code []byte) {
	defined := values(macros(text))
	words := tokens(code)
	for i, t := range words {
		n, ok := number(t)
		if !ok {
			if n, ok = defined[t]; !ok {
				if f, ok := floatLiteral(t); ok && len(s.floats) < maxConsts && !slices.Contains(s.floats, f) {
					s.floats = append(s.floats, f)
				}
				continue
			}
		}
		if i > 0 && words[i-1] == "-" && (i < 2 || strings.Contains("(=,?:<>!&|", words[i-2][:1]) ||
			words[i-2] == "return") {
			n = new(big.Int).Neg(n)
		}
		adjacent := func(op string) bool {
			return i > 0 && words[i-1] == op || op == "&" && i+1 < len(words) && words[i+1] == op
		}
		s.add(n, adjacent("&"), adjacent("%"))
	}
}

// maxArrays bounds the lengths of arrays that conditions compare with.
const maxArrays = 8

// arraysAt are the lengths of the arrays in scope at the present moment, also in structs and behind pointers.
func arraysAt(run *recording.Recording) (list []int64) {
	var note func(t *llvmir.DIType, depth int)
	note = func(t *llvmir.DIType, depth int) {
		switch {
		case t == nil || depth > 3 || len(list) == maxArrays:
		case t.Kind == llvmir.DIArray:
			if t.Count > 1 && !slices.Contains(list, t.Count) {
				list = append(list, t.Count)
			}
			note(t.Elem, depth+1)
		case t.Kind == llvmir.DIPointer:
			note(t.Elem, depth+1)
		case t.Kind == llvmir.DIStruct:
			for i := range t.Fields {
				note(t.Fields[i].Type, depth+1)
			}
		}
	}
	if stack := run.Stack(); len(stack) > 0 {
		for _, v := range run.Locals(stack[0]) {
			note(v.Type(), 0)
		}
	}
	for _, g := range run.Program.Globals {
		if g.DIType != nil && g.DIType.Kind == llvmir.DIArray && g.Loc != nil && run.UserFile(g.Loc.File) {
			note(g.DIType, 0)
		}
	}
	return list
}

// number reads an integer literal or a character.
func number(t string) (*big.Int, bool) {
	if len(t) == 3 && t[0] == '\'' {
		return big.NewInt(int64(t[1])), true
	}
	if t == "" || !csource.IsDigit(t[0]) {
		return nil, false
	}
	n, ok := new(big.Int).SetString(strings.TrimRight(t, "uUlL"), 0)
	return n, ok && n.BitLen() <= 64
}

// floatLiteral reads a literal of a float or double.
func floatLiteral(t string) (float64, bool) {
	if t == "" || !csource.IsDigit(t[0]) && t[0] != '.' {
		return 0, false
	}
	bits := 64
	if end := t[len(t)-1] | 0x20; end == 'f' || end == 'l' {
		if t = t[:len(t)-1]; end == 'f' {
			bits = 32
		}
	}
	f, err := strconv.ParseFloat(t, bits)
	return f, err == nil
}

// macros are the names of the numbers that a text defines, by the number in decimal.
func macros(text []byte) map[string]string {
	names := map[string]string{}
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line))
		if len(words) > 0 && words[0] == "#" {
			words = slices.Delete(words, 0, 1)
			if len(words) > 0 {
				words[0] = "#" + words[0]
			}
		}
		if len(words) < 3 || words[0] != "#define" || len(words) > 3 && !strings.HasPrefix(words[3], "/") {
			continue
		}
		if n, ok := number(strings.Trim(words[2], "()")); ok && n.Sign() > 0 && names[n.String()] == "" {
			names[n.String()] = words[1]
		}
	}
	return names
}

// values are the numbers of macros by name.
func values(names map[string]string) map[string]*big.Int {
	out := map[string]*big.Int{}
	for value, name := range names {
		out[name], _ = new(big.Int).SetString(value, 10)
	}
	return out
}
