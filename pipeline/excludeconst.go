package pipeline

import (
	"bytes"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxConsts bounds the constants that conditions compare with.
const maxConsts = 24

// constants are the integers and floats that conditions may compare with: the literals of the functions that lead to
// the failure, and the size of the object that it is about.
func (e *excluder) constants(run *recording.Recording, accused recording.Accused) ([]precondition.Const, []float64) {
	set := constSet{}
	add := func(n *big.Int, mask, mod bool) { set.add(n, "", mask, mod).Sized = true }
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
	named := macros(e.text)
	arrays := arraysAt(run)
	if o, ok := run.Object(accused.Object); ok && accused.Object != 0 {
		size := new(big.Int).SetUint64(o.Size)
		names := e.sizeNames(run, &o, named)
		if accused.N > 1 {
			add(new(big.Int).SetUint64(accused.N), false, false)
			count := new(big.Int).Div(size, new(big.Int).SetUint64(accused.N))
			set.add(count, names[count.String()], false, false).Sized = true
		}
		set.add(size, names[size.String()], false, false).Sized = true
		add(new(big.Int).Add(size, big.NewInt(-1)), false, false)
	}
	bounds := namesIn(named, within(tokens(e.text), "[", "]"))
	for _, n := range arrays {
		set.add(big.NewInt(n), bounds[strconv.FormatInt(n, 10)], false, false).Sized = true
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
		set.literals(text, text[f.Body:f.End], e.visible(path, text))
	}
	set.literals(e.text, e.text[e.place:e.failing.End], named) // set(g, fill % 82)
	if e.clause != "" {
		set.literals(e.text, e.text[e.entry.Start:e.place], named)
	}
	return set.list, set.floats
}

// constSet collects the constants that conditions may compare with.
type constSet struct {
	list   []precondition.Const
	floats []float64
}

// add adds a constant once, with the macro that it comes from; "" for none. It is the operand of & if mask, the right
// operand of % if mod.
func (s *constSet) add(n *big.Int, name string, mask, mod bool) *precondition.Const {
	for i := range s.list {
		if c := &s.list[i]; c.Value.Cmp(n) == 0 {
			c.Mask, c.Mod = c.Mask || mask, c.Mod || mod
			if c.Name == "" {
				c.Name = name
			}
			return c
		}
	}
	if len(s.list) == maxConsts {
		return &precondition.Const{}
	}
	s.list = append(s.list, precondition.Const{Value: n, Name: name, Mask: mask, Mod: mod})
	return &s.list[len(s.list)-1]
}

// operands returns the identifiers of the operand around a word of an expression.
func operands(words []string, at int) (list []string) {
	ends := func(w string) bool {
		switch w {
		case "(", ")", "{", "}", ",", ";", "?", ":", "&&", "||", "=", "return":
			return true
		}
		return false
	}
	for i := at - 1; i >= 0 && !ends(words[i]); i-- {
		if csource.IsIdentStart(words[i][0]) {
			list = append(list, words[i])
		}
	}
	for i := at + 1; i < len(words) && !ends(words[i]); i++ {
		if csource.IsIdentStart(words[i][0]) {
			list = append(list, words[i])
		}
	}
	return list
}

// literals adds the numbers in a part of a text, and the values of its macros that the part names. Conditions use the
// names that are visible in the proof.
func (s *constSet) literals(text, code []byte, visible map[string]*big.Int) {
	defined := macros(text)
	words := tokens(code)
	for i, t := range words {
		name := ""
		n, ok := number(t)
		if !ok {
			if n, ok = defined[t]; ok {
				if v := visible[t]; v != nil && v.Cmp(n) == 0 {
					name = t
				}
			} else {
				if f, ok := floatLiteral(t); ok && len(s.floats) < maxConsts && !slices.Contains(s.floats, f) {
					s.floats = append(s.floats, f)
				}
				continue
			}
		}
		if i > 0 && words[i-1] == "-" && (i < 2 || strings.Contains("(=,?:<>!&|", words[i-2][:1]) ||
			words[i-2] == "return") {
			n, name = new(big.Int).Neg(n), ""
		}
		adjacent := func(op string) bool {
			return i > 0 && words[i-1] == op || op == "&" && i+1 < len(words) && words[i+1] == op
		}
		c := s.add(n, name, adjacent("&"), adjacent("%"))
		for _, near := range operands(words, i) {
			if c.Beside == nil {
				c.Beside = map[string]bool{}
			}
			c.Beside[near] = c.Beside[near] || name == ""
		}
	}
}

// visible returns the macros of a file that the proof can name: those of its own file and of files that it includes.
func (e *excluder) visible(path string, text []byte) map[string]*big.Int {
	if bytes.Contains(e.text, []byte(filepath.Base(path)+`"`)) {
		return macros(text)
	}
	return macros(e.text)
}

// sizeNames returns the macros that the proof names where it makes an object, by their numbers.
func (e *excluder) sizeNames(run *recording.Recording, o *inspect.Object,
	named map[string]*big.Int) map[string]string {
	if len(named) == 0 || o.Made == nil {
		return nil
	}
	var words []string
	if offset, ok := offsetOf(e.text, o.Made.Line, o.Made.Col); ok && sameFile(o.Made.File, e.job.Proof.File) {
		words = tokens(e.text[bytes.LastIndexByte(e.text[:offset], '\n')+1 : csource.LineEnd(e.text, offset)])
	}
	first := run.First() + int64(sort.Search(int(run.End()-run.First()), func(n int) bool {
		err := run.GoTo(run.First() + int64(n))
		_, made := run.Object(o.Number)
		return err != nil || made
	}))
	if run.GoTo(max(first-1, run.First())) != nil {
		return nil
	}
	if frame, ok := e.entryFrame(run); ok {
		if at, ok := e.offset(e.text, frame.Loc); ok {
			blocks := precondition.Blocks(e.text, e.entry.Body, at)
			for _, s := range blocks[len(blocks)-1] { // the innermost block
				if s.Start <= at && at < s.End {
					words = append(words, tokens(e.text[s.Start:s.End])...)
				}
			}
		}
	}
	return namesIn(named, words)
}

// namesIn returns the macros that are among some words, by their numbers in decimal.
func namesIn(named map[string]*big.Int, words []string) map[string]string {
	out := map[string]string{}
	for _, w := range words {
		if n := named[w]; n != nil && out[n.String()] == "" {
			out[n.String()] = w
		}
	}
	return out
}

// within returns the words that stand alone between two others.
func within(words []string, before, behind string) (list []string) {
	for i := 1; i+1 < len(words); i++ {
		if words[i-1] == before && words[i+1] == behind {
			list = append(list, words[i])
		}
	}
	return list
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

// macros are the positive numbers that a text defines, by their names.
func macros(text []byte) map[string]*big.Int {
	names := map[string]*big.Int{}
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
		if n, ok := number(strings.Trim(words[2], "()")); ok && n.Sign() > 0 && names[words[1]] == nil {
			names[words[1]] = n
		}
	}
	return names
}
