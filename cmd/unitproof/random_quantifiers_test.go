package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/vcgen/found"
)

var (
	quantifiersFrom  = flag.Uint64("random-quantifiers-from", 1, "the first seed of TestRandomQuantifiers")
	quantifiersCount = flag.Uint64("random-quantifiers", 12, "how many seeds TestRandomQuantifiers takes")
)

// elements is the number of elements of each array; their values are from 0 to elements-1.
const elements = 3

// world is an interpretation of a condition: the arrays, and the values of the bound variables around it.
type world struct {
	a, b [elements]int
	at   []int
}

// condition is a condition as C text and as a Go function.
type condition struct {
	text  string
	holds func(world) bool
}

// randomConditions generates conditions with nested quantifiers.
type randomConditions struct {
	*rand.Rand
	variables int // number of bound variables so far
}

// quantified returns a condition with depth nested quantifiers; names are the variables around it.
func (r *randomConditions) quantified(names []string, depth int) condition {
	r.variables++
	names = append(names[:len(names):len(names)], fmt.Sprintf("k%d", r.variables))
	all := r.IntN(2) == 0
	var body condition
	if depth == 1 {
		body = r.compound(names, 0)
	} else if body = r.quantified(names, depth-1); r.IntN(2) == 0 {
		body = r.join(r.compound(names, 1), body)
	}
	word, arrow := "__CPROVER_exists", "&&"
	if all {
		word, arrow = "__CPROVER_forall", "==>"
	}
	name := names[len(names)-1]
	return condition{fmt.Sprintf("%s { unsigned %s; (%s < n) %s (%s) }", word, name, name, arrow, body.text),
		func(w world) bool {
			for k := range elements {
				within := w
				within.at = append(w.at[:len(w.at):len(w.at)], k)
				if body.holds(within) != all {
					return !all
				}
			}
			return all
		}}
}

// compound returns a condition without quantifiers.
func (r *randomConditions) compound(names []string, depth int) condition {
	if depth < 2 && r.IntN(2) == 0 {
		return r.join(r.compound(names, depth+1), r.compound(names, depth+1))
	}
	i, j, number := r.IntN(len(names)), r.IntN(len(names)), r.IntN(elements)
	x, y := names[i], names[j]
	atoms := []condition{
		{"a[" + x + "] == b[" + y + "]", func(w world) bool { return w.a[w.at[i]] == w.b[w.at[j]] }},
		{"a[" + x + "] < b[" + y + "]", func(w world) bool { return w.a[w.at[i]] < w.b[w.at[j]] }},
		{"a[" + x + "] == a[" + y + "]", func(w world) bool { return w.a[w.at[i]] == w.a[w.at[j]] }},
		{"b[" + x + "] <= b[" + y + "]", func(w world) bool { return w.b[w.at[i]] <= w.b[w.at[j]] }},
		{fmt.Sprintf("a[%s] == %d", x, number), func(w world) bool { return w.a[w.at[i]] == number }},
		{x + " < " + y, func(w world) bool { return w.at[i] < w.at[j] }},
		{x + " == " + y, func(w world) bool { return w.at[i] == w.at[j] }},
	}
	c := atoms[r.IntN(len(atoms))]
	if r.IntN(4) == 0 {
		return condition{"!(" + c.text + ")", func(w world) bool { return !c.holds(w) }}
	}
	return c
}

func (r *randomConditions) join(x, y condition) condition {
	if r.IntN(2) == 0 {
		return condition{"(" + x.text + " && " + y.text + ")", func(w world) bool { return x.holds(w) && y.holds(w) }}
	}
	return condition{"(" + x.text + " || " + y.text + ")", func(w world) bool { return x.holds(w) || y.holds(w) }}
}

// worlds calls f for all contents of the arrays.
func worlds(f func(world)) {
	number := 1
	for range 2 * elements {
		number *= elements
	}
	for n := range number {
		var w world
		for i := range elements {
			w.a[i], n = n%elements, n/elements
			w.b[i], n = n%elements, n/elements
		}
		f(w)
	}
}

// TestRandomQuantifiers checks empty functions whose requires and ensures clauses are random conditions with nested
// quantifiers. It compares the verdicts with an enumeration of all contents of two small arrays.
func TestRandomQuantifiers(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("#include <unitproof.h>\n#include <stdint.h>\n")
	want := map[string]found.Verdict{}
	for seed := *quantifiersFrom; seed < *quantifiersFrom+*quantifiersCount; seed++ {
		r := &randomConditions{Rand: rand.New(rand.NewPCG(seed, 0))}
		before, after := r.quantified(nil, 1+r.IntN(3)), r.quantified(nil, 1+r.IntN(3))
		name := fmt.Sprintf("f%d", seed)
		verdict := found.Vacuous
		worlds(func(w world) {
			switch {
			case !before.holds(w):
			case !after.holds(w):
				verdict = found.Failed
			case verdict == found.Vacuous:
				verdict = found.Proved
			}
		})
		want[name] = verdict
		fmt.Fprintf(&text, `void %s(uint8_t *a, uint8_t *b, unsigned n)
__CPROVER_requires(n == %d && __CPROVER_is_fresh(a, n) && __CPROVER_is_fresh(b, n))
__CPROVER_requires(a[0] < 3 && a[1] < 3 && a[2] < 3 && b[0] < 3 && b[1] < 3 && b[2] < 3)
__CPROVER_requires(%s)
__CPROVER_assigns()
__CPROVER_ensures(%s)
{
}
`, name, elements, before.text, after.text)
	}
	file := filepath.Join(t.TempDir(), "random.c")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	doc, out, _ := document(t, exec.CommandContext(ctx, buildProgram(t), "check", "--no-cache", "--timeout", "1m", file))
	verdicts := map[found.Verdict]int{}
	for _, p := range doc.Proofs {
		switch verdicts[want[p.Entry]]++; {
		case p.Verdict == found.Unknown:
			t.Logf("%s is not decided: %s", p.Entry, p.Reason)
			verdicts[found.Unknown]++
		case p.Verdict != want[p.Entry]:
			t.Errorf("%s is %s, and not %s", p.Entry, p.Verdict, want[p.Entry])
		}
	}
	t.Logf("%v", verdicts)
	if len(doc.Proofs) != len(want) || 4*verdicts[found.Unknown] > len(want) {
		t.Errorf("%d of %d functions, of which %d are not decided:\n%s", len(doc.Proofs), len(want),
			verdicts[found.Unknown], out)
	}
	if t.Failed() {
		keep(t, *quantifiersFrom, text.String())
	}
}
