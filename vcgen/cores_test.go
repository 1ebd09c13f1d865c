package vcgen

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// condition is a comparison of two bytes of a program, or a combination of two conditions.
type condition struct {
	op       string // of icmp
	a, b     string // %x, %y or a number
	and, not *condition
}

func (c *condition) holds(x, y uint8) bool {
	value := func(s string) (v uint8) {
		switch s {
		case "%x":
			return x
		case "%y":
			return y
		}
		fmt.Sscan(s, &v)
		return v
	}
	a, b := value(c.a), value(c.b)
	var is bool
	switch c.op {
	case "ult":
		is = a < b
	case "ule":
		is = a <= b
	case "ugt":
		is = a > b
	case "eq":
		is = a == b
	case "ne":
		is = a != b
	case "slt":
		is = int8(a) < int8(b)
	}
	return is && (c.and == nil || c.and.holds(x, y)) && (c.not == nil || !c.not.holds(x, y))
}

// write appends the instructions for a condition and returns its register.
func (c *condition) write(body *string, fresh func() string) string {
	r := fresh()
	*body += fmt.Sprintf("%s = icmp %s i8 %s, %s\n", r, c.op, c.a, c.b)
	if c.and != nil {
		s, both := c.and.write(body, fresh), fresh()
		*body += fmt.Sprintf("%s = and i1 %s, %s\n", both, r, s)
		r = both
	}
	if c.not != nil {
		s, no, both := c.not.write(body, fresh), fresh(), fresh()
		*body += fmt.Sprintf("%s = xor i1 %s, true\n%s = and i1 %s, %s\n", no, s, both, r, no)
		r = both
	}
	return r
}

func randomCondition(r *rand.Rand, deep bool) *condition {
	side := func() string {
		if r.Intn(3) > 0 {
			return fmt.Sprint([]int{0, 1, 7, 64, 100, 127, 128, 200, 255}[r.Intn(9)])
		}
		return []string{"%x", "%y"}[r.Intn(2)]
	}
	c := &condition{op: []string{"ult", "ule", "ugt", "eq", "ne", "slt"}[r.Intn(6)], a: []string{"%x", "%y"}[r.Intn(2)],
		b: side()}
	if deep && r.Intn(3) == 0 {
		c.and = randomCondition(r, false)
	}
	if deep && r.Intn(4) == 0 {
		c.not = randomCondition(r, false)
	}
	return c
}

// TestCoresContradictAndAreMinimal checks random programs of assumptions and branches before an unreachable assertion.
// For all values of the two variables, the entries of the core contradict each other, and none is needless. Narrowing
// of variables has no effect on it.
func TestCoresContradictAndAreMinimal(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	cores, narrowed, rounds := 0, 0, sampletest.Rounds(60)
	for range rounds {
		conditions := map[int]*condition{} // by line
		body := "entry:\n%x = call zeroext i8 @nd_uint8_t() @2\n%y = call zeroext i8 @nd_uint8_t() @2\n"
		n := 0
		fresh := func() string { n++; return fmt.Sprintf("%%r%d", n) }
		line, open := 10, 0
		for range 2 + r.Intn(5) {
			line++
			c := randomCondition(r, true)
			conditions[line] = c
			reg := c.write(&body, fresh)
			if r.Intn(4) == 0 {
				open++
				body += fmt.Sprintf("br i1 %s, label %%in%d, label %%end @%d\nin%d:\n", reg, open, line, open)
			} else {
				body += fmt.Sprintf("call void @assume(i1 %s) @%d\n", reg, line)
			}
		}
		body += assertion("last", "%x", "ne", 77, 99) + "br label %end @98\nend:\nret i32 0 @98\n"
		truth := map[int]*[1 << 16]bool{}
		for l, c := range conditions {
			truth[l] = new([1 << 16]bool)
			for v := range truth[l] {
				truth[l][v] = c.holds(uint8(v), uint8(v>>8))
			}
		}
		possible := func(lines []int) bool {
			for v := range 1 << 16 {
				if !slices.ContainsFunc(lines, func(l int) bool { return !truth[l][v] }) {
					return true
				}
			}
			return false
		}
		opts := Options{EntryFile: "/d/p.c", Vacuity: VacuityEntry,
			Semantics: found.Semantics{UserFile: func(string) bool { return true }, Checks: found.DefaultChecks()}}
		report, err := Verify(context.Background(), program(t, body), "main", opts, realSolver)
		if err != nil {
			t.Fatal(err)
		}
		var all []int
		for l := range conditions {
			all = append(all, l)
		}
		slices.Sort(all)
		at := slices.IndexFunc(report.Instances, func(i Instance) bool { return i.Pos.Line == 99 })
		if at < 0 {
			t.Fatalf("no assertion:\n%s", body)
		}
		in := report.Instances[at]
		if (in.Verdict == found.Unreached) == possible(all) {
			t.Fatalf("%s:\n%s", in.Verdict, body)
		}
		if in.Verdict != found.Unreached {
			continue
		}
		var core []int
		for _, e := range in.Core {
			core = append(core, e.Pos.Line)
		}
		if len(core) == 0 || possible(core) {
			t.Errorf("lines %v do not contradict each other:\n%s", core, body)
			continue
		}
		for i := range core {
			if rest := slices.Delete(slices.Clone(core), i, i+1); !possible(rest) {
				t.Errorf("of lines %v, %v contradict each other:\n%s", core, rest, body)
			}
		}
		cores++
		if report.Stats.Mechanisms["facts-learned"] > 0 {
			narrowed++
		}
	}
	if n := int(rounds); cores < n*5/12 || narrowed < n/6 {
		t.Errorf("%d cores, %d of them behind narrowed variables: the test says little", cores, narrowed)
	}
}
