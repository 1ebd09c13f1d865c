package harness

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A constructor makes empty objects: rtree_new returns a tree without nodes. Operations of the type make others. With
// Request.Operations, an object gets up to mostOperations of them before the function is called:
//
//	for (int i = 0; i < 2; i++) {
//	  switch (nd_int()) {
//	  case 0: rtree_insert(x, min_, max_, data_); break;
//	  }
//	}
//
// None is a choice, too, so this only adds states.

// mostOperations limits the operations on an object, mostKinds the functions among which they are chosen.
const (
	mostOperations = 2
	mostKinds      = 3
)

// operation matches the names of functions that add something to an object.
var operation = lazyregexp.New(`(?i)add|insert|put|push|append|enqueue|write|set`)

// operated returns the call of a function that applies operations to an object of a constructor. It returns "" if
// there are none, or if they are not asked for; operable is set if there are.
func (w *writer) operated(t *llvmir.DIType, object string) string {
	var list []*llvmir.Func
	for _, f := range w.functionsOfFile() {
		if len(list) < mostKinds && f.SourceName != w.Function && len(f.Blocks) > 0 && !f.Variadic &&
			operation.MatchString(f.SourceName) && !destroys.MatchString(f.SourceName) &&
			!constructorName.MatchString(f.SourceName) && w.callable(f.SourceName) && w.operates(f, t) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return ""
	}
	w.operable = true
	if !w.Operations {
		return ""
	}
	name := "use_" + identifier(t)
	if !w.known[name] {
		w.known[name] = true
		var b strings.Builder
		fmt.Fprintf(&b, "/* %s */\nstatic void %s(%s) {\n  for (int i = 0; i < %d; i++) {\n    switch (nd_int()) {\n",
			w.ask("are there states of a "+t.Name+" that other calls make?"), name, declare(t, "*x"), mostOperations)
		for i, f := range list {
			lines, args := w.created(w.analysis.parametersOf(f), 1)
			fmt.Fprintf(&b, "    case %d: {\n", i)
			for _, line := range lines {
				b.WriteString("      " + line + "\n")
			}
			args = append([]string{"x"}, args...)
			fmt.Fprintf(&b, "      %s(%s);\n      break;\n    }\n", f.SourceName, strings.Join(args, ", "))
		}
		b.WriteString("    }\n  }\n}\n")
		w.builders = append(w.builders, b.String())
	}
	return fmt.Sprintf("%s((%s)%s);", name, declare(t, "*"), object)
}

// operates reports whether a function changes an object to which its first parameter points, and whether the proof can
// create the other arguments.
func (w *writer) operates(f *llvmir.Func, t *llvmir.DIType) bool {
	params := w.analysis.parametersOf(f)
	if len(params) == 0 || len(params) > mostArguments || params[0].freed {
		return false
	}
	for i := range params {
		p := &params[i]
		switch {
		case p.typ == nil:
			return false
		case i == 0:
			if p.typ.Kind != llvmir.DIPointer || p.typ.Elem == nil || p.typ.Elem.Name != t.Name || p.typ.Elem.Const {
				return false
			}
		case p.typ.Kind == llvmir.DIPointer && p.typ.Elem != nil && p.typ.Elem.Kind == llvmir.DIFunc:
			return false // a stub keeps no contract with the code: it fills in nothing
		case !creates(p.typ) && !isSequence(&llvmir.DIField{Name: p.name, Type: plain(p.typ)}):
			return false
		}
	}
	return true
}

// created returns statements that create arguments for the parameters from the first on, and the arguments.
func (w *writer) created(params []parameter, first int) (lines, args []string) {
	lengths := map[int]bool{} // by number in C, from 0
	for i := range params {
		if params[i].length >= 0 {
			lengths[params[i].length] = true
		}
	}
	for i := first; i < len(params); i++ {
		p := &params[i]
		arg := p.name
		if arg == "" {
			arg = fmt.Sprintf("arg%d", i+1)
		}
		arg += "_"
		args = append(args, arg)
		value, comment := arbitrary(plain(p.typ)), ""
		switch {
		case p.typ.Kind != llvmir.DIPointer:
		case (p.typ.Elem == nil || p.typ.Elem.Kind == llvmir.DIVoid) && p.accessed:
			w.block, w.sized = true, true
			value = "any_block(" + SizeMacro + ")"
		case isSequence(&llvmir.DIField{Name: arg, Type: plain(p.typ)}) && !isText(p.typ.Elem):
			w.block = true
			value = fmt.Sprintf("any_block(%d)", max(p.extent, p.typ.Elem.Bits/8))
			if p.indexed || p.length >= 0 {
				w.sized = true
				value = fmt.Sprintf("any_block(%s * sizeof *%s)", SizeMacro, arg)
			}
		default:
			value, comment = w.member(p.typ, p.name, fmt.Sprint(maxDepth), p.null)
		}
		if comment != "" {
			comment = " /* " + comment + " */"
		}
		lines = append(lines, declare(plain(p.typ), arg)+" = "+value+";"+comment)
		if isNumber(p.typ) && (isLength(p.name, p.typ) || lengths[i]) {
			w.sized = true
			low := ""
			if p.typ.Signed {
				low = arg + " >= 0 && "
			}
			lines = append(lines, "assume("+low+arg+" <= "+SizeMacro+");")
		}
	}
	return lines, args
}
