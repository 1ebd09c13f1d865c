package randproof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Random functions with contracts: contracts.go generates the functions, contract_bodies.go their statements,
// contract_clauses.go their clauses, contract_text.go both texts; contract_runs.go and native/contracts.c run them.
//
// Preconditions and assigns clauses are generated here; postconditions, invariants and the assertions of the harness
// are derived from native runs (derive).

// contractProgram is a random program of functions with contracts; the last function is main.
type contractProgram struct {
	seed      uint64
	functions []*contractFunction
	// observed is the number of observables of all functions.
	observed int
}

// contractFunction is a function with a contract; main is the harness, which has none.
type contractFunction struct {
	name    string
	ret     string // type of the result, "" for void
	params  []contractParam
	global  int // precondition of the global variable g: at most this; -1 if it is not used
	assigns []contractTarget
	ensures []contractClause
	body    []contractLine
	// calls reports calls of other functions, recursive calls of itself.
	calls, recursive bool
	// observables are the candidates for postconditions; for main, for assertions.
	observables []observable
	// written are the lvalues that the function writes, except its own, in the order of their first write. Each has the
	// condition that all its writes share; "" if there is none.
	written []contractTarget
}

// contractParam is a parameter of a function, or an array with its length.
type contractParam struct {
	kind string // num, cell, box, array
	typ  string // of the number, the cell or the elements
	name string
	// most is an upper bound in the precondition of the number, cell or elements; -1 for none.
	most int64
	// length is the name of an array's length; longest is its upper bound in the precondition.
	length  string
	longest int
}

// contractTarget is memory that may be written if a condition holds.
type contractTarget struct {
	when          string
	lvalue        string
	array, length string // or all elements of this array
}

// contractLine is a line of a body: a statement, an assertion to be derived (check is its observable) or a loop.
//
// Statements contain macros:
//
//   - SET(x, e) assigns to memory that is not the function's own or, in a loop, is older than the loop.
//   - MINE(x, e) assigns to a local variable in a loop.
//   - AT(a, i, n) is an element.
//   - CALL(f, ...) is a call.
type contractLine struct {
	text   string
	indent int
	loop   *contractLoop
	check  *observable
	clause *contractClause // derived from check
}

// contractLoop is a loop, with or without a contract.
type contractLoop struct {
	init, cond, step string
	contract         bool
	assigns          []string // nil: no such clause
	always           []string // invariants that are true by construction
	invariants       []contractClause
	decreases        string
	entries          []string // local variables with a loop_entry value
	observables      []observable
	body             []contractLine
	indent           int
}

// observable is a number that a clause can be about, in the contract language.
type observable struct {
	id   int
	expr string
	// when is the condition under which it is recorded; "" for always.
	when string
	// over is the bound of k if it is recorded for all k below; "" for one number. With any it is 1 if the condition holds
	// for some k, else 0.
	over string
	any  bool
}

type contractGenerator struct {
	*contractProgram
	r *rand.Rand
	// of the current function
	f      *contractFunction
	locals []string
	arrays []contractParam
	indent int
	lines  *[]contractLine
	in     *contractLoop // the innermost loop
	cond   string        // condition of the block; "" if it does not depend on the parameters alone
	deep   bool          // in a block
}

func (g *contractGenerator) n(n int) int                { return g.r.IntN(n) }
func (g *contractGenerator) chance(percent int) bool    { return g.n(100) < percent }
func (g *contractGenerator) pick(from ...string) string { return from[g.n(len(from))] }

func newContracts(seed uint64) *contractProgram {
	g := &contractGenerator{contractProgram: &contractProgram{seed: seed}, r: rand.New(rand.NewPCG(seed, 99))}
	for range 2 + g.n(2) {
		g.function()
	}
	g.harness()
	return g.contractProgram
}

