package flow

import (
	"slices"
	"strings"
	"testing"
)

// TestFailuresStandBehindTheirChecks checks that a failure block is ordered directly behind its last predecessor, and
// in the loops around all predecessors. The other blocks keep the weak topological order.
func TestFailuresStandBehindTheirChecks(t *testing.T) {
	for _, test := range []struct{ what, graph, want string }{
		{"behind the check", "a>b,f f! b>c c", "a f b c"},
		{"in the loop of the check, where the graph has it outside", "a>h h>c,e c>k,f f! k>h e", "a (h c f k) e"},
		{"in the inner of two loops", "a>h h>g,e g>c,k c>f,g f! k>h e", "a (h (g c f) k) e"},
		{"of two checks, behind the second", "a>b,f b>f,c f! c", "a b f c"},
		{"two failures of one block", "a>b,f,g f! g! b", "a f g b"},
		{"of a check in a loop and one before it: in no loop, but before the rest of the body",
			"a>h,f h>c,e c>k,f f! k>h e", "a (h c) f (k) e"},
	} {
		fn := graph(t, test.graph)
		if got := fn.wto(); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}

func TestPlacesOfFailuresInRandomGraphs(t *testing.T) {
	overRandomGraphs(t, func(t *testing.T, fn *Function) {
		order, preds := fn.inOrder(), fn.preds()
		at := map[int]int{}
		for i, b := range order {
			at[b] = i
		}
		for b := range fn.Nodes {
			if !fn.endsInFailure(b) || len(preds[b]) == 0 {
				continue
			}
			last := slices.MaxFunc(preds[b], func(x, y int) int { return at[x] - at[y] })
			for i := at[last] + 1; i < at[b]; i++ {
				if !fn.endsInFailure(order[i]) {
					t.Errorf("%s comes between %s and its failure %s", fn.name(order[i]), fn.name(last), fn.name(b))
				}
			}
			for _, l := range fn.loops {
				all := !slices.ContainsFunc(preds[b], func(p int) bool { return !slices.Contains(fn.Nodes[p].Loops, l) })
				if got := slices.Contains(fn.Nodes[b].Loops, l); got != all {
					t.Errorf("%s is in the loop of %s: %v; all that lead to it are: %v", fn.name(b), fn.name(l.Head), got, all)
				}
			}
		}
	})
}

// TestConditionsOfAssertions checks that an assertion counts as reached when the evaluation of its condition begins,
// though its failure call follows the last operand.
func TestConditionsOfAssertions(t *testing.T) {
	for _, test := range []struct{ what, graph, want string }{
		{"one operand: the block of the check tells", "a>c c>f,e f! e", ""},
		{"p || q", "a>c c>e,q q>e,f f! e", "c decides f"},
		{"p && q: its failure is behind either operand", "a>c c>q,f q>e,f f! e", ""},
		{"p || q && r", "a>c c>e,q q>r,f r>e,f f! e", "c decides f"},
		{"an assertion behind a condition that it is no part of", "a>c,e c>k,f k>e f! e", ""},
	} {
		fn := graph(t, test.graph)
		var got []string
		for b := range fn.Nodes {
			for _, f := range fn.Nodes[b].Decides {
				got = append(got, fn.name(b)+" decides "+fn.name(f))
			}
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: %q, want %q", test.what, s, test.want)
		}
	}
}

func TestFindRecursion(t *testing.T) {
	const declarations = "declare i32 @g()\ndeclare void @reach_error() noreturn\ndeclare i32 @llvm.ctpop.i32(i32)\n"
	for _, test := range []struct {
		what, body string
		want       bool
	}{
		{"it calls itself", "  %r = call i32 @f(i32 %x)\n  ret i32 %r\n", true},
		{"on one of two ways it returns", `  switch i32 %x, label %a [ i32 0, label %b ]
a:
  %r = call i32 @f(i32 %x)
  ret i32 %r
b:
  ret i32 0
`, false},
		{"on the other way it fails", `  switch i32 %x, label %a [ i32 0, label %b ]
a:
  %r = call i32 @f(i32 %x)
  ret i32 %r
b:
  call void @reach_error()
  unreachable
`, true},
		{"behind a call that may end the execution", "  %y = call i32 @g()\n  %r = call i32 @f(i32 %y)\n  ret i32 %r\n",
			false},
		{"behind an intrinsic", "  %y = call i32 @llvm.ctpop.i32(i32 %x)\n  %r = call i32 @f(i32 %y)\n  ret i32 %r\n", true},
		{"behind assembly", "  call void asm sideeffect \"\", \"\"()\n  %r = call i32 @f(i32 %x)\n  ret i32 %r\n", false},
		{"an endless loop", "  br label %a\na:\n  br label %a\n", false},
		{"it ends in a call without a return that is no failure",
			"  switch i32 %x, label %a [ i32 0, label %b ]\na:\n  %r = call i32 @f(i32 %x)\n  ret i32 %r\nb:\n  %s = call " +
				"i32 @g() noreturn\n  unreachable\n",
			false},
	} {
		fn := analysed(t, declarations+"define i32 @f(i32 %x) {\n"+test.body+"}\n")
		if fn.RecursesOnly != test.want {
			t.Errorf("%s: %v", test.what, fn.RecursesOnly)
		}
	}
}
