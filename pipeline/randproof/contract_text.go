package randproof

import (
	"fmt"
	"strings"
)

// contractText is a program with contracts in both forms, line by line: in the contract language for the engine, and
// for native runs with the macros of native/contracts.c.
type contractText struct {
	engine, native strings.Builder
	line           int // of the engine's text
	indent         int
	first          bool // no clause is derived yet: record the observables
	f              int  // index of the function
}

// both writes a line in both forms.
func (t *contractText) both(engine, native string) {
	t.line++
	fmt.Fprintf(&t.engine, "%s%s\n", strings.Repeat("  ", t.indent), engine)
	if native != "" {
		fmt.Fprintf(&t.native, "#line %d\n%s\n", t.line, native)
	}
}

// only writes a line of the native text.
func (t *contractText) only(format string, args ...any) { fmt.Fprintf(&t.native, format+"\n", args...) }

func (t *contractText) render(p *contractProgram) {
	t.both("#include <stddef.h>", "")
	t.both("#include <unitproof.h>", "")
	const box = "struct box { unsigned used, size; unsigned char last; };"
	t.both(box, box)
	t.both("unsigned g;", "unsigned g;")
	for i, f := range p.functions {
		t.f = i
		t.function(f)
	}
	t.only("static const struct root roots[] = {")
	for _, f := range p.functions {
		t.only("{\"%s\", root_%s},", f.name, f.name)
	}
	t.only("};\nint main(int argc, char **argv) { " +
		"return contracts_main(roots, sizeof roots / sizeof *roots, argv[1], argc > 2); }")
}

func (f *contractFunction) result() string {
	if f.ret == "" {
		return "void"
	}
	return f.ret
}

// head returns the list of parameters, and the list of their names.
func (f *contractFunction) head() (params, names string) {
	var ps, ns []string
	for _, p := range f.params {
		switch p.kind {
		case "num":
			ps, ns = append(ps, p.typ+" "+p.name), append(ns, p.name)
		case "cell":
			ps, ns = append(ps, p.typ+" *"+p.name), append(ns, p.name)
		case "box":
			ps, ns = append(ps, "struct box *"+p.name), append(ns, p.name)
		case "array":
			ps, ns = append(ps, p.typ+" *"+p.name), append(ns, p.name)
			if p.longest > 0 {
				ps, ns = append(ps, "unsigned "+p.length), append(ns, p.length)
			}
		}
	}
	return strings.Join(ps, ", "), strings.Join(ns, ", ")
}

// requires returns the preconditions, each in both forms.
func (f *contractFunction) requires() (list [][2]string) {
	same := func(format string, args ...any) {
		e := fmt.Sprintf(format, args...)
		list = append(list, [2]string{e, e})
	}
	for _, p := range f.params {
		switch p.kind {
		case "num":
			if p.most >= 0 {
				same("%s <= %d", p.name, p.most)
			}
		case "cell":
			list = append(list, [2]string{fmt.Sprintf("__CPROVER_is_fresh(%[1]s, sizeof *%[1]s)", p.name), "1"})
			if p.most >= 0 {
				same("*%s <= %d", p.name, p.most)
			}
		case "box":
			list = append(list, [2]string{fmt.Sprintf("__CPROVER_is_fresh(%[1]s, sizeof *%[1]s)", p.name), "1"})
			same("%[1]s->used <= %[1]s->size && %[1]s->size <= %[2]d", p.name, p.most)
		case "array":
			if p.longest > 0 {
				same("%s <= %d", p.length, p.longest)
			}
			list = append(list, [2]string{fmt.Sprintf("__CPROVER_is_fresh(%[1]s, %[2]s * sizeof *%[1]s)", p.name, p.length),
				"1"})
			if p.most >= 0 {
				o := observable{over: p.length}
				e := fmt.Sprintf("%s[k] <= %d", p.name, p.most)
				list = append(list, [2]string{o.scoped(e, true), o.scoped(e, false)})
			}
		}
	}
	if f.global >= 0 {
		same("g <= %d", f.global)
	}
	return list
}

