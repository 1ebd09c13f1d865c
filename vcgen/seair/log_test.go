package seair

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

func sample() *Log {
	c := smt.NewContext()
	x := c.Var("x", smt.BV(8))
	at := &Site{Pos: found.Pos{File: "p.c", Line: 7, Column: 3, Function: "main"}}
	return &Log{C: c,
		Inputs: []*Input{{Kind: choice.Nondet, Name: "nd_uint8_t", Guard: c.True(), Value: x}},
		Events: []Event{
			{Kind: Axiom, Guard: c.True(), Cond: c.Ult(x, c.Int(8, 200))},
			{Kind: Assume, Guard: c.True(), Cond: c.Ult(x, c.Int(8, 9)), Site: at},
			{Kind: Obligation, Check: found.Assertion, Guard: c.True(), Cond: c.Ult(x, c.Int(8, 10)), Site: at},
			{Kind: Cut, Guard: c.Eq(x, c.Int(8, 5)), Loop: "main#1", Bound: 4, Site: at},
			{Kind: End, Guard: c.True(), Site: at},
		}}
}

func TestVerify(t *testing.T) {
	if err := sample().Verify(); err != nil {
		t.Fatalf("a sound log: %v", err)
	}
	for want, damage := range map[string]func(l *Log){
		"event 1 (assume): the guard is no Boolean":         func(l *Log) { l.Events[1].Guard = l.C.Int(8, 1) },
		"event 2 (obligation): the condition is no Boolean": func(l *Log) { l.Events[2].Cond = 0 },
		"event 2: an obligation without a kind":             func(l *Log) { l.Events[2].Check = "" },
		"event 0: an axiom under a guard":                   func(l *Log) { l.Events[0].Guard = l.Events[3].Guard },
		"event 4 (end): no place":                           func(l *Log) { l.Events[4].Site = nil },
		"input 0 (nondet): the guard is no Boolean":         func(l *Log) { l.Inputs[0].Guard = l.C.Int(8, 1) },
	} {
		l := sample()
		damage(l)
		if err := l.Verify(); err == nil || err.Error() != want {
			t.Errorf("Verify says %v, want %q", err, want)
		}
	}
}

func TestDump(t *testing.T) {
	var b strings.Builder
	if err := sample().Dump(&b); err != nil {
		t.Fatal(err)
	}
	want := `input nondet x of nd_uint8_t
  0        -  axiom: x <u 200
  1      7:3  assume: x <u 9
  2      7:3  obligation assertion: x <u 10
where x == 5:
  3      7:3  cut main#1 after 4
always:
  4      7:3  end
`
	if b.String() != want {
		t.Errorf("Dump prints\n%s\nwant\n%s", b.String(), want)
	}
}
