package harness

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Comparisons of two versions of a function. The program builds one arbitrary state, runs the version before an edit
// (BeforeSuffix), restores the state, runs the version after the edit on the same objects, and compares. The
// functions named compare_* are in the runtime of package equiv; callbacks are declared there, too.
//
// For example, for int sum(const int *a, size_t n) main ends with
//
//	compare__start();
//	compare__result_before = sum__before(compare__arg1, compare__arg2);
//	compare__returned();
//	compare__second(); // calls sum, compares the results and the state

// BeforeSuffix is behind the names of functions of the version before the edit.
const BeforeSuffix = "__before"

// comparable returns an error for functions whose arguments cannot be passed twice.
func (w *writer) comparable() error {
	w.Include = true
	if w.f.Variadic && !w.Executed { // executions pass some numbers
		return errors.New("it takes variable arguments")
	}
	if slices.ContainsFunc(w.params, func(p parameter) bool { return isList(p.typ) }) {
		return errors.New("it takes a va_list")
	}
	if w.hasResult() && w.f.ResultType == nil {
		return errors.New("the type of its result is not in the debug information")
	}
	return nil
}

// hasResult reports whether the function returns a value, perhaps in memory.
func (w *writer) hasResult() bool {
	return w.f.InMemory() >= 0 || w.f.Ret != nil && w.f.Ret.Kind != llvmir.VoidType
}

// blockOf returns the expression for a block of arbitrary bytes with elements of a type. In comparisons the block has
// the number of its type if the type has padding, whose bytes are not compared.
func (w *writer) blockOf(size string, elem *llvmir.DIType) string {
	if w.Compare {
		if kind := w.kindOf(elem); kind > 0 {
			return fmt.Sprintf("any_object(%s, %d)", size, kind)
		}
	}
	return "any_block(" + size + ")"
}

// kindOf returns the number of a type with padding; 0 for types without padding.
func (w *writer) kindOf(t *llvmir.DIType) int {
	if t == nil || t.Bits == 0 || t.Bits%8 != 0 {
		return 0
	}
	t = plain(t)
	bytes := used(t)
	if !slices.ContainsFunc(bytes, func(b byte) bool { return b != wholeObject }) {
		return 0
	}
	if i := slices.IndexFunc(w.padded, func(o *llvmir.DIType) bool {
		return o.Name == t.Name && slices.Equal(used(o), bytes)
	}); i >= 0 {
		return i + 1
	}
	w.padded = append(w.padded, t)
	return len(w.padded)
}

// Classes of bytes, as compare__padding of the runtime has them. The bytes of a floating-point number have its size.
const (
	wholeObject byte = 0
	padding     byte = 1
)

// used returns the class of each byte of a type.
func used(t *llvmir.DIType) []byte {
	bytes := slices.Repeat([]byte{padding}, int(t.Bits/8))
	var mark func(t *llvmir.DIType, at int64, depth int)
	mark = func(t *llvmir.DIType, at int64, depth int) {
		switch {
		case t == nil || depth > 20:
			return
		case isComposite(t) && len(t.Fields) > 0:
			for i := range t.Fields {
				f := &t.Fields[i]
				if f.BitField {
					for bit := f.BitOffset; bit < f.BitOffset+f.BitSize; bit++ {
						if n := at + bit/8; n < int64(len(bytes)) {
							bytes[n] = wholeObject
						}
					}
					continue
				}
				mark(f.Type, at+f.BitOffset/8, depth+1)
			}
		case t.Kind == llvmir.DIArray && t.Elem != nil:
			for i := range t.Count {
				mark(t.Elem, at+i*t.Elem.Bits/8, depth+1)
			}
		default:
			n, class := t.Bits/8, wholeObject
			switch {
			case t.Kind == llvmir.DIFloat && t.Bits > 64:
				n = 10 // of x87
			case t.Kind == llvmir.DIFloat && at%n == 0:
				class = byte(n)
			}
			for i := at; i < min(at+n, int64(len(bytes))); i++ {
				if bytes[i] == padding || class == wholeObject {
					bytes[i] = class // a member of a union wins that is no number
				}
			}
		}
	}
	mark(t, 0, 0)
	return bytes
}

// depth returns the greatest number of structures in a chain of pointers; 0 if no builder cuts chains.
func (w *writer) depth() int {
	for _, flat := range w.flat {
		if !flat {
			return maxDepth + 1
		}
	}
	return 0
}

