package source

import "testing"

// TestInverted checks that an odd number of ! before a whole condition inverts it.
func TestInverted(t *testing.T) {
	for expr, want := range map[string]bool{
		"!n": true, "!n--": true, "! n ++": true, "!--n": true, "!*p++": true, "!a[i]++": true, "!p->n--": true,
		"!(n--)": true, "!f(x)": true, "!!n": false, "!!n--": false, "!n-- == 0": false, "!x && y": false, "n--": false,
		"!x ? 1 : 2": false,
	} {
		if got := Inverted(expr); got != want {
			t.Errorf("Inverted(%q) is %v", expr, got)
		}
	}
}
