package replay

import (
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// The inputs of a reproducer: a table of values, and functions that return them.

// site is an instruction that requests inputs.
type site struct {
	in       *llvmir.Instr
	fn       *llvmir.Func
	variable string // variable whose lifetime begins there
}

// local is a variable whose initial content is an input.
type local struct {
	name   string
	file   string
	line   int
	number int
	placed bool
}

func (w *reproducer) findSites() {
	for _, f := range w.job.Program.Funcs {
		vars := map[int]string{}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == llvmir.OpDbgDeclare && in.Args[0].Kind == llvmir.OperandReg && in.Text == "" && in.Var != nil {
					vars[in.Args[0].Reg] = in.Var.Name
				}
			}
		}
		from := map[int]int{} // casts of allocas
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				s := &site{in: in, fn: f}
				if in.Op == llvmir.OpBitCast && in.Args[0].Kind == llvmir.OperandReg {
					from[in.Dst] = in.Args[0].Reg
				}
				if in.Op == llvmir.OpAlloca {
					s.variable = vars[in.Dst]
				}
				if in.Intrinsic == "lifetime.start" && in.Args[1].Kind == llvmir.OperandReg {
					reg := in.Args[1].Reg
					if base, ok := from[reg]; ok {
						reg = base
					}
					s.variable = vars[reg]
				}
				w.sites[in.ID] = s
			}
		}
	}
}

// inputs writes the table of inputs.
func (w *reproducer) inputs(choices []*choice.Choice) {
	lost := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); !slices.Contains(w.lost, s) {
			w.lost = append(w.lost, s)
		}
	}
	add := func(name string, value *big.Int, content map[uint64]byte, s *site) {
		where := ""
		if s != nil && s.in.Loc != nil && s.in.Loc.Line > 0 {
			where = fmt.Sprintf(" /* %s:%d */", filepath.Base(s.in.Loc.File), s.in.Loc.Line)
		}
		if value == nil {
			value = new(big.Int)
		}
		low := new(big.Int).And(value, new(big.Int).SetUint64(^uint64(0)))
		text, size := cBytes(content)
		w.table = append(w.table, fmt.Sprintf("  {%s, %sU, %s, %d},%s", strconv.Quote(name), low, text, size, where))
	}
	numbers := map[string]int{}
	entry := w.job.Program.FuncByName[w.job.Entry]
	arguments := calledFrom(w.job.Program.Before(entry))
	fuzzed := w.job.Entry == language.FuzzTarget
	if fuzzed {
		w.fuzzInput(inputOf(w.job.Program, entry, choices))
	}
	for _, c := range choices {
		s := w.sites[c.Site]
		if s != nil && arguments[s.fn] {
			if fuzzed {
				continue
			}
			lost("the arguments of main (give it others)")
			continue
		}
		switch c.Kind {
		case choice.Nondet:
			if s == nil {
				continue
			}
			name := "?"
			if k := s.in.Callee.Const; k != nil && k.Kind == llvmir.ConstFunc {
				name = k.Func.Name
			}
			if c.Content {
				add(name, nil, c.Bytes, s)
				continue
			}
			if c.Bits > 64 {
				lost("results of %s that are wider than 64 bits", name)
			}
			add(name, c.Value, nil, s)
		case choice.Parameter:
			if !c.Content {
				w.args = append(w.args, fmt.Sprintf("%sU", c.Number()))
				break
			}
			t := w.job.Program.FuncByName[w.job.Entry].Params[-c.Site-1].DIType
			if t == nil || t.Name == "" {
				lost("a parameter that is a struct without a name")
				break
			}
			text, size := cBytes(c.Bytes)
			w.args = append(w.args,
				fmt.Sprintf("({ %s v; __builtin_memset(&v, 0, sizeof v); __builtin_memcpy(&v, %s, %d); v; })", t.Name, text, size))
		case choice.Havoc:
			add("memhavoc", nil, c.Bytes, s)
		case choice.Malloc:
			add("malloc content", nil, c.Bytes, s)
		case choice.AllocFails:
			w.allocates = true
			add("malloc fails", c.Number(), nil, s)
		case choice.Uninitialized:
			switch name := w.localName(s, numbers); {
			case name != "":
				add(name, nil, c.Bytes, s)
			case len(c.Bytes) > 0 && s != nil && s.in.Op != llvmir.OpAlloca:
				lost("the content of a variable without a name in %s", s.fn.SourceName)
			}
		case choice.Writes:
			if c.True() {
				lost("what functions without a body write")
			}
		case choice.Global:
			w.global(c)
		case choice.Asm:
			lost("results of inline assembly")
		case choice.Object:
			lost("where objects lie in memory")
		}
	}
	w.functions()
}