// function generates a function with a contract.
func (g *contractGenerator) function() {
	g.begin(fmt.Sprintf("f%d", len(g.functions)), g.pick("", "unsigned", "unsigned", "unsigned char", "unsigned short"))
	f := g.f
	for k := range 1 + g.n(2) {
		f.params = append(f.params, contractParam{kind: "num", typ: g.number(), name: string(rune('x' + k)),
			most: []int64{-1, 3, 10, 100, 200}[g.n(5)]})
	}
	if g.chance(25) {
		f.global = []int{3, 50, 1 << 20}[g.n(3)]
	}
	switch g.n(7) {
	case 0, 1:
		f.params = append(f.params, contractParam{kind: "cell", typ: g.number(), name: "p",
			most: []int64{-1, 4, 100}[g.n(3)]})
		if g.chance(30) {
			f.params = append(f.params, contractParam{kind: "cell", typ: g.number(), name: "q", most: -1})
		}
	case 2:
		f.params = append(f.params, contractParam{kind: "box", name: "s", most: []int64{3, 1000}[g.n(2)]})
	case 3, 4, 5:
		a := contractParam{kind: "array", typ: g.number(), name: "a", most: []int64{-1, -1, 2, 90}[g.n(4)], length: "n",
			longest: []int{3, 3, 20, 20, 200, 1000000}[g.n(6)]}
		f.params = append(f.params, a)
		if g.chance(40) {
			a.name, a.length, a.longest, a.most = "b", "n", 0, -1 // as long as a
			f.params = append(f.params, a)
		}
	case 6:
		g.recursion()
		g.frame()
		g.end()
		return
	}
	g.statements()
	g.frame()
	g.end()
}

// recursion generates a function that calls itself with a smaller number, and is proved by its own contract.
func (g *contractGenerator) recursion() {
	f := g.f
	f.calls, f.recursive = true, true
	f.ret = "unsigned"
	f.params = slices.Insert(f.params, 0, contractParam{kind: "num", typ: "unsigned", name: "n",
		most: []int64{4, 20, 100}[g.n(3)]})
	args := []string{"n - 1"}
	for _, p := range f.params[1:] {
		args = append(args, g.pick(p.name, p.name, p.name+" / 2"))
	}
	g.line("if (n == 0)")
	g.line("  return %s;", g.pick("0", "1", "x", "x & 7"))
	g.line("unsigned r = CALL(%s, %s);", f.name, strings.Join(args, ", "))
	if g.chance(30) {
		g.line("if (%s)", g.condition())
		g.line("  return r;")
	}
	g.line("return r %s;", g.pick("+ 1", "+ 2", "+ (x & 3)", "/ 2 + 3", "+ n", "> 10 ? 10 : r + 1"))
}

func (g *contractGenerator) begin(name, ret string) {
	f := &contractFunction{name: name, ret: ret, global: -1}
	g.f, g.lines, g.indent, g.locals, g.arrays, g.in, g.cond, g.deep = f, &f.body, 1, nil, nil, nil, "", false
}

// frame chooses the assigns clause, usually the memory that the function writes.
func (g *contractGenerator) frame() {
	f := g.f
	for _, t := range f.written {
		if g.chance(8) {
			continue
		}
		if t.when != "" && g.chance(30) {
			t.when = ""
		}
		f.assigns = append(f.assigns, t)
	}
	for _, p := range f.params {
		there := func(t contractTarget) bool { return t.lvalue == "*"+p.name }
		if p.kind == "cell" && g.chance(10) && !slices.ContainsFunc(f.assigns, there) {
			f.assigns = append(f.assigns, contractTarget{lvalue: "*" + p.name})
		}
	}
}

func (g *contractGenerator) end() {
	g.observe()
	g.functions = append(g.functions, g.f)
}

// harness generates main, which calls the functions with inputs and asserts.
func (g *contractGenerator) harness() {
	g.begin("main", "int")
	f := g.f
	for k := range 2 {
		f.params = append(f.params, contractParam{kind: "num", typ: "unsigned", name: string(rune('x' + k)),
			most: []int64{3, 12, 100, 200}[g.n(4)]})
	}
	g.declare("r", "unsigned")
	for range 1 + g.n(3) {
		g.callStatement()
		if g.chance(50) {
			g.assertion()
		}
	}
	g.assertion()
	g.assertion()
	g.line("return 0;")
	g.end()
}

func (g *contractGenerator) number() string {
	return g.pick("unsigned", "unsigned", "unsigned char", "unsigned short")
}

// largest returns the largest value of a type.
func largest(typ string) int64 {
	return map[string]int64{"unsigned": 1<<32 - 1, "unsigned char": 1<<8 - 1, "unsigned short": 1<<16 - 1}[typ]
}

func (g *contractGenerator) line(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	*g.lines = append(*g.lines, contractLine{text: text, indent: g.indent})
}

// id numbers an observable.
func (g *contractGenerator) id(o observable) observable {
	o.id = g.observed
	g.observed++
	return o
}
