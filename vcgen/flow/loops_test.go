package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
)

// wto returns the weak topological order in Bourdoncle's notation: components in parentheses, the head first.
func (fn *Function) wto() string {
	var b strings.Builder
	var around []*Loop
	for i, x := range fn.inOrder() {
		in := fn.Nodes[x].Loops
		keep := 0
		for keep < len(in) && keep < len(around) && in[keep] == around[keep] {
			keep++
		}
		b.WriteString(strings.Repeat(")", len(around)-keep))
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(strings.Repeat("(", len(in)-keep) + fn.name(x))
		around = in
	}
	return b.String() + strings.Repeat(")", len(around))
}

func TestWeakTopologicalOrder(t *testing.T) {
	for _, test := range []struct{ what, graph, want string }{
		{"a straight line", "a>b b>c c", "a b c"},
		{"a diamond", "a>l,r l>e r>e e", "a r l e"},
		{"a block that nothing leads to", "a>c b>c c", "a c"},
		{"a loop", "a>h h>b,e b>h e", "a (h b) e"},
		{"a loop of one block", "a>b b>b,e e", "a (b) e"},
		{"nested loops", "a>h h>g,e g>b,c b>g c>h e", "a (h (g b) c) e"},
		{"nested loops with one head", "a>h h>b,e b>h,c c>h e", "a (h b c) e"},
		{"an inner loop left to behind the outer one", "a>h h>g,e g>b,c b>g,e c>h e", "a (h (g b) c) e"},
		{"an endless loop", "a>h,e h>b b>h e", "a e (h b)"},
		{"two loops", "a>h h>b,g b>h g>c,e c>g e", "a (h b) (g c) e"},
		{"a loop that is entered in the middle", "a>x,y x>y y>x,e e", "a (x y) e"},
		// The example of the article.
		{"Bourdoncle's example", "v1>v2 v2>v3,v8 v3>v4 v4>v5,v7 v5>v6 v6>v5,v7 v7>v3,v8 v8", "v1 v2 (v3 v4 (v5 v6) v7) v8"},
	} {
		if got := graph(t, test.graph).wto(); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
}

// checkOrder checks the properties of the order. An edge leads forward, or back to the head of a component that
// contains its source. Each component is a loop, with contiguous blocks.
func checkOrder(t *testing.T, fn *Function) {
	reached := fn.reachable([]int{0})
	at := map[int]int{}
	for b := range fn.Nodes {
		bi := &fn.Nodes[b]
		if (bi.Order >= 0) != reached[b] {
			t.Errorf("%s: at position %d, reached: %v", fn.name(b), bi.Order, reached[b])
		}
		if bi.Order < 0 {
			continue
		}
		if other, taken := at[bi.Order]; taken {
			t.Errorf("%s and %s have one position", fn.name(b), fn.name(other))
		}
		at[bi.Order] = b
		for _, s := range bi.Succs {
			back := slices.ContainsFunc(bi.Loops, func(l *Loop) bool { return l.Head == s })
			if fn.Nodes[s].Order <= bi.Order && !back {
				t.Errorf("the edge from %s to %s leads back, and not to the head of a loop around it: %s",
					fn.name(b), fn.name(s), fn.wto())
			}
		}
		for depth, l := range bi.Loops {
			if l.depth != depth {
				t.Errorf("%s: the loop of %s is at depth %d instead of %d", fn.name(b), fn.name(l.Head), depth, l.depth)
			}
		}
	}
	order := slices.DeleteFunc(fn.inOrder(), fn.endsInFailure) // these are at their checks
	for _, l := range fn.loops {
		var inside, members []int
		for i, b := range order {
			if ls := fn.Nodes[b].Loops; len(ls) > l.depth && ls[l.depth] == l {
				inside = append(inside, i)
				members = append(members, b)
			}
		}
		if len(inside) == 0 || order[inside[0]] != l.Head || inside[len(inside)-1]-inside[0] != len(inside)-1 {
			t.Errorf("the loop of %s is not one part of the order that begins with its head: %s", fn.name(l.Head), fn.wto())
			continue
		}
		var others []int
		for b := range fn.Nodes {
			if !slices.Contains(members, b) {
				others = append(others, b)
			}
		}
		for _, b := range members {
			if seen := fn.reachable(fn.Nodes[b].Succs, others...); !seen[l.Head] {
				t.Errorf("%s is in the loop of %s and does not lead to it: %s", fn.name(b), fn.name(l.Head), fn.wto())
			}
		}
	}
}

func TestOrderOfRandomGraphs(t *testing.T) { overRandomGraphs(t, checkOrder) }

// TestLoopNames checks that loops are numbered in source order, which is how users name them, in whatever order clang
// emits their blocks. An iteration begins at the given block, or at the head.
func TestLoopNames(t *testing.T) {
	for _, test := range []struct{ what, graph, want string }{
		{"a for loop: its body begins behind the condition",
			"entry@1>for.cond for.cond@2>for.body,for.end for.body@3>for.inc for.inc@2>for.cond for.end@4",
			"f#1 for.cond for.body"},
		{"a while loop whose body is another loop",
			"entry@1>while.cond while.cond@2>while.body,end while.body@3>while.body,while.end while.end@4>while.cond end@5",
			"f#1 while.cond while.body, f#2 while.body -"},
		{"a loop without condition has no body apart from its head, whatever a block in it is called",
			"entry@1>for.cond for.cond@2>x,for.body2 for.body2@3>x x@4>for.cond,end end@5",
			"f#1 for.cond -"},
		{"do: the head is the body",
			"entry@1>do.body do.body@2>do.cond do.cond@3>do.body,do.end do.end@4",
			"f#1 do.body -"},
		{"two loops that are visited in the other order",
			"entry@1>b,a a@9>a,end b@4>b,end end@12",
			"f#1 b -, f#2 a -"},
		{"an inner loop is behind the one around it, in one line too",
			"entry@1>for.cond for.cond@2:10>for.cond1,end for.cond1@2:30>for.body,for.inc for.body@2:40>for.cond1 " +
				"for.inc@2:20>for.cond end@3",
			"f#1 for.cond -, f#2 for.cond1 for.body"},
		{"the two loops of one line, of which the second is visited first",
			"entry@1>b,a a@4:30>a,end b@4:10>b,end end@12",
			"f#1 b -, f#2 a -"},
	} {
		fn := graph(t, test.graph)
		var got []string
		for _, l := range fn.loops {
			got = append(got, fmt.Sprintf("%s %s %s", l.Name, fn.name(l.Head), fn.name(l.Body)))
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.what, s, test.want)
		}
	}
}

