package precondition

import (
	"math/big"
	"slices"
	"testing"
)

// The candidates contain each kind of fact once, and those that are false in an execution do not hold there.
func TestPostconditions(t *testing.T) {
	size := Var{Text: "q->len", Bits: 64}
	old := Var{Text: "old_len", Bits: 64, Input: true}
	result := Var{Text: "result", Bits: 32, Signed: true}
	x := Var{Text: "x", Bits: 32, Signed: true, Input: true}
	list := Postconditions(Outcome{Vars: []Var{result, x, size, old}, Result: 0, Old: map[int]int{2: 3},
		Consts: []Const{{Value: big.NewInt(8)}}, Returned: []Const{{Value: big.NewInt(-1)}}})
	var texts []string
	for i, c := range list {
		if slices.Contains(texts, c.Text()) {
			t.Errorf("%s comes twice", c.Text())
		}
		if i > 0 && c.Score() < list[i-1].Score() {
			t.Errorf("%s is simpler than the one before", c.Text())
		}
		texts = append(texts, c.Text())
	}
	for _, want := range []string{"result == 0 || result == -1", "result <= 8", "result >= x", "q->len == old_len",
		"result != -1 || q->len == old_len", "result != 0 || q->len == old_len + 1", "x != 0 || result == 0"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%s is no candidate", want)
		}
	}
	state := State{big.NewInt(-1), big.NewInt(5), big.NewInt(2), big.NewInt(1)}
	for text, holds := range map[string]bool{"q->len == old_len": false, "result != -1 || q->len == old_len": false,
		"result != 0 || q->len == old_len": true, "result >= x": false, "q->len >= old_len": true} {
		if c := list[slices.Index(texts, text)]; c.Holds(state) != holds {
			t.Errorf("%s holds: %v", text, !holds)
		}
	}
}
