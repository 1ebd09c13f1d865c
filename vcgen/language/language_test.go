package language

import (
	"slices"
	"testing"
)

func TestFunction(t *testing.T) {
	for _, c := range []struct {
		name   string
		params int
		want   Role
	}{
		{"assume", 1, Assume}, {"__ESBMC_assert", 2, Assert}, {"__CPROVER_precondition", 2, Assert},
		{"reach_error", 0, Error},
		{"__assert_func", 4, AssertFailure}, {"memcpy", 3, Memcpy}, {"pthread_create", 4, Impossible},
		// A name without parameters is an arbitrary value. With parameters it has a further meaning.
		{"nd_int", 0, Nondet}, {"nondet_node", 0, Nondet}, {"__VERIFIER_nondet_pointer", 0, Nondet},
		{"nd_range", 2, None}, {"nondet_range", 2, Unknown}, {"__VERIFIER_nondet_range", 2, Unknown},
		{"__VERIFIER_nondet_memory", 2, Havoc},
		// Names that look like primitives.
		{"__ESBMC_unreachable", 0, Unknown}, {"__VERIFIER_atomic_begin", 0, Unknown}, {"klee_range", 3, Unknown},
		{"__CPROVER_cover", 1, Unknown},
		{"__SMACK_nondet_int", 0, Unknown}, {"__SMACK_assert", 1, Unknown}, {"verifier_assume", 1, Unknown},
		{"sea_dsa_alias", 2, Unknown},
		{"__FOO_nondet", 0, Unknown}, {"__CPROVER_uninterpreted_f", 2, Uninterpreted},
		// Ordinary names.
		{"__CPROVER_file_local_list_c_push", 1, None}, {"__CPROVER_file_local_list_c_nondet_assume", 1, None},
		{"log_msg", 1, None}, {"unit_assert", 1, None}, {"be_nondeterministic", 0, None}, {"nondet", 0, None},
		{"assumed", 0, None}, {"", 0, None},
	} {
		if got := Function(c.name, c.params).Role; got != c.want {
			t.Errorf("%s with %d parameters has the role %d, want %d", c.name, c.params, got, c.want)
		}
	}
}

// TestTableIsUnambiguous checks that each name is listed once, and that no prefix is hidden by an earlier, shorter
// one.
func TestTableIsUnambiguous(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range slices.Concat(proofNames, libraryNames, namePrefixes) {
		if seen[e.Name] {
			t.Errorf("%s stands in the table twice", e.Name)
		}
		seen[e.Name] = true
		if e.Described && !e.HasCondition() {
			t.Errorf("%s has no condition that could be described", e.Name)
		}
	}
	for _, e := range namePrefixes {
		if got := Lookup(e.Name + "x"); got != e {
			t.Errorf("names that begin with %s are taken for those of %s", e.Name, got.Name)
		}
	}
}
