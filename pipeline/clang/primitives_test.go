package clang

import "testing"

// TestPrimitives: the names that call for our header are those that it has; assumptions and assertions do not need it,
// and clauses of contracts are package contract's.
func TestPrimitives(t *testing.T) {
	for text, want := range map[string]bool{
		"sassert(__CPROVER_r_ok(p, 4));":        true,
		"__CPROVER_OBJECT_SIZE (p)":             true,
		"if (__CPROVER_overflow_plus(a, b))":    true,
		"while (i < n) __CPROVER_frees(p)":      false,
		"int f(void) __CPROVER_ensures(1);":     false,
		"__CPROVER_assume(x); int y;":           false,
		"__CPROVER_precondition(x, \"\");":      false,
		"x__CPROVER_r_ok(p); __CPROVER_r_okay;": false,
		"__CPROVER_nothing_of_this_name(p);":    false,
	} {
		if got := namesPrimitive(nameOfCBMC, []byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := namesPrimitive(implicit, []byte("declare i32 @__CPROVER_havoc_object(...) #2\n")); !got {
		t.Error("a declaration without parameters is not found")
	}
	if namesPrimitive(implicit, []byte("declare void @__CPROVER_havoc_object(i8*)\n")) {
		t.Error("a declaration with parameters counts")
	}
}
