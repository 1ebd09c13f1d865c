package vcgen

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/sampletest"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// branchy returns a random function of two bytes with many branches.
func branchy(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	cond := func() string {
		x := []string{"a", "b", "(unsigned char)(a + b)", "(a ^ b)", "t"}[r.Intn(5)]
		return fmt.Sprintf("%s %s %d", x, []string{"<", ">", "==", "!=", "<="}[r.Intn(5)], r.Intn(40)*7%256)
	}
	line("void assume(_Bool c); unsigned char nd_uint8_t(void);")
	line("int main(void) {")
	line("unsigned char a = nd_uint8_t(), b = nd_uint8_t(), t = 0;")
	line("assume(%s);", cond())
	if r.Intn(2) == 0 {
		line("assume(a < 40 && b < 90);")
	}
	var body func(depth int)
	body = func(depth int) {
		for range 1 + r.Intn(3) {
			switch k := r.Intn(5); {
			case k == 0 && depth < 3:
				line("if (%s && %s) {", cond(), cond())
				body(depth + 1)
				line("} else {")
				body(depth + 1)
				line("}")
			case k == 1 && depth < 3:
				line("if (%s || %s) {", cond(), cond())
				body(depth + 1)
				line("}")
			case k == 2 && depth < 3:
				line("switch (a & 15) { case 3:\n t++; break;\n case 17:\n t += 2; break;\n default:\n")
				body(depth + 1)
				line("}")
			case k == 3:
				line("for (int i = 0; i < (b & 3); i++) {\n t += (%s) ? a : 5;\n}", cond())
			default:
				line("t += a & %d;", r.Intn(256))
			}
		}
	}
	body(0)
	line("return t;\n}")
	return b.String()
}

// TestBranchesOfRandomPrograms checks that no direction reported as dead is taken by an execution, and that each one
// reported as taken is.
func TestBranchesOfRandomPrograms(t *testing.T) {
	dead, taken, unknown, rounds := 0, 0, 0, sampletest.Rounds(25)
	for seed := range sampletest.Seeds(t, 25) {
		r := rand.New(rand.NewSource(seed))
		source := branchy(r)
		m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}, Explain: true, Vacuity: VacuityEntry}
		report, err := Verify(context.Background(), m, "main", opts, func(c *smt.Context) (smt.Solver, error) {
			return solver.New("", c, solver.Options{})
		})
		if err != nil {
			t.Fatal(err)
		}
		seen := &seenWays{edges: map[unfold.Edge]bool{}, entered: map[*llvmir.Func]bool{}}
		e := &engine{m: m, opts: opts}
		for range 3000 {
			run := interp.New(context.Background(), m, "main", func(choice.Question) choice.Answer {
				return choice.Answer{Value: big.NewInt(r.Int63n(256))}
			}, e.interpOptions(false))
			run.Observe(seen)
			run.Run()
		}
		for _, b := range (&explainer{plan: &plan{engine: e}}).userBranches() {
			for _, branch := range report.Explained.Branches {
				if l := b.in.Loc; branch.Pos.Line != l.Line || branch.Pos.Column != l.Col ||
					branch.Switch != (b.in.Op == llvmir.OpSwitch) {
					continue
				}
				targets := b.in.Succs
				if branch.Switch { // cases in order, then the default
					targets = append(successors(b.in)[1:], b.in.Succs[0])
				}
				for i, w := range branch.Ways {
					real := seen.edges[unfold.Edge{Branch: b.in.ID, To: targets[i]}]
					switch w.Taken {
					case found.NeverTaken:
						dead++
						if real {
							t.Errorf("seed %d, line %d: a way that is called dead is taken\n%s", seed, branch.Pos.Line, source)
						}
					case found.TakenBy:
						taken++
					default:
						unknown++
					}
				}
			}
		}
	}
	if n := int(rounds); dead < n*8/5 || taken < n*4 || unknown > taken/20 {
		t.Errorf("%d ways are dead, %d are taken and %d unknown: this tests little", dead, taken, unknown)
	}
}

// TestBranchesOfCopies checks that the copies of an inline function in several files are merged: a direction is taken
// if it is in any copy. The branches of a macro in one function stay separate, and so do different branches in two
// files.
func TestBranchesOfCopies(t *testing.T) {
	pos := found.Pos{File: "a.h", Line: 3, Column: 5, Function: "f"}
	branch := func(entered bool, outcomes ...found.Taken) BranchWays {
		b := BranchWays{Pos: pos, Entered: entered}
		for _, w := range outcomes {
			b.Ways = append(b.Ways, WayTaken{Taken: w})
		}
		return b
	}
	one, two, three := new(llvmir.Func), new(llvmir.Func), new(llvmir.Func)
	l := branchList{at: map[found.Pos][]int{}}
	l.add(one, branch(true, found.NeverTaken, found.TakenBy))
	l.add(one, branch(true, found.NeverTaken, found.MaybeTaken)) // a macro
	l.add(two, branch(true, found.TakenBy, found.NeverTaken))
	l.add(two, branch(true, found.NeverTaken, found.NeverTaken))
	l.add(three, branch(false, found.NeverTaken, found.NeverTaken, found.NeverTaken)) // an #ifdef
	want := []BranchWays{branch(true, found.TakenBy, found.TakenBy), branch(true, found.NeverTaken, found.MaybeTaken),
		branch(false, found.NeverTaken, found.NeverTaken, found.NeverTaken)}
	for i := range want {
		want[i].Nth = i
	}
	if !reflect.DeepEqual(l.list, want) {
		t.Errorf("the branches are\n%+v, want\n%+v", l.list, want)
	}
}