// alias lets pointers of the same type be equal, and records the pairs that do not overlap otherwise.
func (w *writer) alias() {
	restrict := regexp.MustCompile(`\b` + regexp.QuoteMeta(w.Function) + `\s*\([^;{]*\b(?:__)?restrict`).Match(w.Text)
	for i := range w.params {
		for k := range w.params[:i] {
			p, q := &w.params[k], &w.params[i]
			if p.typ.Kind != llvmir.DIPointer || q.typ.Kind != llvmir.DIPointer || isFunction(p.typ) || isFunction(q.typ) {
				continue
			}
			pair := p.name + " and " + q.name
			condition := w.mayBeEqual(p, q)
			switch {
			case restrict:
				w.disjoint = append(w.disjoint, pair+" do not overlap (restrict)")
			case condition == "-":
				w.disjoint = append(w.disjoint, pair+" do not overlap")
			default:
				w.disjoint = append(w.disjoint, pair+" are equal or do not overlap")
				w.line(fmt.Sprintf("if (%snd_bool()) %s = (void *)%s;", condition, q.name, p.name), "")
			}
		}
	}
	for i := range w.params {
		if p := &w.params[i]; p.typ.Kind == llvmir.DIPointer && p.typ.Elem != nil && w.hasPointers(p.typ.Elem, 0) {
			w.disjoint = append(w.disjoint, "the pointers in memory that "+p.name+" leads to have objects of their own")
		}
	}
}

func isFunction(t *llvmir.DIType) bool { return t.Elem != nil && t.Elem.Kind == llvmir.DIFunc }

// mayBeEqual returns the condition under which pointer q may have the value of p, with a trailing operator: the object
// of p is at least as large as the one that q needs. It is "-" if there is none.
func (w *writer) mayBeEqual(p, q *parameter) string {
	a, b := p.typ.Elem, q.typ.Elem
	if a == nil || b == nil || plain(a).Name != plain(b).Name || a.Bits != b.Bits || a.Kind != b.Kind ||
		p.ends >= 0 || q.ends >= 0 || w.hasEnd(p) || w.hasEnd(q) || w.isFormat(p) || w.isFormat(q) {
		return "-"
	}
	switch {
	case p.length >= 0 && q.length >= 0:
		if p.bytes != q.bytes {
			return "-"
		}
		if p.length == q.length {
			return ""
		}
		n, m := w.asSize(w.params[p.length].name, p.length), w.asSize(w.params[q.length].name, q.length)
		return m + " <= " + n + " && "
	case p.length >= 0 || q.length >= 0:
		return "-"
	}
	if p.extent != q.extent || p.indexed != q.indexed || p.text != q.text || p.filled != q.filled ||
		p.written != q.written && isText(b) {
		return "-"
	}
	return ""
}

// ownsMemory reports whether the stub of a callback allocates or frees memory, which the runtime replaces.
func ownsMemory(t *llvmir.DIType, name string) bool {
	lower := strings.ToLower(name)
	one := len(t.Fields) == 1 && t.Fields[0].Type != nil
	return one && (strings.Contains(lower, "free") && t.Fields[0].Type.Kind == llvmir.DIPointer ||
		strings.Contains(lower, "alloc") && t.Elem != nil && t.Elem.Kind == llvmir.DIPointer)
}

