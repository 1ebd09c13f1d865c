package unfold

import (
	"context"
	"errors"
	"testing"
)

func TestUnfinished(t *testing.T) {
	for _, test := range []struct {
		loops []LoopUnderWay
		want  string
	}{
		{nil, "after 7 instructions"},
		{[]LoopUnderWay{{"main#1", 4}}, "after 7 instructions, in iteration 4 of main#1"},
		{[]LoopUnderWay{{"main#1", 4}, {"f#1", 2}, {"g#2", 3}, {"h#1", 9}},
			"after 7 instructions, in iteration 2 of f#1, 3 of g#2, 9 of h#1"},
	} {
		u := &Unfinished{Err: context.DeadlineExceeded, Instructions: 7, Loops: test.loops}
		if got := u.Where(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
		if !errors.Is(u, context.DeadlineExceeded) {
			t.Errorf("%v hides the context's error", u)
		}
	}
}
