package flow

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
)

// step is an instruction of a random program: the names that it uses and that it defines.
type step struct {
	text      string
	uses      []string
	def       string
	ends      bool              // no execution continues
	usesFrom  map[string]string // of a phi: the used name, by predecessor
	successor []string          // of a terminator
}

// randomProgram returns a function f over local variables in registers (v), one in memory (m), and values (r). It need
// not make sense: values may be used before their definitions.
func randomProgram(rng *rand.Rand) (text string, blocks map[string][]step) {
	nodes := flowtest.Random(rng)
	blocks = map[string][]step{}
	preds := map[string][]string{}
	for _, n := range nodes {
		for _, s := range n.Succs {
			preds[s] = append(preds[s], n.Name)
		}
	}
	const values = 6
	of := func(k int) string { return fmt.Sprintf("r%d", k) }
	value := func() string { return of(rng.Intn(values)) }
	variable := func() string { return fmt.Sprintf("v%d", rng.Intn(3)) }
	compute := func(r string) step {
		switch rng.Intn(4) {
		case 0:
			v := variable()
			return step{text: fmt.Sprintf("%%%s = load i32, i32* %%%s", r, v), uses: []string{v}, def: r}
		case 1:
			return step{text: fmt.Sprintf("%%%s = load i32, i32* %%m", r), uses: []string{"m"}, def: r}
		case 2:
			x := value()
			return step{text: fmt.Sprintf("%%%s = call i32 @g(i32 %%%s)", r, x), uses: []string{x}, def: r}
		default:
			x, y := value(), value()
			return step{text: fmt.Sprintf("%%%s = add i32 %%%s, %%%s", r, x, y), uses: []string{x, y}, def: r}
		}
	}
	effect := func() step {
		switch rng.Intn(6) {
		case 0:
			v := variable()
			return step{text: fmt.Sprintf("call void @llvm.lifetime.start.p0i8(i64 4, i8* %%c%s)", v), def: v}
		case 1:
			v := variable()
			return step{text: fmt.Sprintf("call void @llvm.lifetime.end.p0i8(i64 4, i8* %%c%s)", v), def: v}
		case 2:
			x := value()
			return step{text: fmt.Sprintf("store i32 %%%s, i32* %%m", x), uses: []string{x, "m"}}
		case 3:
			x := value()
			return step{text: fmt.Sprintf("call void @exit(i32 %%%s)", x), uses: []string{x}, ends: true}
		default:
			x, v := value(), variable()
			return step{text: fmt.Sprintf("store i32 %%%s, i32* %%%s", x, v), uses: []string{x}, def: v}
		}
	}
	for k := range values { // a value is defined at one place
		n := nodes[rng.Intn(len(nodes))].Name
		s := compute(of(k))
		if len(preds[n]) > 0 && rng.Intn(3) == 0 {
			s = step{def: of(k), usesFrom: map[string]string{}}
			var in []string
			for _, p := range preds[n] {
				if s.usesFrom[p] == "" {
					s.usesFrom[p] = value()
				}
				in = append(in, fmt.Sprintf("[ %%%s, %%%s ]", s.usesFrom[p], p))
			}
			s.text = fmt.Sprintf("%%%s = phi i32 %s", of(k), strings.Join(in, ", "))
		}
		blocks[n] = append(blocks[n], s)
	}
	var b strings.Builder
	b.WriteString(`declare i32 @g(i32)
declare void @exit(i32) noreturn
declare void @use(i32*)
declare void @__assert_fail(i8*, i8*, i32, i8*) noreturn
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.lifetime.end.p0i8(i64, i8*)
define void @f(i32 %x) {
begin:
  %m = alloca i32
`)
	for k := range 3 {
		fmt.Fprintf(&b, "  %%v%d = alloca i32\n", k)
	}
	for k := range 3 {
		fmt.Fprintf(&b, "  %%cv%d = bitcast i32* %%v%d to i8*\n", k, k)
	}
	b.WriteString("  call void @use(i32* %m)\n  br label %b0\n")
	for _, n := range nodes {
		steps := blocks[n.Name]
		slices.SortStableFunc(steps, func(x, y step) int { return len(y.usesFrom) - len(x.usesFrom) }) // phis come first
		for range rng.Intn(4) {
			phis := slices.IndexFunc(steps, func(s step) bool { return s.usesFrom == nil })
			if phis < 0 {
				phis = len(steps)
			}
			steps = slices.Insert(steps, phis+rng.Intn(len(steps)-phis+1), effect())
		}
		end := step{ends: true}
		switch {
		case n.Fails:
			end.text = "call void @__assert_fail(i8* null, i8* null, i32 0, i8* null)\n  unreachable"
		case len(n.Succs) == 0:
			end.text = "ret void"
		default:
			end = step{uses: []string{value()}, successor: n.Succs}
			end.text = fmt.Sprintf("switch i32 %%%s, label %%%s [", end.uses[0], n.Succs[0])
			for k, s := range n.Succs[1:] {
				end.text += fmt.Sprintf(" i32 %d, label %%%s", k, s)
			}
			end.text += " ]"
		}
		steps = append(steps, end)
		blocks[n.Name] = steps
		fmt.Fprintf(&b, "%s:\n", n.Name)
		for _, s := range steps {
			fmt.Fprintf(&b, "  %s\n", s.text)
		}
	}
	b.WriteString("}\n")
	return b.String(), blocks
}

