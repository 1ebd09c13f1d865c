package clang

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/vcgen/found"
)

// signature describes how values pass between a function and its callers: "int" of any width, "ptr", "void", or another
// LLVM type as written. It is so coarse that a wrong declaration in another file still has the signature of its
// function.
type signature struct {
	result string
	params []string
	// open reports whether more parameters of any type may follow (`...`, and `f()` of old C).
	open bool
}

// passing returns the class of an LLVM type.
func passing(t string) string {
	switch {
	case strings.HasSuffix(t, "*") || t == "ptr":
		return "ptr"
	case len(t) > 1 && t[0] == 'i' && strings.Trim(t[1:], "0123456789") == "":
		return "int"
	}
	return t
}

// signatureOf parses the first line of a function, a definition or a declaration.
func signatureOf(line []byte) (signature, bool) {
	at := asm.NameStart(line)
	if at < 0 {
		return signature{}, false
	}
	open := at + 1 + len(asm.GlobalName(line[at+1:]))
	end := asm.Closing(line, open)
	if end < 0 {
		return signature{}, false
	}
	// The result type comes directly before the name; earlier words are linkage and attributes.
	var s signature
	for head := bytes.TrimSpace(line[:at]); len(head) > 0; {
		if head[0] == '!' { // debug information: !dbg !7
			_, head, _ = bytes.Cut(head, []byte(" "))
		} else if n := asm.TypeLength(head); n > 0 {
			s.result, head = string(head[:n]), bytes.TrimSpace(head[n:])
		} else {
			return signature{}, false
		}
	}
	s.result = passing(s.result)
	for rest := bytes.TrimSpace(line[open+1 : end]); len(rest) > 0; {
		if bytes.HasPrefix(rest, []byte("...")) {
			s.open = true
			break
		}
		n := asm.TypeLength(rest)
		if n == 0 {
			return signature{}, false
		}
		s.params = append(s.params, passing(string(rest[:n])))
		comma := nextParameter(rest)
		if comma < 0 {
			break
		}
		rest = bytes.TrimSpace(rest[comma+1:])
	}
	return s, true
}

// nextParameter returns the position of the comma behind the first parameter of a list, or -1.
func nextParameter(list []byte) int {
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case ',':
			return i
		case '(', '[', '{', '<', '"':
			if list[i] == '"' {
				n := bytes.IndexByte(list[i+1:], '"')
				if n < 0 {
					return -1
				}
				i += n + 1
			} else if i = asm.Closing(list, i); i < 0 {
				return -1
			}
		}
	}
	return -1
}

// agrees reports whether both signatures may belong to one function.
func (s signature) agrees(o signature) bool {
	n := min(len(s.params), len(o.params))
	if len(s.params) > n && !o.open || len(o.params) > n && !s.open {
		return false
	}
	return s.result == o.result && slices.Equal(s.params[:n], o.params[:n])
}

// otherFunctions returns the undefined names whose declarations all differ in type from the model: the program means
// another function that only shares its name with one of the C library.
func (p *program) otherFunctions(models *asm.Module) map[string]bool {
	others := map[string]bool{}
	for name, kind := range p.missing {
		m, ok := models.Symbols[name]
		if kind != asm.Function || !ok {
			continue
		}
		model, ok := signatureOf(models.FirstLine(m))
		agrees, declares := !ok, false
		for _, a := range p.modules {
			if s, has := a.Symbols[name]; has && s.Kind == asm.Function {
				is, ok := signatureOf(a.FirstLine(s))
				declares, agrees = true, agrees || !ok || is.agrees(model)
			}
		}
		others[name] = declares && !agrees
	}
	return others
}

// addModels adds the models that the roots need. A function that only shares the name of a model gets no body, unless
// another model uses that name.
func (p *program) addModels(models *asm.Module, roots []string) error {
	others := p.otherFunctions(models)
	p.add(models)
	at := len(p.modules) - 1
	for name, other := range others {
		if other {
			delete(p.owner, name)
		}
	}
	if err := p.reach(roots); err != nil {
		return err
	}
	used := false
	for name, other := range others {
		if s := models.Symbols[name]; other && p.keep[at][s] != 0 {
			p.owner[name], others[name], used = home{at, s}, false, true
		}
	}
	if used {
		if err := p.reach(roots); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if others[name] && p.missing[name] == asm.Function {
			p.notes = append(p.notes, found.Assumption{What: found.OtherFunction, Name: name})
		}
	}
	return nil
}
