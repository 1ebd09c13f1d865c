package randproof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/targets"
)

// Generate returns the program of a seed for a machine. Programs for machines other than x86-64 have more of the
// statements whose meaning depends on the machine.
func Generate(seed uint64, target targets.Target) *Program {
	g := newGenerator(seed, false)
	if !strings.HasPrefix(target.Machine, "LP64") {
		g.long = 4
	}
	g.no128 = g.long < 8 || target.Linker != "" // gcc's library has no __muloti4
	if target.Name != targets.Default {
		for _, f := range machineFeatures {
			g.flavour[f.name] += 3
		}
	}
	return g.program(seed)
}

func newGenerator(seed uint64, plain bool) *generator {
	stream := uint64(1)
	if plain {
		stream = 4
	}
	return &generator{r: rand.New(rand.NewPCG(seed, stream)), plain: plain, long: 8, recursion: map[string]bool{},
		flavour: map[string]int{}, written: map[string]int{}}
}

// Plain returns a short program of a seed that other checkers can read and solve, with all kinds of findings checked.
// It has no extensions or library functions that CBMC lacks, and no functions that call themselves twice, which CBMC
// unrolls to its bound.
func Plain(seed uint64) *Program {
	p := newGenerator(seed, true).program(seed)
	p.Off, p.Unwind, p.Flags = "", 0, nil
	return p
}

// notPlain are the features that Plain excludes. CBMC 6.3.1 copies nothing into an array of int if memcpy's length is
// not constant, hence no "lengths" and "vector" either:
//
//	unsigned n ≤ 1; int a[5] = {1}, b[5] = {2};
//	memcpy(a, b, n * sizeof(int)); // leaves a[0] = 1 for n = 1
var notPlain = map[string]bool{"cleanup": true, "library sort": true, "strings": true, "atomic": true, "alloca": true,
	"recursions": true, "float": true, "numbers": true,
	"tagged": true, "lengths": true, "vector": true, "blob": true, "graph": true, "variable arguments": true,
	"builtin": true, "parent's local": true, "wide": true, "wide integers": true, "interpreter": true,
	"numbers read": true, "characters": true, "text": true, "division functions": true, "barrier": true, "widths": true,
	"plain char": true, "enumeration": true, "layout": true, "byte order": true, "order of fields": true,
	"arguments of all widths": true, "registers": true, "addresses": true}

// needs128 are the features with integers of 128 bits.
var needs128 = map[string]bool{"wide": true, "wide integers": true}

// generator generates one program. It tracks the variables in scope, so that the program compiles and terminates. Most
// operations are defined, because values are small or operands masked.
type generator struct {
	r      *rand.Rand
	out    strings.Builder
	indent int
	checks int
	names  int
	// inputs is the number of executions that further inputs may cause.
	inputs int

	scope   []variable
	helpers []helper
	// declarations come first: types and functions that statements use.
	declarations []string
	// loops is the depth of loops; breakable reports whether break is allowed here.
	nested    int
	recursion map[string]bool
	loops     int
	inHelper  bool
	plain     bool // see Plain
	// long is the size of long and of pointers in bytes.
	long      int
	no128     bool // there are no integers of 128 bits
	breakable bool
	// continuable reports whether continue is allowed, too.
	continuable bool
	// result is the operand of return statements; "" if they are not allowed.
	result string
	// flavour has extra weights of features, which differ between programs.
	flavour map[string]int
	// written counts the statements of each feature.
	written map[string]int
}

// variable is a name in scope: an integer, an array of integers and so on.
type variable struct {
	name string
	kind string // int, array, pointer, struct, structs, pstruct, float, heap, wide
	typ  string // of the elements
	n    int    // elements
	ro   bool
}

type helper struct {
	name   string
	params []string // kinds
	ret    string
}

var intTypes = []string{"int", "int", "unsigned", "int8_t", "uint8_t", "int16_t", "uint16_t", "int64_t", "uint64_t",
	"long", "char", "_Bool", "short", "size_t"}

func (g *generator) n(n int) int              { return g.r.IntN(n) }
func (g *generator) chance(percent int) bool  { return g.r.IntN(100) < percent }
func (g *generator) pick(xs ...string) string { return xs[g.r.IntN(len(xs))] }
func (g *generator) intType() string          { return g.pick(intTypes...) }
func (g *generator) line(f string, args ...any) {
	g.out.WriteString(strings.Repeat("  ", g.indent))
	fmt.Fprintf(&g.out, f, args...)
	g.out.WriteByte('\n')
}

