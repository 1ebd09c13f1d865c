package clangir

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// jumpsSource has functions that leave scopes with variables in several ways.
const jumpsSource = `
int any(void); void use(int *); void done(int *);
int plain(int n) {
  for (int i = 0; i < n; i++) {
    int x = any();
    if (x == 1) continue;
    if (x == 2) break;
    if (x == 3) return 7;
    { int y = any(); use(&y); if (y == 4) return 8; if (y == 5) goto out; if (y == 6) break; }
    use(&x);
  }
  return n;
out:
  return 9;
}
int variable(int n) {
  for (;;) {
    int a[n + 1];
    use(a);
    if (a[0] == 1) return 1;
    if (a[0] == 2) break;
    for (int i = 0; i < n; i++) { const int c = any(); if (c == a[i]) return c; }
  }
  return 2;
}
int called(void) {
  for (;;) {
    int x __attribute__((cleanup(done))) = any();
    if (x == 1) return 1;
    if (x == 2) break;
  }
  return 2;
}
int *found(int *p, int n) {
  if (n < 0) return 0;
  for (int i = 0; i < n; i++) if (p[i] == 0) return p + i;
  if (n == 9) return 0;
  return p;
}
int straight(int n) { int x = any(); use(&x); return x + n; }
`

// TestThreadJumps checks that jumps which only end lifetimes no longer share a switch.
//
// They do if a function is called on the path, because that has obligations. Each returned constant has a separate
// end. Execution must be the same on all paths.
func TestThreadJumps(t *testing.T) {
	read, err := llvmir.Read([]byte(clangtest.Compile(t, jumpsSource)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := &Module{Module: read, constants: map[*llvmir.Instr][]Part{}}
	for name, want := range map[string]struct{ switches, remaining, returns int }{
		"plain": {3, 0, 4}, "variable": {3, 0, 3}, "called": {1, 1, 2}, "straight": {0, 0, 1}, "found": {1, 0, 2}} {
		fn := m.Funcs[slices.IndexFunc(m.Funcs, func(f *llvmir.Func) bool { return f.Name == name })]
		f := &function{m, fn}
		f.keepConstants()
		before, switches := edges(fn), slotSwitches(fn)
		f.threadJumps()
		if remaining := slotSwitches(fn); switches != want.switches || remaining != want.remaining {
			t.Errorf("%s: of %d switches over where a jump leads %d are left, want %+v", name, switches, remaining, want)
		}
		returns := 0
		for _, b := range entered(fn) {
			if b.Term().Op == llvmir.OpRet {
				returns++
			}
		}
		if returns != want.returns {
			t.Errorf("%s: %d ends, want %d", name, returns, want.returns)
		}
		after := edges(fn)
		for i := range before {
			if before[i] != after[i] {
				t.Fatalf("%s: before:\n%s\nafter:\n%s", name, before[i], after[i])
			}
		}
		if all := strings.Join(after, ""); !strings.Contains(all, "lifetime.end") || !strings.Contains(all, "ret") {
			t.Errorf("%s: no lifetime ends, or it does not end", name)
		}
	}
	m.number()
	if err := llvmir.Verify(m.Module); err != nil {
		t.Error(err)
	}
}

func isSlotSwitch(f *llvmir.Func, in *llvmir.Instr) bool {
	return in.Op == llvmir.OpSwitch && in.Args[0].Kind == llvmir.OperandReg && Stem(f.RegName(in.Args[0].Reg)) == "cleanup"
}

// entered lists the reachable blocks.
func entered(f *llvmir.Func) []*llvmir.Block {
	out := f.Blocks[:1:1]
	for i := 0; i < len(out); i++ {
		for _, s := range out[i].Succs {
			if !slices.Contains(out, f.Blocks[s]) {
				out = append(out, f.Blocks[s])
			}
		}
	}
	return out
}

func slotSwitches(f *llvmir.Func) (n int) {
	for _, b := range entered(f) {
		if isSlotSwitch(f, b.Term()) {
			n++
		}
	}
	return n
}

// edges lists the calls and stores on 300 random paths through a function.
func edges(f *llvmir.Func) (out []string) {
	for seed := range int64(300) {
		rng := rand.New(rand.NewSource(seed))
		var did strings.Builder
		var slot int64
		at := 0
		for range 60 {
			b := f.Blocks[at]
			for _, in := range b.Instrs {
				switch {
				case in.Op == llvmir.OpStore && Stem(f.RegName(in.Args[1].Reg)) == jumpSlot:
					slot = in.Args[0].Const.Int.Int64()
				case in.Op == llvmir.OpStore:
					fmt.Fprintln(&did, "store", f.RegName(in.Args[1].Reg))
				case in.Op == llvmir.OpCall:
					fmt.Fprint(&did, in.Function().Name)
					for _, a := range in.Args {
						if a.Kind == llvmir.OperandReg {
							fmt.Fprint(&did, " ", f.RegName(a.Reg))
						}
					}
					fmt.Fprintln(&did)
				}
			}
			switch term := b.Term(); {
			case len(term.Succs) == 0:
				fmt.Fprintln(&did, term.Op)
				at = -1
			case isSlotSwitch(f, term):
				i := slices.IndexFunc(term.Cases, func(k *llvmir.Const) bool { return k.Int.Int64() == slot })
				at = term.Succs[1+i]
			case len(term.Succs) == 1:
				at = term.Succs[0]
			default:
				at = term.Succs[rng.Intn(len(term.Succs))]
			}
			if at < 0 {
				break
			}
		}
		out = append(out, did.String())
	}
	return out
}
