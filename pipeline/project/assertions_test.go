package project

import (
	"fmt"
	"slices"
	"testing"
)

func TestAssertionCalls(t *testing.T) {
	const text = `#include <assert.h>
#define CHECK(x) sassert(x)
/* sassert(1) */
void sassert(_Bool);
static int *helper(int x) {
	assert(x > 0 &&
	       x < 9); sassert(x == 3);
	return 0;
}
void proof_a(void) {
	int n = sizeof(sassert(1), 1);
	assert(!"no way"); sassert(0); __CPROVER_assert(0, "x"); sassert(false); assert(0 && "never");
	if (n) sassert(0 == n); else { while (n) { __VERIFIER_assert(n); } }
#ifdef MORE
	sassert(n);
#endif
	void (*f)(_Bool) = sassert;
	CHECK(n);
	f("sassert(n)"[0]);
}
#if 1
void proof_b(void) { sassert(1 == 1); }
#endif
`
	all := func(int, int) bool { return true }
	var got []string
	for _, c := range AssertionCalls([]byte(text), all) {
		got = append(got, fmt.Sprintf("%s %d:%d %s", c.Function, c.Line, c.Column, text[c.Start:c.End]))
	}
	want := []string{"helper 6:2 assert", "helper 7:17 sassert", "proof_a 13:9 sassert", "proof_a 13:45 __VERIFIER_assert"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if calls := AssertionCalls([]byte(text), func(line, column int) bool { return line == 7 }); len(calls) != 1 || calls[0].Column != 17 {
		t.Errorf("of line 7: %v", calls)
	}
	if calls := AssertionCalls([]byte("# 7 \"other.c\"\n"+text), all); calls != nil {
		t.Errorf("behind a line directive: %v", calls)
	}
}