func (g *generator) fresh(stem string) string {
	g.names++
	return fmt.Sprintf("%s%d", stem, g.names)
}

// block writes lines in braces, with their own scope.
func (g *generator) block(open, close string, body func()) {
	g.line("%s {", open)
	depth := len(g.scope)
	g.indent++
	body()
	g.indent--
	g.scope = g.scope[:depth]
	g.line("}%s", close)
}

func (g *generator) vars(kinds ...string) []variable {
	var out []variable
	for _, v := range g.scope {
		for _, k := range kinds {
			if v.kind == k {
				out = append(out, v)
			}
		}
	}
	return out
}

func (g *generator) someVariable(kinds ...string) (variable, bool) {
	vs := g.vars(kinds...)
	if len(vs) == 0 {
		return variable{}, false
	}
	return vs[g.n(len(vs))], true
}

func (g *generator) add(v variable) { g.scope = append(g.scope, v) }

func (g *generator) program(seed uint64) *Program {
	p := &Program{Seed: seed}
	g.inputs = 16 << g.n(5)
	for range 6 {
		g.flavour[features[g.n(len(features))].name] += 3
	}
	g.line("struct s { %s a; %s b; unsigned c : %d; int d : %d; %s e[3]; union { uint32_t w; uint8_t q[4]; int16_t "+
		"h[2]; } u; struct s *next; };",
		g.intType(), g.pick("int", "int16_t", "uint8_t", "long"), 1+g.n(31), 2+g.n(30),
		g.pick("int", "uint8_t", "int16_t", "int64_t"))
	g.line("struct small { %s x; %s y; };", g.pick("int", "int16_t", "uint8_t", "float"),
		g.pick("int", "uint8_t", "double", "int64_t"))
	g.line("struct mid { int64_t x; %s y; %s z; };", g.pick("int", "uint8_t", "double", "float"),
		g.pick("uint8_t", "int16_t"))
	g.line("static int twice(int x) { return x + x; }")
	g.line("static int same(int x) { return x; }")
	g.out.WriteString(oddDeclarations)
	for range 1 + g.n(3) {
		g.declareGlobal()
	}
	globals := len(g.scope)
	for range g.n(4) {
		g.helper()
		g.scope = g.scope[:globals]
	}
	g.result = "0"
	g.block("int main(void)", "", func() {
		for range 1 + g.n(2) {
			g.input()
		}
		for range 1 + g.n(3) {
			g.declare()
		}
		statements, depth := 5+g.n(14), 3
		if g.plain {
			statements, depth = 3+g.n(4), 2
		}
		for range statements {
			g.statement(depth)
		}
		for range 1 + g.n(3) {
			g.check()
		}
		g.line("return 0;")
	})
	p.Text, p.Checks = strings.Join(g.declarations, "")+g.out.String(), g.checks
	p.MallocMayFail = g.chance(40)
	p.NoOverflow = g.chance(15)
	if g.chance(15) {
		p.Off = g.pick("null-dereference", "out-of-bounds-read", "out-of-bounds-write", "use-after-free", "use-after-scope",
			"invalid-free")
	}
	if g.chance(25) {
		p.Flags = []string{g.pick("-funsigned-char", "-fshort-enums", "-fno-builtin", "-fpack-struct=2", "-fno-common",
			"-std=gnu99", "-O2", "-fwrapv", "-D_FORTIFY_SOURCE=2")}
	}
	if g.chance(12) {
		p.Unwind = 1 + g.n(4)
	}
	return p
}

// input declares a variable with an arbitrary value from a small set.
func (g *generator) input() {
	name := g.fresh("in")
	t := g.intType()
	size := 2 + g.n(6)
	if !g.spend(size) {
		return
	}
	if g.chance(50) {
		lo := []int{0, 0, 0, 1, -2, -1, 126, 254, -130, 2147483644 - 3}[g.n(10)]
		g.line("%s %s = (%s)in(%d, %d);", t, name, t, lo, lo+size-1)
	} else {
		mask := uint64(0)
		for i := 1; i < size; i *= 2 {
			mask |= 1 << []int{0, 1, 2, 3, 7, 8, 15, 31, 32, 62, 63, g.n(64)}[g.n(12)]
		}
		g.line("%s %s = (%s)bits(0x%xull);", t, name, t, mask)
	}
	g.add(variable{name: name, kind: "int", typ: t, ro: g.chance(50)})
}