func (t *contractText) function(f *contractFunction) {
	params, names := f.head()
	if f.name == "main" {
		t.harness(f, params, names)
		return
	}
	t.only("static %s %s_body(%s);", f.result(), f.name, params)
	t.both(fmt.Sprintf("%s %s(%s)", f.result(), f.name, params), fmt.Sprintf("%s %s(%s) {", f.result(), f.name, params))
	t.only("enter(%d, __builtin_frame_address(0));", t.f)
	for _, r := range f.requires() {
		t.both("__CPROVER_requires("+r[0]+")", "REQUIRED("+r[1]+");")
	}
	t.only("MET();")
	for _, o := range f.olds() {
		t.only("__typeof__(%s) %s = %s;", o[0], o[1], o[0])
	}
	t.only("frame_begin(0);")
	var plain []string
	for _, a := range f.assigns {
		target := "&" + a.lvalue + ", sizeof " + a.lvalue
		name := a.lvalue
		if a.array != "" {
			name, target = upto(a.array, a.length), fmt.Sprintf("%[1]s, %[2]s * sizeof *%[1]s", a.array, a.length)
		}
		if a.when == "" {
			plain = append(plain, name)
			t.only("frame_add(%s);", target)
			continue
		}
		t.both(fmt.Sprintf("__CPROVER_assigns(%s: %s)", a.when, name), fmt.Sprintf("if (%s) frame_add(%s);", a.when, target))
	}
	t.both("__CPROVER_assigns("+strings.Join(plain, ", ")+")", "")
	call := fmt.Sprintf("%s_body(%s);", f.name, names)
	if f.ret != "" {
		call = f.ret + " ret_ = " + call
	}
	t.only("%s\nframe_end();", call)
	inNative := func(e string) string {
		for _, o := range f.olds() {
			e = strings.ReplaceAll(e, oldOf(o[0]), o[1])
		}
		return strings.ReplaceAll(e, result, "ret_")
	}
	t.clauses("__CPROVER_ensures", "POSTCONDITION", f.ensures, f.observables, inNative)
	t.only("leave();")
	if f.ret != "" {
		t.only("return ret_;")
	}
	t.only("}")
	t.both("{", fmt.Sprintf("static %s %s_body(%s) {", f.result(), f.name, params))
	t.body(f.body)
	t.both("}", "}")
	t.root(f, names)
}

// clauses writes derived clauses, or the recording of their observables.
func (t *contractText) clauses(word, kind string, clauses []contractClause, os []observable,
	inNative func(string) string) {
	if t.first {
		for _, o := range os {
			t.look(o, inNative)
		}
		return
	}
	for _, c := range clauses {
		t.both(word+"("+c.condition(true)+")", fmt.Sprintf("CLAUSE(%s, %s);", kind, inNative(c.condition(false))))
	}
}

// look writes the recording of an observable.
func (t *contractText) look(o observable, inNative func(string) string) {
	e := fmt.Sprintf("saw(%d, %s);", o.id, o.expr)
	switch {
	case o.any:
		e = fmt.Sprintf("saw(%d, %s);", o.id, o.scoped(o.expr, false))
	case o.over != "" && o.when != "":
		e = fmt.Sprintf("for (unsigned k = 0; k < %s; k++) if (%s) %s", o.over, o.when, e)
	case o.over != "":
		e = fmt.Sprintf("for (unsigned k = 0; k < %s; k++) %s", o.over, e)
	case o.when != "":
		e = fmt.Sprintf("if (%s) %s", o.when, e)
	}
	t.only("%s", inNative(e))
}

// olds returns the lvalues with an old value, and the variables of native runs that have it.
func (f *contractFunction) olds() (list [][2]string) {
	for _, p := range f.params {
		switch p.kind {
		case "cell":
			list = append(list, [2]string{"*" + p.name, "old_" + p.name})
		case "box":
			list = append(list, [2]string{p.name + "->used", "old_" + p.name})
		}
	}
	if f.global >= 0 {
		list = append(list, [2]string{"g", "old_g"})
	}
	return list
}

// root writes the native function that makes arguments and calls the function.
func (t *contractText) root(f *contractFunction, names string) {
	t.only("static void root_%s(void) {", f.name)
	t.only("g = %s;", map[bool]string{true: fmt.Sprintf("(unsigned)in(0, %d)", f.global), false: "0"}[f.global >= 0])
	for _, p := range f.params {
		most := p.most
		if most < 0 {
			most = largest(p.typ)
		}
		switch p.kind {
		case "num":
			t.only("%[1]s %[2]s = (%[1]s)in(0, %[3]d);", p.typ, p.name, most)
		case "cell":
			t.only("%[1]s *%[2]s = make(sizeof *%[2]s); *%[2]s = (%[1]s)in(0, %[3]d);", p.typ, p.name, most)
		case "box":
			t.only("struct box *%[1]s = make(sizeof *%[1]s); %[1]s->size = in(0, %[2]d); %[1]s->used = in(0, %[1]s->size); "+
				"%[1]s->last = in(0, 255);", p.name, most)
		case "array":
			if p.longest > 0 {
				t.only("unsigned %s = length(%d);", p.length, p.longest)
			}
			t.only("%[1]s *%[2]s = make(%[3]s * sizeof *%[2]s); "+
				"for (unsigned k = 0; k < %[3]s; k++) %[2]s[k] = (%[1]s)in(0, %[4]d);",
				p.typ, p.name, p.length, most)
		}
	}
	t.only("%s%s(%s);\n}", f.name, map[bool]string{true: "_harness"}[f.name == "main"], names)
}