// declaredStub declares the callback of a comparison. It has no body here: it is a call to the outside, whose results
// are the same in both versions.
func (w *writer) declaredStub(t *llvmir.DIType, name string) string {
	w.callbacks[name] = t
	var params []string
	for _, p := range t.Fields {
		if p.Type == nil {
			params = append(params, "...")
			continue
		}
		params = append(params, declare(plain(p.Type), ""))
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	w.stubs = append(w.stubs, "extern "+declare(t.Elem, name+"("+strings.Join(params, ", ")+")")+";\n")
	return name
}

// CompareRuntime declares the functions of the runtime.
const compareRuntime = `void *compare__block(__SIZE_TYPE__ size, int kind);
void compare__begin(int (*)(int, __SIZE_TYPE__));
void compare__kind(const void *result, int kind);
void compare__start(void);
void compare__returned(void);
void compare__switch(void);
void compare__end(void);
void compare__bytes(const void *before, const void *after, __SIZE_TYPE__ size, int kind);
void compare__pointers(const void *before, const void *after);
void compare__values(__UINT64_TYPE__ before, __UINT64_TYPE__ after);
void compare__signed(__INT64_TYPE__ before, __INT64_TYPE__ after);
void compare__floats(double before, double after);
`

// comparison returns the text of the program. The file of the function comes first: its headers may depend on macros
// that it defines.
func (w *writer) comparison() string {
	var b strings.Builder
	fmt.Fprintf(&b, "/* Compares two versions of %s. */\n", w.Function)
	for _, line := range w.includes() {
		b.WriteString(line + "\n")
	}
	b.WriteString("#include <stdlib.h>\n#include <unitproof.h>\n")
	for _, h := range w.headers {
		fmt.Fprintf(&b, "#include %s\n", h)
	}
	fmt.Fprintf(&b, "#ifndef %s\n#define %s %d\n#endif\n", SizeMacro, SizeMacro, w.Size)
	b.WriteString(compareRuntime)
	f := w.Function
	fmt.Fprintf(&b, "extern __typeof__(%s) %s%s;\n", f, f, BeforeSuffix)
	b.WriteString("static void *any_object(size_t n, int kind) {\n  void *p = compare__block(n, kind);\n" +
		"  memhavoc(p, n);\n  return p;\n}\n\nstatic void *any_block(size_t n) { return any_object(n, 0); }\n\n")
	if w.text {
		fmt.Fprintf(&b, "static char *any_string(void) {\n  size_t n = nd_size_t();\n  assume(n <= %s);\n"+
			"  char *s = any_block(n + 1);\n  s[n] = 0;\n  return s;\n}\n\n", SizeMacro)
	}
	for _, s := range slices.Concat(w.stubs, w.builders) {
		b.WriteString(s + "\n")
	}
	kind, compare, mark := 0, "", ""
	result := w.hasResult()
	if result {
		kind = w.kindOf(w.f.ResultType)
		if t := w.f.ResultType; t.Kind == llvmir.DIPointer {
			if k := w.kindOf(t.Elem); k > 0 {
				mark = fmt.Sprintf("  compare__kind((const void *)compare__result_after, %d);\n", k)
			}
		}
		compare = compareResult(w.f.ResultType, kind)
	}
	b.WriteString("int compare__padding(int kind, size_t i) {\n  switch (kind) {\n")
	for i, t := range w.padded {
		bytes := used(t)
		fmt.Fprintf(&b, "  case %d:\n    i %%= %d;\n", i+1, len(bytes))
		for k := 0; k < len(bytes); {
			from := k
			for k < len(bytes) && bytes[k] == bytes[from] {
				k++
			}
			if bytes[from] != wholeObject {
				fmt.Fprintf(&b, "    if (i >= %d && i < %d) return %d;\n", from, k, bytes[from])
			}
		}
		b.WriteString("    return 0;\n")
	}
	b.WriteString("  }\n  return 0;\n}\n\n")
	var args []string
	for i := range w.params {
		p := &w.params[i]
		args = append(args, fmt.Sprintf("compare__arg%d", i+1))
		b.WriteString("static " + declare(plain(p.typ), args[i]) + ";\n")
	}
	if w.f.Variadic {
		b.WriteString("static int compare__more[3];\n")
		args = append(args, "compare__more[0]", "compare__more[1]", "compare__more[2]")
		w.body = append(w.body, "memhavoc(compare__more, sizeof compare__more);")
	}
	call := "(" + strings.Join(args, ", ") + ");\n"
	before, after := "", ""
	if result {
		before, after = "compare__result_before = ", "compare__result compare__result_after = "
		fmt.Fprintf(&b, "typedef __typeof__(%s(%s)) compare__result;\nstatic compare__result compare__result_before;\n", f,
			strings.Join(args, ", "))
	}
	fmt.Fprintf(&b, "\nvoid compare__second(void) {\n  compare__switch();\n  %s%s%s%s  compare__end();\n%s}\n\n", after, f,
		call, mark, compare)
	b.WriteString("int main(void) {\n  compare__begin(compare__padding);\n")
	for _, line := range w.body {
		b.WriteString("  " + line + "\n")
	}
	for i := range w.params {
		fmt.Fprintf(&b, "  __builtin_memcpy((void *)&%s, (void *)&%s, sizeof %[1]s);\n", args[i], w.params[i].name)
	}
	fmt.Fprintf(&b, "  compare__start();\n  %s%s%s%s  compare__returned();\n  compare__second();\n  return 0;\n}\n",
		before, f, BeforeSuffix, call)
	return b.String()
}

// compareResult returns the statement that compares the results.
func compareResult(t *llvmir.DIType, kind int) string {
	before, after := "compare__result_before", "compare__result_after"
	switch {
	case t.Kind == llvmir.DIPointer:
		return fmt.Sprintf("  compare__pointers((const void *)%s, (const void *)%s);\n", before, after)
	case isComposite(t) || t.Bits > 64:
		return fmt.Sprintf("  compare__bytes(&%s, &%s, sizeof %s, %d);\n", before, after, after, kind)
	case t.Kind == llvmir.DIFloat:
		return fmt.Sprintf("  compare__floats(%s, %s);\n", before, after)
	case t.Signed:
		return fmt.Sprintf("  compare__signed(%s, %s);\n", before, after)
	}
	return fmt.Sprintf("  compare__values(%s, %s);\n", before, after)
}