// spend reports whether the inputs may multiply the executions by a factor, and accounts for it. In loops and helpers
// an input is made several times.
func (g *generator) spend(executions int) bool {
	if g.loops > 0 || g.inHelper {
		executions *= executions * executions
	}
	if executions > g.inputs {
		return false
	}
	g.inputs /= executions
	return true
}

// arbitrary makes memory arbitrary, or declares an arbitrary variable.
func (g *generator) arbitrary(int) {
	mask := []int{1, 128, 3, 0x41}[g.n(4)]
	each := 2
	if mask == 3 || mask == 0x41 {
		each = 4
	}
	name := g.fresh("o")
	switch g.n(4) {
	case 0:
		if most := 1 + g.n(3); g.spend(most + 1) {
			t := g.pick("unsigned", "uint8_t", "size_t", "uint64_t", "uint16_t")
			g.line("LOCAL(%s, %s, %d);", t, name, most)
			g.add(variable{name: name, kind: "int", typ: t})
		}
	case 1:
		if v, ok := g.someVariable("array", "heap"); ok && !v.ro && v.typ != "_Bool" && g.spend(each) {
			g.line("havoc((char *)%s + %s, 1, %d);", v.name, g.masked(1, v.n*g.size(v.typ)-1), mask)
		}
	case 2:
		if v, ok := g.someVariable("int"); ok && !v.ro && g.size(v.typ) == 1 && v.typ != "_Bool" && g.spend(each) {
			g.line("havoc((void *)&%s, 1, %d);", v.name, mask)
		}
	case 3:
		if g.spend(each) {
			g.line("unsigned char *%s = malloc(1);", name)
			g.line("assume(%s != NULL);", name) // the effect of inputs on NULL is not compared
			g.line("fresh(%s, 1, %d); uint8_t %sv = *%s;", name, mask, name, name)
			g.add(variable{name: name + "v", kind: "int", typ: "uint8_t"})
			g.add(variable{name: name, kind: "heap", typ: "uint8_t", n: 1})
		}
	}
}

func (g *generator) declareGlobal() {
	static := g.pick("static ", "static ", "")
	name := g.fresh("g")
	switch t := g.intType(); g.n(5) {
	case 0, 1:
		g.line("%s%s %s = %d;", static, t, name, g.n(100))
		g.add(variable{name: name, kind: "int", typ: t})
	case 2, 3:
		n := 2 + g.n(4)
		var vs []string
		for range g.n(n) + 1 {
			vs = append(vs, fmt.Sprint(g.n(100)))
		}
		ro := g.chance(25)
		g.line("%s%s%s %s[%d] = {%s};", static, map[bool]string{true: "const ", false: ""}[ro], t, name, n,
			strings.Join(vs, ", "))
		g.add(variable{name: name, kind: "array", typ: t, n: n, ro: ro})
	case 4:
		g.line("%sstruct s %s = {.a = %d, .c = 1, .d = -1, .e = {1, 2, 3}, .u = {.w = 0x%x}};", static, name, g.n(2),
			g.r.Uint32())
		g.add(variable{name: name, kind: "struct", typ: "struct s"})
	}
}

// declare declares a local variable with a value.
func (g *generator) declare() {
	name := g.fresh("v")
	switch g.n(9) {
	case 0, 1, 2:
		t := g.intType()
		init := g.expr(2)
		volatile := g.pick("", "", "", "volatile ", "_Atomic ")
		if volatile == "_Atomic " {
			if t == "_Bool" {
				t = "int"
			}
		}
		g.line("%s%s %s = (%s)(%s);", volatile, t, name, t, init)
		g.add(variable{name: name, kind: "int", typ: t})
	case 3, 4:
		t := g.intType()
		n := 2 + g.n(5)
		g.line("%s %s[%d] = {%s};", t, name, n, g.expr(1))
		g.add(variable{name: name, kind: "array", typ: t, n: n})
	case 5:
		g.line("struct s %s = {.a = %s, .d = %d, .u = {.w = %s}};", name, g.masked(1, 1), g.n(2), g.expr(1))
		g.add(variable{name: name, kind: "struct", typ: "struct s"})
	case 6:
		n := 2 + g.n(2)
		g.line("struct s %s[%d] = {{.a = 1}, {.b = %s}};", name, n, g.masked(1, 15))
		g.add(variable{name: name, kind: "structs", typ: "struct s", n: n})
	case 7:
		if a, ok := g.someVariable("array"); ok && !a.ro && !strings.Contains(a.typ, "Bool") {
			g.line("%s *%s = &%s[%s];", a.typ, name, a.name, g.masked(1, a.n/2))
			g.add(variable{name: name, kind: "pointer", typ: a.typ, n: a.n - a.n/2})
			return
		}
		g.heap()
	case 8:
		if s, ok := g.someVariable("structs"); ok {
			g.line("struct s *%s = %s + %s;", name, s.name, g.masked(1, 1))
			g.add(variable{name: name, kind: "pstruct", typ: "struct s", n: s.n})
			return
		}
		g.line("%s %s = %s;", g.pick("double", "float"), name, g.floating(1))
		g.add(variable{name: name, kind: "float"})
	}
}

