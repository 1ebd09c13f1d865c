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

// bypassedSource is a program with variables of different lifetimes.
//
// Clang marks the lifetimes of variables named kept_, but not of those named bound_, although they end with a block.
// All other variables live as long as the function, or are not variables of the source. If a variable is declared
// before the first case, the line in which its block begins has a comment with its name: for nested switches that of
// the outer one, because the text does not determine it.
const bypassedSource = `
int any(void); void use(int *); void uses(const char *);
int switched(void) {
  int kept_p = any(), r = 0;
  switch (any()) { // bound_x bound_q
    int bound_x, *bound_q;
  case 0:
    bound_x = 3;
    use(&bound_x);
    break;
  case 1: {
    bound_q = &bound_x;
    int kept_in = any();
    use(&kept_in);
  }
    /* fall through */
  default:
    bound_x = 2;
    bound_q = &kept_p;
    r = bound_x;
  }
  return r;
}
int nested(void) {
  int r = 0;
  for (int i = 0; any(); i++) {
    if (any()) continue;
    switch (any()) { // bound_far bound_near
      int bound_far;
    case 0:
      switch (any()) {
        int bound_near;
      case 4:
        bound_near = 1;
        r += bound_near;
        if (any()) break;
        use(&bound_near);
        if (any()) return r;
      default:
        bound_far = 4;
        use(&bound_far);
      }
      r += 1;
      continue;
    case 1:
      use(&bound_far);
      if (any()) goto out;
    }
    use(&r);
  }
out:
  return r;
}
int used_in_an_inner_switch_only(void) {
  int r = 0;
  while (any())
    switch (any()) { // bound_deep
      int bound_deep;
    case 0:
      switch (any()) {
      case 2:
        bound_deep = any();
        use(&bound_deep);
      }
      r += any();
    }
  return r;
}
int labels(int other_n) {
  int *p = 0, r = 0;
  {
    use(&r);
  back:;
    int bound_a = any(), bound_b[3] = {1, 2, any()};
    p = &bound_a;
    use(bound_b);
    if (any()) goto back;
  }
  if (any()) goto back;
  while (any()) {
    if (any()) goto in;
    if (any()) {
      int bound_c = any();
      use(&bound_c);
    in:
      use(&bound_c);
      if (any()) {
        int kept_d = any();
        use(&kept_d);
        if (any()) goto away;
        if (any()) goto in;
      }
      r += other_n;
    }
  }
away:
  use(p);
  return r;
}
int at_once(void) {
  if (any()) goto in;
  {
    int bound_s;
    use(&bound_s);
  in:
    use(&bound_s);
  }
  do {
  in2:;
    int kept_w;
    use(&kept_w);
    if (any()) goto in2;
  } while (any());
  return any();
}
int outermost(void) {
  if (any()) goto past;
  int other_top = any();
  use(&other_top);
past:
  use(&other_top);
  return other_top;
}
int temporaries(void) {
  int r = 0;
  switch (({ int kept_t = any(); use(&kept_t); kept_t + 1; })) {
  case 1:
    r += ({ int kept_u = any(); use(&kept_u); kept_u; }) ? any() : 3;
    r += ((struct { int a, b; }){r, any()}).b;
    for (int kept_i = 0; kept_i < 2; kept_i++) use(&kept_i);
  }
  return r;
}
int block_of_the_switch(int other_k) {
  switch (other_k) {
  case 0: {
    uses(__func__);
    int kept_v = any();
    use(&kept_v);
  }
  case 1:
    return other_k;
  }
  return 0;
}
`

// TestBypassed follows random paths through each function and checks variables without lifetimes from clang.
//
// Such a variable must be alive exactly in its block. It is a new object whenever the block is entered, and the same
// object until it is left.
func TestBypassed(t *testing.T) {
	m := compiled(t, bypassedSource)
	begins := map[string]int{} // by variable, the line in which its block begins
	for i, line := range strings.Split(bypassedSource, "\n") {
		if _, names, ok := strings.Cut(line, " // "); ok {
			for _, name := range strings.Fields(names) {
				begins[name] = i + 1
			}
		}
	}
	random := rand.New(rand.NewSource(1))
	followed := 0
	for _, f := range m.Funcs {
		if len(f.Blocks) == 0 {
			continue
		}
		for i, b := range f.Blocks {
			for k, in := range b.Instrs {
				if (i > 0 || k > 0) && in.ID <= f.Blocks[0].Instrs[0].ID {
					t.Fatalf("%s: instruction %d has number %d", f.Name, k, in.ID)
				}
			}
		}
		for _, al := range f.Blocks[0].Instrs {
			if al.Op != llvmir.OpAlloca {
				continue
			}
			name := f.RegName(al.Dst)
			prefix, _, _ := strings.Cut(name, "_")
			if bound := prefix == "bound"; bound != (marks(f, al.Dst) > 0) && (bound || prefix == "kept" || prefix == "other") {
				t.Errorf("%s: %s has %d markers", f.Name, name, marks(f, al.Dst))
			} else if bound {
				followed++
				w := walk{f: f, reg: al.Dst, scope: blockOf(t, f, al.Dst, begins[name])}
				for range 400 {
					if problem := w.follow(random); problem != "" {
						t.Errorf("%s: %s: %s", f.Name, name, problem)
						break
					}
				}
			}
		}
	}
	if followed != 9 {
		t.Errorf("%d variables were followed", followed)
	}
}