// localName returns the name of the input that is the content of a local variable; "" if that needs none. It adds the
// variable to the ones that are filled at the start of their lifetimes.
func (w *reproducer) localName(s *site, numbers map[string]int) string {
	if s == nil || s.variable == "" || s.in.Loc == nil {
		return ""
	}
	if s.in.Op == llvmir.OpAlloca {
		return "" // its lifetime begins later and is an input
	}
	key := fmt.Sprintf("%s:%d:%s", s.in.Loc.File, s.in.Loc.Line, s.variable)
	n, ok := numbers[key]
	if !ok {
		n = len(w.locals)
		numbers[key] = n
		w.locals = append(w.locals, &local{name: s.variable, file: s.in.Loc.File, line: s.in.Loc.Line, number: n})
	}
	return fmt.Sprintf("local %d", n)
}

// global adds a variable without a definition, with its content.
func (w *reproducer) global(c *choice.Choice) {
	text, size := cBytes(c.Bytes)
	n := uint64(size)
	if g := w.job.Program.GlobalByName[c.Name]; g != nil {
		n = max(n, uint64(g.Type.Size))
	}
	w.stubs[c.Name] = fmt.Sprintf("unsigned char unitproof_variable_%d[%d] __asm__(%s) __attribute__((aligned(16))) "+
		"= %s;\n",
		len(w.stubs), max(n, uint64(size)+1), strconv.Quote(c.Name), text)
}

// cBytes returns content as a C string, up to the last byte that is not zero, and its length.
func cBytes(content map[uint64]byte) (string, int) {
	n := uint64(0)
	for off := range content {
		if off < 1<<16 {
			n = max(n, off+1)
		}
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range n {
		if i > 0 && i%16 == 0 {
			b.WriteString("\"\n     \"")
		}
		fmt.Fprintf(&b, "\\%03o", content[i])
	}
	b.WriteByte('"')
	return b.String(), int(n)
}

// calledFrom returns a function and the functions that it calls, transitively.
func calledFrom(f *llvmir.Func) map[*llvmir.Func]bool {
	seen := map[*llvmir.Func]bool{}
	for todo := []*llvmir.Func{f}; len(todo) > 0; todo = todo[1:] {
		if f := todo[0]; f != nil && !seen[f] {
			seen[f] = true
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					todo = append(todo, in.Function())
				}
			}
		}
	}
	return seen
}