// TestEntersAtHead checks that a loop is entered only at its head if none of its other blocks is reachable after the
// head is removed.
func TestEntersAtHead(t *testing.T) {
	atHead, elsewhere := 0, 0
	overRandomGraphs(t, func(t *testing.T, fn *Function) {
		for _, l := range fn.loops {
			seen, want := fn.reachable([]int{0}, l.Head), true
			for b := range fn.Nodes {
				want = want && !(seen[b] && fn.inside(b, l))
			}
			if want {
				atHead++
			} else {
				elsewhere++
			}
			if got := fn.EntersAtHead(l); got != want {
				t.Errorf("the loop of %s is entered at its head: %v, want %v: %s", fn.name(l.Head), got, want, fn.wto())
			}
		}
	})
	if atHead < 200 || elsewhere < 50 {
		t.Errorf("only %d loops are entered at their heads, and %d elsewhere", atHead, elsewhere)
	}
}

// TestEveryCycleHasAHead checks that each cycle of a graph contains the head of a loop that contains all its blocks:
// without the heads of the loops around a block, no path leads from it to itself.
func TestEveryCycleHasAHead(t *testing.T) {
	overRandomGraphs(t, func(t *testing.T, fn *Function) {
		for b := range fn.Nodes {
			if fn.Nodes[b].Order < 0 {
				continue
			}
			var heads []int
			for _, l := range fn.Nodes[b].Loops {
				heads = append(heads, l.Head)
			}
			if fn.reachable(fn.Nodes[b].Succs, heads...)[b] {
				t.Errorf("a way from %s back to it misses the heads of its loops: %s", fn.name(b), fn.wto())
			}
		}
	})
}

// TestEndsAlone checks which functions may return without calling themselves. A recursion of others never ends.
func TestEndsAlone(t *testing.T) {
	for body, want := range map[string]bool{
		"return n ? f(n - 1) : 0;":                      true,
		"if (n > 3) return f(n + 1); return g(n);":      true,
		"while (n--) f(n); return 0;":                   true,
		"return f(n - 1);":                              false,
		"if (n) return f(n - 1); return f(n + 1);":      false,
		"if (n > 3) for (;;) g(n); return f(n - 1);":    false,
		"do n = f(n); while (n > 3); return n;":         false,
		"if (n > 3) n = f(n); else n = f(1); return n;": false,
	} {
		m := flowtest.Read(t, clangtest.Compile(t, "int g(int); int f(int n) { "+body+" }"))
		if got := Analyse(m, m.FuncByName["f"]).EndsAlone(); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
