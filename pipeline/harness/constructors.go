package harness

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// opaque returns a value for a pointer to an incomplete type: a call of a constructor of the project.
func (w *writer) opaque(t *llvmir.DIType) (value, comment string) {
	switch t.Name {
	case "FILE", "struct _IO_FILE":
		w.header("<stdio.h>")
		return "fopen(\"file\", \"r+\")", w.ask("is the file open for reading and writing?")
	}
	for _, creation := range []func() string{func() string { return w.constructor(made(t)) },
		func() string { return w.filledIn(t) }, func() string { return w.constructed(t) }} {
		if call := creation(); call != "" {
			w.partial = append(w.partial, "are there other states of a "+t.Name+" than those that are made so?")
			return call, ""
		}
	}
	return "NULL", w.askPartly("how is a " + t.Name + " made? No function of the project returns one")
}

// Incomplete returns the tags of the structs to which parameters of a function point, if its file knows only their
// names.
func Incomplete(m *clangir.Module, function string) (tags []string) {
	for _, f := range m.Funcs {
		if f.SourceName != function || len(f.Blocks) == 0 {
			continue
		}
		for _, p := range newAnalysis().parametersOf(f) {
			if p.typ == nil || p.typ.Kind != llvmir.DIPointer || !incomplete(p.typ.Elem) {
				continue
			}
			tag := cmp.Or(p.typ.Elem.Tag, strings.TrimPrefix(p.typ.Elem.Name, "struct "))
			if p.typ.Elem.Kind == llvmir.DIStruct && plainName.MatchString(tag) && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// filledIn returns a call that creates an object by a function of the project, or "". The function writes the object's
// address to a parameter, as in int x_new(struct x **out).
func (w *writer) filledIn(t *llvmir.DIType) string {
	name := "made_" + identifier(t)
	if w.known[name] {
		return name + "()"
	}
	pattern := regexp.MustCompile(`\b(\w*(?:[nN]ew|[cC]reate|[iI]nit|[aA]lloc|[oO]pen|[mM]ake)\w*)\s*\(([^()]*?\b` +
		regexp.QuoteMeta(t.Name) + `\s*\*\s*\*[^()]*)\)\s*[;{]`)
	out := regexp.MustCompile(`^` + regexp.QuoteMeta(t.Name) + `\s*\*\s*\*\s*\w*$`)
	texts := w.Texts
	if w.Include {
		texts = append(slices.Clip(texts), w.Text)
	}
	best, fewest := "", 4
	for _, text := range texts {
		for _, m := range pattern.FindAllSubmatch(text, -1) {
			var args []string
			outs := 0
			for _, p := range strings.Split(string(m[2]), ",") {
				p = strings.Join(strings.Fields(p), " ")
				if out.MatchString(p) {
					args, outs = append(args, "&x"), outs+1
				} else if simple, ok := w.simpleArguments(p); ok {
					args = append(args, simple...)
				} else {
					outs = 2
				}
			}
			if call := string(m[1]); outs == 1 && len(args) < fewest && call != w.Function {
				best, fewest = call+"("+strings.Join(args, ", ")+")", len(args)
			}
		}
	}
	if best == "" {
		return ""
	}
	if strings.Contains(best, "any_string") {
		w.text, w.sized = true, true
	}
	w.known[name] = true
	w.stubs = append(w.stubs, fmt.Sprintf("static %s {\n  %s = NULL;\n  %s;\n  assume(x != NULL);\n  return x;\n}\n",
		declare(t, "*"+name+"(void)"), declare(t, "*x"), best))
	return name + "()"
}

// maxVariants limits the constructors among which a proof chooses.
const maxVariants = 8

// choice returns a call that creates one of several kinds of objects which begin with the same struct, or "". Each kind
// has its own constructor, which keeps the tag and the members together.
func (w *writer) choice(t *llvmir.DIType) string {
	name := "made_" + identifier(t)
	if w.known[name] {
		return name + "()"
	}
	pattern := regexp.MustCompile(`(?m)^(?:extern\s+|[A-Z_]{3,}\s+)*` + made(t) + `\b(\w+)\s*\(([^()]*)\)\s*[^;{\n]*[;{]`)
	texts := w.Texts
	if w.Include {
		texts = append(slices.Clip(texts), w.Text)
	}
	var calls []string
	for _, text := range texts {
		for _, m := range pattern.FindAllSubmatch(text, -1) {
			function := string(m[1])
			args, ok := w.simpleArguments(string(m[2]))
			call := function + "(" + strings.Join(args, ", ") + ")"
			if ok && len(args) <= 1 && function != w.Function && !noConstructor.MatchString(function) &&
				!slices.Contains(calls, call) && len(calls) < maxVariants {
				calls = append(calls, call)
			}
		}
	}
	if len(calls) < 2 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "static %s {\n  %s = NULL;\n  switch (nd_int()) {\n", declare(t, "*"+name+"(void)"), declare(t, "*x"))
	for i, call := range calls {
		w.text = w.text || strings.Contains(call, "any_string")
		label := fmt.Sprintf("case %d", i)
		if i == len(calls)-1 {
			label = "default"
		}
		fmt.Fprintf(&b, "  %s:\n    x = %s;\n    break;\n", label, call)
	}
	b.WriteString("  }\n  assume(x != NULL);\n  return x;\n}\n")
	w.sized = w.sized || w.text
	w.known[name] = true
	w.stubs = append(w.stubs, b.String())
	return name + "()"
}

var noConstructor = lazyregexp.New(`(?i)get|find|copy|dup|parse|load|read|next|prev|ref|pop|last|first|iter`)

// made returns the pattern of the result type of functions that create objects of a type.
func made(t *llvmir.DIType) string { return regexp.QuoteMeta(t.Name) + `\s*\*\s*` }

// hidden reports whether only the function's own file defines the members of a struct, and headers declare the struct.
func (w *writer) hidden(t *llvmir.DIType) bool {
	if !isComposite(t) || anonymous(t) {
		return false
	}
	word := regexp.QuoteMeta(identifier(t))
	defined := regexp.MustCompile(`\bstruct\s+(?:` + word + `|` + regexp.QuoteMeta(cmp.Or(t.Tag, identifier(t))) +
		`)\s*\{|\}\s*` + word + `\s*;`)
	named := regexp.MustCompile(`\b` + word + `\b`)
	return !slices.ContainsFunc(w.Texts, defined.Match) && slices.ContainsFunc(w.Texts, named.Match)
}

// constructor returns a call of a function of the project whose result type matches a pattern, or "". Its arguments are
// strings and numbers, at most two.
func (w *writer) constructor(result string) string {
	pattern := regexp.MustCompile(`(?m)^(?:extern\s+|[A-Z_]{3,}\s+|[A-Z_]+\()?\s*` + result +
		`\)?\s*(?:[A-Z_]{3,}\s+)?\b(\w*(?:[nN]ew|[cC]reate|[iI]nit|[aA]lloc|[oO]pen|[mM]ake|[eE]mpty)\w*)\s*\(([^()]*)\)\s*[;{]?`)
	best, most := "", 0 // more arguments yield more values
	texts := w.Texts
	if w.Include {
		texts = append(slices.Clip(texts), w.Text)
	}
	for _, text := range texts {
		for _, m := range pattern.FindAllSubmatch(text, -1) {
			args, ok := w.simpleArguments(string(m[2]))
			if name := string(m[1]); ok && len(args) <= 2 && name != w.Function && (best == "" || len(args) > most) {
				best, most = name+"("+strings.Join(args, ", ")+")", len(args)
			}
		}
	}
	if strings.Contains(best, "any_string") {
		w.text, w.sized = true, true
	}
	return best
}

// constructorName matches names of functions that create objects.
var constructorName = lazyregexp.New(`[nN]ew|[cC]reate|[iI]nit|[aA]lloc|[mM]ake`)

// mostArguments limits the arguments of a constructor.
const mostArguments = 12

// constructed returns a call of a function that calls a constructor of the program; "" if there is none. The arguments
// have any types, such as callbacks. Of several constructors, the one with most arguments yields most values.
func (w *writer) constructed(t *llvmir.DIType) string {
	name := "built_" + identifier(t)
	if known, ok := w.known[name]; ok {
		if !known { // it is being written, or there is none
			return ""
		}
		return name + "()"
	}
	w.known[name] = false
	var best *llvmir.Func
	var params []parameter
	for _, f := range w.functionsOfFile() {
		r := f.RetDIType
		if f.SourceName == w.Function || len(f.Blocks) == 0 || f.Variadic || r == nil ||
			r.Kind != llvmir.DIPointer || r.Elem == nil || r.Elem.Name != t.Name ||
			!constructorName.MatchString(f.SourceName) || noConstructor.MatchString(f.SourceName) || !w.callable(f.SourceName) {
			continue
		}
		list := w.analysis.parametersOf(f)
		if len(list) > mostArguments || best != nil && len(list) <= len(params) ||
			slices.ContainsFunc(list, func(p parameter) bool { return !creates(p.typ) }) {
			continue
		}
		best, params = f, list
	}
	if best == nil {
		return ""
	}
	lines, args := w.created(params, 0)
	w.known[name], w.constructs = true, true
	// It may call builders of its arguments, and builders may call it: it stands behind the former.
	w.builders = append(w.builders, fmt.Sprintf(
		"static %s {\n  %s\n  %s = %s(%s);\n  assume(x != NULL);\n  return x;\n}\n",
		declare(t, "*"+name+"(void)"), strings.Join(lines, "\n  "), declare(t, "*x"), best.SourceName,
		strings.Join(args, ", ")))
	return name + "()"
}

// creates reports whether the proof can create an argument of a type for a constructor: a number, a string, a callback,
// an address.
func creates(p *llvmir.DIType) bool {
	switch {
	case p == nil:
		return false
	case p.Kind != llvmir.DIPointer:
		return arbitrary(plain(p)) != ""
	case p.Elem == nil || p.Elem.Kind == llvmir.DIVoid || p.Elem.Kind == llvmir.DIFunc || isText(p.Elem):
		return true
	}
	return false
}

var (
	stringParameter = lazyregexp.New(`^const\s+char\s*\*\s*(?:const\s+)?\w*$`)
	numberParameter = lazyregexp.New(
		`^(?:const\s+)?(?:unsigned\s+|signed\s+)?(int|unsigned|long|short|size_t|bool|float|double|u?int\d+_t)\b(?:\s+\w+)?$`)
)

// simpleArguments returns arguments for parameters that are strings and numbers; ok is false if there are others.
func (w *writer) simpleArguments(params string) (args []string, ok bool) {
	params = strings.TrimSpace(params)
	if params == "" || params == "void" {
		return nil, true
	}
	for _, p := range strings.Split(params, ",") {
		switch p := strings.Join(strings.Fields(p), " "); {
		case stringParameter.MatchString(p):
			args = append(args, "any_string()")
		case strings.HasPrefix(p, "size_t"):
			args = append(args, SizeMacro)
			w.sized = true
		case numberParameter.MatchString(p):
			args = append(args, "nd_int()")
		default:
			return nil, false
		}
	}
	return args, true
}

// makes reports whether a value is the call of a constructor, which may return NULL.
func (w *writer) makes(value string) bool {
	return strings.HasSuffix(value, ")") && !strings.Contains(value, "any_block(") && !slices.ContainsFunc(
		[]string{"any_", "nd_", "made_", "(void"}, func(p string) bool { return strings.HasPrefix(value, p) })
}

// handle returns a value for a pointer type with a typedef: a call of a constructor that returns the typedef, or "".
func (w *writer) handle(t *llvmir.DIType) string {
	if t.Kind != llvmir.DIPointer || !named(t) {
		return ""
	}
	return w.constructor(regexp.QuoteMeta(t.Name) + `\s+`)
}
