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

// TestTableOfRoles checks that each role has a row, and that the row and those of its names do not contradict.
func TestTableOfRoles(t *testing.T) {
	for role := None; role <= Impossible; role++ {
		row, ok := roles[role]
		if !ok {
			t.Errorf("the role %d has no row", role)
		}
		if row.standIn != "" && row.native != NativeStub {
			t.Errorf("the role %d has two forms in native runs", role)
		}
		if row.errno && !row.pure && row.shape == "" {
			t.Errorf("the role %d allocates, and the types of its arguments are not known", role)
		}
	}
	if len(roles) != int(Impossible)+1 {
		t.Errorf("%d rows for %d roles", len(roles), Impossible+1)
	}
}

// TestColumns checks the columns of library functions against their declarations.
func TestColumns(t *testing.T) {
	for name, e := range byName() {
		p, declared := PrototypeOf(name)
		if e.Float != NoFloat && declared && len(p.Parameters) != e.Float.Operands() {
			t.Errorf("%s has %d operands, and is declared with %v", name, e.Float.Operands(), p.Parameters)
		}
		if declared && !p.Variadic && len(e.Arguments) > len(p.Parameters) {
			t.Errorf("%s uses %d arguments, and is declared with %v", name, len(e.Arguments), p.Parameters)
		}
		for i, letter := range e.Arguments {
			pointer := declared && i < len(p.Parameters) && p.Parameters[i][len(p.Parameters[i])-1] == '*'
			switch use := Use(letter); use {
			case UseString, UseFill, UseUpdate, UseBlock, UseFree:
				if declared && !pointer {
					t.Errorf("argument %d of %s is %s, and is no pointer", i, name, p.Parameters[i])
				}
			case UseLength, UseOther:
				if use == UseLength && pointer {
					t.Errorf("argument %d of %s is a pointer", i, name)
				}
			default:
				t.Errorf("argument %d of %s is used as %q", i, name, letter)
			}
		}
	}
	for _, c := range []struct {
		name string
		bits int
		want Float
	}{{"sqrt", 64, Sqrt}, {"sqrtf", 32, Sqrt}, {"sqrt", 32, NoFloat}, {"sqrtf", 64, NoFloat}, {"sqrtl", 64, NoFloat},
		{"fmaf", 32, Fma}, {"cos", 64, NoFloat}, {"malloc", 64, NoFloat}, {"", 64, NoFloat}} {
		if got := FloatFunction(c.name, c.bits); got != c.want {
			t.Errorf("FloatFunction(%q, %d) is %d", c.name, c.bits, got)
		}
	}
	if FloatIntrinsic("minnum") != Fmin || FloatIntrinsic("fabs") != Fabs || FloatIntrinsic("sqrtf") != NoFloat {
		t.Error("intrinsics")
	}
}

func TestHeaderOf(t *testing.T) {
	for name, want := range map[string]string{"malloc": "<stdlib.h>", "strlen": "<string.h>", "signal": "<signal.h>",
		"pthread_mutex_lock": "<pthread.h>", "size_t": "<stddef.h>", "INT_MAX": "<limits.h>", "errno": "<errno.h>",
		"assume": "<unitproof.h>", "nd_int": "<unitproof.h>", "log_msg": "", "": ""} {
		if got := HeaderOf(name); got != want {
			t.Errorf("the header of %q is %q", name, got)
		}
	}
	for name, d := range standardFunctions() {
		if name == "" || d.header == "" {
			t.Errorf("%q is declared by %q: %s", name, d.header, d.text)
		}
	}
}