// liveAt reports whether some path from a block uses a register before redefining it, by following all paths.
func liveAt(blocks map[string][]step, name, reg string) bool { return liveIn(blocks, name, name, reg) }

// liveIn reports whether liveAt holds from the entry named steps of blocks, which belongs to the block name.
func liveIn(blocks map[string][]step, name, steps, reg string) bool {
	seen := map[string]bool{}
	var from func(block, steps string) bool
	from = func(block, steps string) bool {
		if seen[steps] {
			return false
		}
		seen[steps] = true
		for _, s := range blocks[steps] {
			if slices.Contains(s.uses, reg) {
				return true
			}
			if s.def == reg || s.ends {
				return false
			}
			for _, next := range s.successor {
				for _, phi := range blocks[next] {
					if phi.usesFrom[block] == reg {
						return true
					}
				}
				if from(next, next) {
					return true
				}
			}
		}
		return false
	}
	return from(name, steps)
}

func TestLivenessOfRandomPrograms(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	total := 0
	for range 1000 {
		text, blocks := randomProgram(rng)
		fn := analysed(t, text)
		for name := range blocks {
			live := fn.Nodes[fn.block(t, name)].Live
			for reg := range fn.NumRegs {
				r := fn.RegName(reg)
				if got, want := slices.Contains(live, reg), liveAt(blocks, name, r); got != want {
					t.Errorf("%s at %s: live: %v, want %v", r, name, got, want)
				}
			}
			total += len(live)
		}
		if t.Failed() {
			t.Fatalf("the program:\n%s", text)
		}
	}
	if total < 5000 {
		t.Errorf("only %d registers were live anywhere", total)
	}
}

// TestLiveBehindInstructions checks liveness behind each instruction of a block, as it is needed behind calls whose
// states are kept separate.
func TestLiveBehindInstructions(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	total := 0
	for range 500 {
		text, blocks := randomProgram(rng)
		fn := analysed(t, text)
		for name, steps := range blocks {
			b := fn.block(t, name)
			for k := range steps[:len(steps)-1] {
				if steps[k].usesFrom != nil || steps[k].ends || k >= fn.Nodes[b].Stop {
					continue
				}
				rest := maps.Clone(blocks)
				rest["behind"] = steps[k+1:]
				live := fn.After(b, k).Live
				for reg := range fn.NumRegs {
					// A phi depends on the predecessor: the rest of the block is still the same block.
					r := fn.RegName(reg)
					if got, want := slices.Contains(live, reg), liveIn(rest, name, "behind", r); got != want {
						t.Errorf("%s behind instruction %d of %s: live: %v, want %v", r, k, name, got, want)
					}
				}
				total += len(live)
			}
		}
		if t.Failed() {
			t.Fatalf("the program:\n%s", text)
		}
	}
	if total < 2000 {
		t.Errorf("only %d registers were live anywhere", total)
	}
}
