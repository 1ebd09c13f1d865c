package inspect

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// cTypes are the C types of the program by name, and its enumerations.
type cTypes struct {
	byName map[string]*llvmir.DIType
	enums  []*llvmir.DIType
}

func (t *cTypes) enumerator(name string) (int64, *llvmir.DIType) {
	for _, e := range t.enums {
		for _, n := range e.Enums {
			if n.Name == name {
				return n.Value, e
			}
		}
	}
	return 0, nil
}

// cTypes collects the types of all variables, with their component types.
func (r *Inspector) cTypes() *cTypes {
	if r.types != nil {
		return r.types
	}
	out := &cTypes{byName: map[string]*llvmir.DIType{}}
	seen := map[*llvmir.DIType]bool{}
	var todo []*llvmir.DIType
	add := func(t *llvmir.DIType) {
		if t != nil && !seen[t] {
			seen[t] = true
			todo = append(todo, t)
		}
	}
	for _, g := range r.Program.Globals {
		add(g.DIType)
	}
	for _, f := range r.Program.Funcs {
		for _, p := range f.Params {
			add(p.DIType)
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Var != nil {
					add(in.Var.Type)
				}
			}
		}
	}
	for len(todo) > 0 {
		t := todo[0]
		todo = todo[1:]
		if old := out.byName[t.Name]; old == nil || len(old.Fields) == 0 && len(t.Fields) > 0 {
			out.byName[t.Name] = t
		}
		if t.Kind == llvmir.DIEnum {
			out.enums = append(out.enums, t)
		}
		add(t.Elem)
		for i := range t.Fields {
			add(t.Fields[i].Type)
		}
	}
	r.types = out
	return out
}

// castType parses "(type)" and returns the type.
//
// It returns nil and consumes nothing if the parentheses contain an expression.
func (p *cexpr) castType() *llvmir.DIType {
	i := 1
	var words []string
	for ; p.toks[i].kind == 'n'; i++ {
		switch w := p.toks[i].text; w {
		case "const", "volatile", "restrict":
		default:
			words = append(words, w)
		}
	}
	t := p.r.namedType(p.frame, words)
	if t == nil {
		return nil
	}
	for ; p.toks[i].text == "*" || p.toks[i].text == "const"; i++ {
		if p.toks[i].text == "*" {
			if t.Kind == llvmir.DIVoid {
				t = nil
			}
			t = pointerType(t)
		}
	}
	if p.toks[i].text != ")" {
		return nil
	}
	p.toks = p.toks[i+1:]
	return t
}

func (r *Inspector) namedType(f FrameView, words []string) *llvmir.DIType {
	if len(words) == 0 {
		return nil
	}
	if len(words) == 1 {
		for _, l := range r.Locals(f) {
			if l.Name == words[0] {
				return nil // a variable hides the type
			}
		}
	}
	if t := r.cTypes().byName[strings.Join(words, " ")]; t != nil {
		return t
	}
	basic := []string{"void", "_Bool", "bool", "char", "short", "int", "long", "float", "double", "unsigned", "signed"}
	count := map[string]int{}
	for _, w := range words {
		if !slices.Contains(basic, w) {
			return nil
		}
		count[w]++
	}
	signed := count["unsigned"] == 0
	integer := func(name string, bits int64) *llvmir.DIType {
		if !signed {
			name = "unsigned " + name
		}
		return &llvmir.DIType{Kind: llvmir.DIInt, Name: name, Bits: bits, Signed: signed}
	}
	switch {
	case count["void"] > 0:
		return &llvmir.DIType{Kind: llvmir.DIVoid, Name: "void"}
	case count["_Bool"]+count["bool"] > 0:
		return &llvmir.DIType{Kind: llvmir.DIBool, Name: "_Bool", Bits: 8}
	case count["char"] > 0:
		t := integer("char", 8)
		t.Kind = llvmir.DIChar
		return t
	case count["float"] > 0:
		return &llvmir.DIType{Kind: llvmir.DIFloat, Name: "float", Bits: 32, Signed: true}
	case count["double"] > 0:
		return cDouble
	case count["short"] > 0:
		return integer("short", 16)
	case count["long"] > 0:
		return integer("long", 64)
	}
	return integer("int", 32)
}