func (t *contractText) harness(f *contractFunction, params, names string) {
	t.only("static void main_harness(%s) { enter(%d, __builtin_frame_address(0));", params, t.f)
	t.both("int main(void) {", "MET();")
	t.indent++
	for _, p := range f.params {
		t.both(fmt.Sprintf("unsigned %[1]s = nd_uint();", p.name), "")
		t.both(fmt.Sprintf("assume(%s <= %d);", p.name, p.most), "")
	}
	t.indent--
	body := f.body[:len(f.body)-1] // without return
	t.body(body)
	t.indent++
	t.both("return 0;", "")
	t.indent--
	t.both("}", "leave(); }")
	t.root(f, names)
}

func (t *contractText) body(lines []contractLine) {
	same := func(e string) string { return e }
	for _, l := range lines {
		t.indent = l.indent
		switch {
		case l.loop != nil:
			t.loop(l.loop)
		case l.check != nil && t.first:
			t.look(*l.check, same)
		case l.clause != nil:
			t.both("sassert("+l.clause.condition(true)+");", "CLAUSE(ASSERTION, "+l.clause.condition(false)+");")
		case l.check == nil:
			t.both(plainStatement(l.text), l.text)
		}
	}
	t.indent = 0
}

func (t *contractText) loop(l *contractLoop) {
	indent := t.indent
	head := fmt.Sprintf("for (%s; %s; %s)", l.init, l.cond, l.step)
	if !l.contract {
		t.both(head+" {", head+" {")
		t.body(l.body)
		t.indent = indent
		t.both("}", "}")
		return
	}
	inNative := func(e string) string {
		for _, v := range l.entries {
			e = strings.ReplaceAll(e, "__CPROVER_loop_entry("+v+")", "entry_"+v)
		}
		return e
	}
	t.only("{")
	for _, v := range l.entries {
		t.only("unsigned entry_%[1]s = %[1]s;", v)
	}
	t.both(head, fmt.Sprintf("LOOP_BEGIN; for (%s; ({ int go_ = (%s); if (arrivals_ || go_) { if (!arrivals_) {",
		l.init, l.cond))
	t.indent++
	if l.assigns != nil {
		t.only("frame_begin(1);")
		for _, a := range l.assigns {
			target := "&" + a + ", sizeof " + a
			if inner, ok := strings.CutPrefix(a, "__CPROVER_object_upto("); ok {
				target = strings.TrimSuffix(inner, ")")
			}
			t.only("frame_add(%s);", target)
		}
		t.both("__CPROVER_assigns("+strings.Join(l.assigns, ", ")+")", "")
	}
	t.only("}")
	if !t.first {
		for _, e := range l.always {
			t.both("__CPROVER_loop_invariant("+e+")", "CLAUSE(INVARIANT, "+e+");")
		}
	}
	t.clauses("__CPROVER_loop_invariant", "INVARIANT", l.invariants, l.observables, inNative)
	if l.decreases != "" {
		t.both("__CPROVER_decreases("+l.decreases+")", fmt.Sprintf("VARIANT(%s);", l.decreases))
	}
	t.indent--
	t.both("{", fmt.Sprintf("arrivals_++; } go_; }); %s) {", l.step))
	t.body(l.body)
	t.indent = indent
	t.both("}", "} LOOP_END; }")
}

// plainStatement removes the macros of native runs from a statement.
func plainStatement(text string) string {
	for _, macro := range []string{"SET(", "MINE(", "AT(", "CALL("} {
		for {
			at := strings.Index(text, macro)
			if at < 0 {
				break
			}
			args, rest := macroArguments(text[at+len(macro):])
			e := ""
			switch macro {
			case "AT(":
				e = args[0] + "[" + args[1] + "]"
			case "CALL(":
				e = args[0] + "(" + strings.Join(args[1:], ", ") + ")"
			default:
				e = args[0] + " = " + args[1]
			}
			text = text[:at] + e + rest
		}
	}
	return text
}

// macroArguments splits the text behind an opening parenthesis into arguments.
func macroArguments(text string) (args []string, rest string) {
	depth, from := 0, 0
	for i := range text {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return append(args, strings.TrimSpace(text[from:i])), text[i+1:]
			}
			depth--
		case ',':
			if depth == 0 {
				args = append(args, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	return args, ""
}