// functions defines the missing functions. Their names are assembler names, so that no declaration in the sources
// conflicts with their types.
func (w *reproducer) functions() {
	returns := returnTypes(w.job.Module)
	for i, f := range w.job.Program.Funcs {
		name := f.Name
		known := language.Function(name, f.Arity())
		if len(f.Blocks) > 0 || strings.HasPrefix(name, "llvm.") || clangir.SanitizerCheck(f) != "" ||
			known.Native() == language.NativeLibrary || isMath(f) || w.stubs[name] != "" {
			continue
		}
		define := func(result, params, body string) {
			w.stubs[name] = fmt.Sprintf("%s unitproof_stub_%d(%s) __asm__(%s);\n%s unitproof_stub_%d(%s) { %s }\n", result, i,
				params, strconv.Quote(name), result, i, params, body)
		}
		switch known.Role {
		case language.Assume:
			define("void", "_Bool c", "unitproof_assume(c);")
		case language.Assert:
			define("void", "_Bool c", "if (!c) unitproof_violation();")
		case language.AssertFailure, language.Error:
			if known.Dialect == language.GNU {
				continue // the library's
			}
			define("void", "void", "unitproof_violation();")
		case language.Havoc:
			define("void", "void *p, unsigned long n", `unitproof_content(p, n, "memhavoc");`)
		case language.Dereferenceable:
			define("_Bool", "const void *p, long n", "return unitproof_readable(p, n);")
		case language.IsModified:
			define("_Bool", "void *p", "return p != p;")
			w.lost = append(w.lost, "whether something was written ("+name+" answers no)")
		case language.ResetModified:
			define("void", "void *p", "(void)p;")
		case language.TrackingOn, language.TrackingOff:
			define("void", "void", "")
		default:
			if known.StandIn() == "" { // the others are the library's, see macros
				w.nondet(name, f, returns[name], define)
			}
		}
	}
}

func (w *reproducer) nondet(name string, f *llvmir.Func, attribute string, define func(result, params, body string)) {
	if language.Lookup(name).Role == language.Print {
		return
	}
	q := strconv.Quote(name)
	if i := f.InMemory(); i >= 0 { // by the calling convention its address is passed and returned
		define("void *", "void *p",
			fmt.Sprintf("unitproof_content(p, %d, %s); return p;", f.Params[i].Pointee().Size, q))
		return
	}
	switch t := f.Ret; {
	case t.Kind == llvmir.VoidType:
		body := ""
		if f.NoReturn {
			body = "_Exit(0);"
		}
		define("void", "void", body)
	case t.Kind == llvmir.FloatType && t.Bits == 64:
		define("double", "void",
			"double d; unsigned long long v = unitproof_next("+q+")->value; memcpy(&d, &v, sizeof d); return d;")
	case t.Kind == llvmir.FloatType && t.Bits == 32:
		define("float", "void",
			"float d; unsigned v = (unsigned)unitproof_next("+q+")->value; memcpy(&d, &v, sizeof d); return d;")
	case t.Kind == llvmir.FloatType && t.Bits == 16:
		define("_Float16", "void",
			"_Float16 d; unsigned short v = (unsigned short)unitproof_next("+q+")->value; memcpy(&d, &v, sizeof d); return d;")
	case t.Kind == llvmir.PointerType:
		define("void *", "void", "return (void *)(unsigned long)unitproof_next("+q+")->value;")
	case t.Kind == llvmir.IntType && t.Bits <= 64:
		c := map[int]string{1: "_Bool", 8: "char", 16: "short", 32: "int", 64: "long"}[t.Bits]
		if c == "" {
			w.without(name, define)
			return
		}
		if t.Bits > 1 {
			sign := "unsigned "
			if attribute == "signext" {
				sign = "signed "
			}
			c = sign + c
		}
		define(c, "void", "return ("+c+")unitproof_next("+q+")->value;")
	default:
		w.without(name, define)
	}
}

// without defines a function whose results C cannot express: a call ends the program.
func (w *reproducer) without(name string, define func(result, params, body string)) {
	w.lost = append(w.lost, "results of "+name)
	define("void", "void", fmt.Sprintf(`fprintf(stderr, "what %%s gives is not known here\n", %s); _Exit(3);`,
		strconv.Quote(name)))
}

// returnTypes returns how declared functions extend their results, by name.
func returnTypes(module []byte) map[string]string {
	out := map[string]string{}
	for _, m := range declaredReturn.FindAllSubmatch(module, -1) {
		out[unquote(string(m[2]))] = string(m[1])
	}
	return out
}
