package clang

import "testing"

// TestPrimitives checks that the names that require our header are the ones that it declares. Assumptions and
// assertions do not need it, and clauses belong to package contract.
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
		if got := namesPrimitive([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for module, want := range map[string]bool{
		"declare i32 @__CPROVER_havoc_object(...) #2\n":                        true,
		"; x\ndeclare !dbg !5 i32 @__CPROVER_havoc_object(...) #2\n":           true,
		"declare void @__CPROVER_havoc_object(ptr)\n":                          false,
		"  declare i32 @__CPROVER_havoc_object(...) #2\n":                      false,
		"define i32 @__CPROVER_havoc_object(...) #2\n":                         false,
		"declare i32 @f(ptr @__CPROVER_havoc_object(...))\n":                   false,
		"declare i32 @__CPROVER_assume(...)\n":                                 false,
		"declare i32 @__CPROVER_assume(...)\ndeclare i32 @__CPROVER_r_ok(...)": true,
		"declare i32 @__CPROVER_r_ok":                                          false,
	} {
		if got := callsUndeclared([]byte(module)); got != want {
			t.Errorf("%q: %v", module, got)
		}
	}
	for module, want := range map[string]bool{
		"declare i32 @__CPROVER_assigns(...)\n":    true,
		"declare i32 @__CPROVER_ensures(i32 %0)\n": true,
		"define i32 @__CPROVER_ensures(i32 %0)\n":  false,
		"declare i32 @__CPROVER_r_ok(...)\n":       false,
	} {
		if got := declaresClause([]byte(module)); got != want {
			t.Errorf("%q: %v", module, got)
		}
	}
}
