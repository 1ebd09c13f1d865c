// Package randproof generates random unit proofs and computes the truth about them: it runs each natively, with every
// combination of its inputs and under sanitizers. The engine's verdicts are compared with that truth; the processor
// shares no bugs with the engine. For example, from the generated statements
//
//	int in1 = (int)in(0, 3);
//	CHECK(0, in1 + 1);
//
// four native runs observe the values 1 to 4, and the proof becomes
//
//	{ int64_t v_ = (int64_t)(in1 + 1); sassert(INT64_C(1) <= v_ && v_ <= INT64_C(4)); }
//
// Reading order: randproof.go (a program and its truth), native.go (the runs), compare.go (permitted verdicts),
// generate.go (the generator) and a file for each family of statements.
//
// The package depends on the engine only by the names of its findings.
package randproof

import (
	"fmt"
	"strings"
)

// Program is a random unit proof. Text has a line for each statement, and CHECK(k, e) for an assertion about e, which
// is chosen when the values of e are known.
type Program struct {
	Seed   uint64
	Text   string
	Checks int
	// MallocMayFail, Unwind and NoOverflow are settings of the proof: whether allocations may fail, the bound of --unwind
	// (0: automatic), whether signed-overflow is not checked.
	MallocMayFail bool
	Unwind        int
	NoOverflow    bool
	// Flags are options of the compiler that change the program's meaning, or clang's translation.
	Flags []string
	// Timeout is the engine's timeout; "" is the default.
	Timeout string
	// Off is a kind of memory violation that is not checked: executions end at it.
	Off string
}

// Place is the line and the kind of a violation.
type Place struct {
	Line int
	Kind string
}

// Truth is the result of native runs.
type Truth struct {
	// Complete reports that every combination of inputs was run.
	Complete bool
	Runs     int
	// Violations has the violations of all executions, with the choices of one of them.
	Violations map[Place]string
	// MayBeFalse has the lines of assertions whose condition may be the constant false, which can be proved by being
	// unreachable.
	MayBeFalse map[int]bool
	// Reached has the lines of assertions that some execution reaches.
	Reached map[int]bool
}

// assertion replaces a CHECK.
type assertion struct {
	kind int // 1: within [a, b], 2: not a
	a, b int64
}

// proof returns the text for the engine, with every CHECK as an assertion.
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

// inputs are the functions that return a proof's inputs; natively they enumerate. They have as many lines as the native
// text has before the program.
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

// native returns the text for native runs.
func (p *Program) native() string {
	return "#include <unitproof.h>" + strings.Repeat("\n", strings.Count(inputs, "\n")+1) + p.Text
}
