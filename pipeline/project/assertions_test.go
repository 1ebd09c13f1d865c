package project

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

func TestFindCalls(t *testing.T) {
	const text = `#include <assert.h>
#define CHECK(x) do { sassert(x); } while (0)
#define TWICE(x) CHECK(x); \
	CHECK(x)
#define HERE sassert(here)
#define UNREACHABLE() assert(0 && "way")
#define HELPER(x) helper(x)
#define OR_FAIL(x) ((x) ? (void)0 : __assert_fail(#x, __FILE__, __LINE__, __func__))
#define FAIL() __assert_fail("", __FILE__, __LINE__, __func__)
/* sassert(1) */
void sassert(_Bool);
static int *helper(int x) {
	assert(x > 0 &&
	       x < 9); sassert(x == 3);
	return 0;
}
PROOF(a) {
	int n = sizeof(sassert(1), 1);
	extern void sassert(_Bool);
	assert(!"no way"); sassert(0); __CPROVER_assert(0, "x"); sassert(false); assert(0 && "never"); UNREACHABLE();
	if (n) sassert(0 == n); else __CPROVER_precondition(n, "");
#ifdef MORE
	TWICE(n); HERE;
#endif
	void (*f)(_Bool) = sassert;
	s.sassert(n); s->helper(n); HELPER(helper(n)); f("sassert(n)"[0]);
}
`
	macros := AssertingMacros([][]byte{[]byte(text)})
	if got, want := slices.Sorted(maps.Keys(macros)), []string{"CHECK", "HERE", "OR_FAIL", "TWICE"}; !slices.Equal(got,
		want) {
		t.Errorf("macros that assert: %v, want %v", got, want)
	}
	calls := FindCalls([]byte(text), macros)
	show := func(list []AssertionCall) (out []string) {
		for _, c := range list {
			s := fmt.Sprintf("%d:%d %s", c.Line, c.Column, text[c.Start:c.End])
			if c.Bare {
				s += " bare"
			}
			out = append(out, s)
		}
		return out
	}
	want := []string{"13:2 assert", "14:17 sassert", "18:17 sassert", "21:9 sassert", "21:31 __CPROVER_precondition",
		"23:2 TWICE", "23:12 HERE bare"}
	if got := show(calls.Assertions); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := show(calls.Functions), []string{"26:37 helper"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMentioned checks that code is excluded if no function of the program mentions it: other proofs of the file and
// their helpers.
func TestMentioned(t *testing.T) {
	const text = `#define STEP(x) third(x)
static void first(int x) { sassert(x); }
static void second(int x) { sassert(x); }
static void third(int x) { sassert(x); }
void proof_a(void) { if (0) first(1); STEP(2); }
void proof_b(void) { second(1); }
PROOF(c) { sassert(1); }
`
	calls := FindCalls([]byte(text), nil)
	mentioned := calls.Mentioned(func(f string) bool { return f == "proof_a" })
	var got []bool
	for _, a := range calls.Assertions {
		got = append(got, mentioned(a.Start))
	}
	if want := []bool{true, false, true, true}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
