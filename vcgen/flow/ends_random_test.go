package flow

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
)

// counted is a loop that changes two unsigned numbers, i and n, in steps that may depend on any(), which returns 0 or
// 1 arbitrarily. It is executed with numbers of 8 bits: its steps are small, and its constants are the same fractions
// of the range.
type counted struct {
	cond, body string
	// goes reports whether the loop continues, and step returns i and n after an iteration, for successive results of
	// any().
	goes func(i, n byte, any func() bool) bool
	step func(i, n byte, any func() bool) (byte, byte)
}

func randomCondition(rng *rand.Rand, depth int) (string, func(i, n byte, any func() bool) bool) {
	if depth > 0 && rng.Intn(2) == 0 {
		x, fx := randomCondition(rng, depth-1)
		y, fy := randomCondition(rng, depth-1)
		if rng.Intn(2) == 0 {
			return "(" + x + " && " + y + ")", func(i, n byte, any func() bool) bool { return fx(i, n, any) && fy(i, n, any) }
		}
		return "(" + x + " || " + y + ")", func(i, n byte, any func() bool) bool { return fx(i, n, any) || fy(i, n, any) }
	}
	k := byte(rng.Intn(4) * 85) // 0, 85, 170, 255
	switch rng.Intn(9) {
	case 0:
		return "any()", func(_, _ byte, any func() bool) bool { return any() }
	case 1:
		return "i != n", func(i, n byte, _ func() bool) bool { return i != n }
	case 2:
		return "i > n", func(i, n byte, _ func() bool) bool { return i > n }
	case 3:
		return "i <= n", func(i, n byte, _ func() bool) bool { return i <= n }
	case 4:
		return fmt.Sprintf("i != %du", uint32(k)*0x01010101), func(i, _ byte, _ func() bool) bool { return i != k }
	case 5:
		return fmt.Sprintf("i < %du", uint32(k)*0x01010101), func(i, _ byte, _ func() bool) bool { return i < k }
	case 6:
		return fmt.Sprintf("n >= %du", uint32(k)*0x01010101), func(_, n byte, _ func() bool) bool { return n >= k }
	default:
		return "i < n", func(i, n byte, _ func() bool) bool { return i < n }
	}
}

func randomCounted(rng *rand.Rand) counted {
	var c counted
	c.cond, c.goes = randomCondition(rng, 2)
	var steps []func(i, n byte, any func() bool) (byte, byte)
	for range 1 + rng.Intn(2) {
		step := []struct {
			text string
			do   func(i, n byte) (byte, byte)
		}{
			{"i++;", func(i, n byte) (byte, byte) { return i + 1, n }},
			{"i++;", func(i, n byte) (byte, byte) { return i + 1, n }},
			{"i--;", func(i, n byte) (byte, byte) { return i - 1, n }},
			{"i += 2;", func(i, n byte) (byte, byte) { return i + 2, n }},
			{"n--;", func(i, n byte) (byte, byte) { return i, n - 1 }},
			{"n = i;", func(i, _ byte) (byte, byte) { return i, i }},
			{"i = i;", func(i, n byte) (byte, byte) { return i, n }},
		}[rng.Intn(7)]
		on, holds := "", func(_, _ byte, _ func() bool) bool { return true }
		if rng.Intn(3) == 0 {
			on, holds = randomCondition(rng, 0)
			on = "if (" + on + ") "
		}
		c.body += " " + on + step.text
		steps = append(steps, func(i, n byte, any func() bool) (byte, byte) {
			if holds(i, n, any) {
				return step.do(i, n)
			}
			return i, n
		})
	}
	c.step = func(i, n byte, any func() bool) (byte, byte) {
		for _, s := range steps {
			i, n = s(i, n, any)
		}
		return i, n
	}
	return c
}

// ends reports whether the loop ends from every state, for all results of any(): no state leads to itself.
func (c counted) ends() bool {
	const unknown, under, done = 0, 1, 2
	state := make([]byte, 1<<16)
	var visit func(at uint16) bool
	visit = func(at uint16) bool {
		switch state[at] {
		case under:
			return false
		case done:
			return true
		}
		state[at] = under
		for answers := range 1 << 6 {
			asked := 0
			any := func() bool { asked++; return answers>>(asked-1)&1 == 1 }
			if i, n := byte(at>>8), byte(at); c.goes(i, n, any) {
				i, n = c.step(i, n, any)
				if !visit(uint16(i)<<8 | uint16(n)) {
					return false
				}
			}
			if asked == 0 {
				break
			}
		}
		state[at] = done
		return true
	}
	for at := range 1 << 16 {
		if !visit(uint16(at)) {
			return false
		}
	}
	return true
}

// TestLoopsThatEnd checks that each random loop that is recognized as ending does end, for all initial values and
// choices.
func TestLoopsThatEnd(t *testing.T) {
	const count = 400
	rng := rand.New(rand.NewSource(5))
	loops := make([]counted, count)
	var b strings.Builder
	b.WriteString("int any(void);\n")
	for k := range loops {
		loops[k] = randomCounted(rng)
		fmt.Fprintf(&b, "int f%d(unsigned i, unsigned n) { while (%s) {%s } return i; }\n", k, loops[k].cond,
			loops[k].body)
	}
	m := flowtest.Read(t, clangtest.Compile(t, b.String()))
	seen := 0
	for k, c := range loops {
		if !LoopEnds(m, fmt.Sprintf("f%d#1", k), Checked{SignedOverflow: true, Memory: true}) {
			continue
		}
		if seen++; !c.ends() {
			t.Errorf("while (%s) {%s } is seen to end, and need not", c.cond, c.body)
		}
	}
	if seen < 20 {
		t.Errorf("only %d loops are seen to end", seen)
	}
}