// check writes an assertion.
func (g *generator) check() {
	if g.checks >= 100 {
		return
	}
	e := g.expr(1 + g.n(2))
	if v, ok := g.someVariable("int", "array", "struct", "structs", "pstruct", "pointer", "heap"); ok && g.chance(60) {
		e = g.lvalue(v, true)
	}
	g.line("CHECK(%d, %s);", g.checks, e)
	g.checks++
}

// feature is a kind of statement; w is its weight.
type feature struct {
	name string
	w    int
	// deep features contain statements.
	deep bool
	f    func(g *generator, depth int)
}

var features []feature

func init() {
	features = []feature{
		{"assign", 10, false, (*generator).assign},
		{"check", 6, false, func(g *generator, _ int) { g.check() }},
		{"declare", 4, false, func(g *generator, _ int) { g.declare() }},
		{"input", 2, false, func(g *generator, _ int) {
			if g.loops == 0 {
				g.input()
			}
		}},
		{"if", 6, true, (*generator).branch},
		{"for", 4, true, (*generator).forLoop},
		{"while", 3, true, (*generator).whileLoop},
		{"goto", 2, true, (*generator).gotoLoop},
		{"switch", 2, true, (*generator).switchOver},
		{"leave", 1, false, (*generator).leave},
		{"move", 3, false, (*generator).move},
		{"heap", 2, false, func(g *generator, _ int) { g.heap() }},
		{"heap use", 2, false, (*generator).heapUse},
		{"call", 4, false, (*generator).call},
		{"struct", 3, false, (*generator).structs},
		{"pointer", 3, false, (*generator).pointers},
		{"escape", 1, false, (*generator).escape},
		{"float", 1, false, (*generator).floats},
		{"wide", 1, false, (*generator).wide},
		{"vla", 1, false, (*generator).vla},
		{"list", 1, false, (*generator).list},
		{"assume", 1, false, (*generator).assume},
		{"matrix", 1, true, (*generator).matrix},
		{"bytes", 1, false, (*generator).bytes},
		{"function pointer", 1, false, (*generator).functionPointer},
		{"builtin", 1, false, (*generator).builtin},
		{"arbitrary", 2, false, (*generator).arbitrary},
		{"blob", 2, false, (*generator).blob},
		{"pool", 1, false, (*generator).pool},
		{"graph", 1, false, (*generator).graph},
		{"strings", 1, false, (*generator).strings},
		{"table", 1, false, (*generator).table},
		{"walk", 1, true, (*generator).walk},
		{"sort", 1, false, (*generator).sort},
		{"sized", 1, false, (*generator).sized},
		{"blocks", 1, false, func(g *generator, d int) {
			if g.result == "0" { // in main
				(*generator).blocks(g, d)
			}
		}},
	}
	for _, more := range [][]feature{oddFeatures, jumpFeatures, recordFeatures, unionFeatures, fieldFeatures,
		conversionFeatures, callbackFeatures, indirectFeatures, lengthFeatures, idiomFeatures, passingFeatures,
		libraryFeatures, rangeFeatures, machineFeatures} {
		features = append(features, more...)
	}
}

// use adds declarations to the beginning of the program, once.
func (g *generator) use(declarations string) {
	if !slices.Contains(g.declarations, declarations) {
		g.declarations = append(g.declarations, declarations)
	}
}

func (g *generator) statement(depth int) {
	total := 0
	fits := func(f feature) bool {
		return (!f.deep || depth > 0) && !(g.plain && notPlain[f.name]) && !(g.no128 && needs128[f.name])
	}
	for _, f := range features {
		if fits(f) {
			total += f.w + g.flavour[f.name]
		}
	}
	k := g.n(total)
	for _, f := range features {
		if fits(f) {
			if k -= f.w + g.flavour[f.name]; k < 0 {
				g.written[f.name]++
				f.f(g, depth-1)
				return
			}
		}
	}
}

func (g *generator) statements(n, depth int) {
	for range n {
		g.statement(depth)
	}
}