// TestBypassedTwiceDeclared checks that a variable that is declared at two places has no block.
func TestBypassedTwiceDeclared(t *testing.T) {
	text := clangtest.Compile(t, bypassedSource)
	twice, n := "", 0
	for line := range strings.Lines(text) {
		twice += line
		if strings.Contains(line, "@llvm.dbg.declare(metadata i32* %bound_c,") {
			twice += line
			n++
		}
	}
	f := read(t, twice).FuncByName["labels"]
	for _, al := range f.Blocks[0].Instrs {
		if name := ""; al.Op == llvmir.OpAlloca {
			if name = f.RegName(al.Dst); (name == "bound_a") != (marks(f, al.Dst) > 0) &&
				(name == "bound_a" || name == "bound_c") {
				t.Errorf("%s has %d markers", name, marks(f, al.Dst))
			}
		}
	}
	if n != 1 {
		t.Fatalf("%d declarations", n)
	}
}

// isMark reports whether an instruction is a marker that endBypassed added.
func isMark(in *llvmir.Instr, reg int) bool {
	return in.Op == llvmir.OpCall && in.Ordinal == -1 && strings.HasPrefix(in.Intrinsic, "lifetime.") &&
		in.Args[1].Reg == reg
}

func marks(f *llvmir.Func, reg int) (n int) {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if isMark(in, reg) {
				n++
			}
		}
	}
	return n
}

// blockOf returns the scope in which a variable is declared: from its declaration, or from the line of its beginning.
func blockOf(t *testing.T, f *llvmir.Func, reg, line int) *llvmir.Scope {
	var found *llvmir.Scope
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpDbgDeclare && in.Args[0].Reg == reg {
				return in.Loc.Scope
			}
			if in.Loc == nil {
				continue
			}
			for s := in.Loc.Scope; s != nil && s.Parent != nil; s = s.Parent {
				if s.Line == line && (found == nil || slices.Contains(around(found), s)) {
					found = s
				}
			}
		}
	}
	if found == nil {
		t.Fatalf("%s: no block begins in line %d", f.Name, line)
	}
	return found
}

// around lists a scope and its parents.
func around(s *llvmir.Scope) (list []*llvmir.Scope) {
	for ; s != nil; s = s.Parent {
		list = append(list, s)
	}
	return list
}

type walk struct {
	f     *llvmir.Func
	reg   int
	scope *llvmir.Scope
}

// follow follows one path through the function and returns a description of an error; "" if there is none.
func (w *walk) follow(random *rand.Rand) string {
	inside := false
	object := 0            // the one that is alive; 0 if there is none
	made := 0              // the last one
	seen := map[int]bool{} // objects seen inside the block
	for at, n := 0, 0; n < 80; n++ {
		b := w.f.Blocks[at]
		for _, in := range b.Instrs {
			switch {
			case isMark(in, w.reg) && in.Intrinsic == "lifetime.start":
				made++
				object = made
				continue
			case isMark(in, w.reg):
				object = 0
				continue
			case in.Op == llvmir.OpAlloca, in.Op == llvmir.OpPhi, in.Op == llvmir.OpDbgDeclare,
				in.Op == llvmir.OpCall && in.Ordinal == -1:
				continue
			}
			if object == 0 && slices.ContainsFunc(in.Args, func(a llvmir.Operand) bool {
				return a.Kind == llvmir.OperandReg &&
					a.Reg == w.reg
			}) {
				return fmt.Sprintf("is used at %v and not alive", in.Loc)
			}
			if in.Loc == nil || in.Loc.Line == 0 {
				continue
			}
			was := inside
			inside = slices.Contains(around(in.Loc.Scope), w.scope)
			switch {
			case inside && object == 0:
				return fmt.Sprintf("is not alive in its block, at %v", in.Loc)
			case inside && was && !seen[object]:
				return fmt.Sprintf("is another one at %v than before", in.Loc)
			case inside && !was && seen[object]:
				return fmt.Sprintf("is the one of before at %v", in.Loc)
			case !inside && seen[object]:
				return fmt.Sprintf("is alive behind its block, at %v", in.Loc)
			case inside:
				seen[object] = true
			}
		}
		if len(b.Succs) == 0 {
			break
		}
		at = b.Succs[random.Intn(len(b.Succs))]
	}
	return ""
}
