// Package randproof writes random unit proofs and finds out by running them natively, with
// every combination of their inputs and under sanitizers, what is true of them. What the engine
// says of them is compared with that: the processor shares no mistake with it.
//
// Reading order: randproof.go (a program and its truth), native.go (the runs), compare.go (what
// a verdict may be), generate.go (the generator) and a file for each family of statements.
//
// It knows nothing of the engine but the names of its findings.
package randproof

import (
	"fmt"
	"strings"
)

// Program is a random unit proof. Text holds a line for each statement and CHECK(k, e) where an
// assertion about e is to stand; which one is chosen when the values of e are known.
type Program struct {
	Seed   uint64
	Text   string
	Checks int
	// MallocMayFail, Unwind and NoOverflow are the settings of the proof: whether allocations fail,
	// the bound of --unwind (0: automatic), whether signed-overflow is not checked.
	MallocMayFail bool
	Unwind        int
	NoOverflow    bool
	// Flags are options of the compiler that change what the program means, or how clang translates it.
	Flags []string
	// Timeout is the time that the engine gets, "" for that of most.
	Timeout string
	// Off is a kind of violation of memory that is not checked: executions with it do not go on.
	Off string
}

// Place is where a violation stands and what it is.
type Place struct {
	Line int
	Kind string
}

// Truth is what native runs tell.
type Truth struct {
	// Complete: every combination of inputs was run.
	Complete bool
	Runs     int
	// Violations that some execution gets to, with the choices of one of them.
	Violations map[Place]string
	// MayBeFalse holds the lines of assertions whose condition may be the constant false, which is proved
	// by never being reached.
	MayBeFalse map[int]bool
	// Reached holds the lines of assertions that some execution gets to.
	Reached map[int]bool
}

// assertion is what a CHECK turns into.
type assertion struct {
	kind int // 1: within [a, b], 2: not a
	a, b int64
}

// Proof returns the text that the engine checks: every CHECK as an assertion.
func (p *Program) proof(as []assertion) string {
	var out strings.Builder
	out.WriteString("#include <unitproof.h>\n" + inputs)
	rest := p.Text
	for {
		i := strings.Index(rest, "CHECK(")
		if i < 0 {
			break
		}
		out.WriteString(rest[:i])
		rest = rest[i+len("CHECK("):]
		k := 0
		for rest[0] != ',' {
			k = 10*k + int(rest[0]-'0')
			rest = rest[1:]
		}
		rest = rest[2:]
		end, depth := 0, 1
		for ; depth > 0; end++ {
			switch rest[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		e := "(int64_t)(" + rest[:end-1] + ")"
		rest = rest[end:]
		switch a := as[k]; a.kind {
		case 1:
			fmt.Fprintf(&out, "{ int64_t v_ = %s; sassert(%s <= v_ && v_ <= %s); }", e, literal(a.a), literal(a.b))
		default:
			fmt.Fprintf(&out, "sassert(%s != %s)", e, literal(a.a))
		}
	}
	out.WriteString(rest)
	return out.String()
}

func literal(v int64) string {
	if v == -1<<63 {
		return "INT64_MIN"
	}
	return fmt.Sprintf("INT64_C(%d)", v)
}

// inputs are the functions that a proof takes its inputs from; natively they enumerate. They take as
// many lines as the native text has in front of it.
const inputs = `#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
static int in(int lo, int hi) { int x = nd_int(); assume(lo <= x && x <= hi); return x; }
static uint64_t bits(uint64_t mask) { uint64_t x = nd_uint64_t(); assume((x & ~mask) == 0); return x; }
static void fresh(void *p, unsigned n, unsigned mask) { for (unsigned i = 0; i < n; i++) assume((((unsigned char *)p)[i] & ~mask) == 0); }
static void havoc(void *p, unsigned n, unsigned mask) { memhavoc(p, n); fresh(p, n, mask); }
#define LOCAL(t, x, most) t x; assume(x <= most)
`

// native returns the text that is run.
func (p *Program) native() string {
	return "#include <unitproof.h>" + strings.Repeat("\n", strings.Count(inputs, "\n")+1) + p.Text
}
