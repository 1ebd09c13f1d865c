package contract

import "testing"

// The outline has the texts of clauses and bodies, as the user wrote them.
func TestOutline(t *testing.T) {
	text := []byte(`#include <x.h>
static int half(int x)
unitproof_requires(x > 0)
__CPROVER_ensures(__CPROVER_return_value < x)
{
  for (int i = 0; i < x; i++)
  __CPROVER_loop_invariant(i <= x)
  { x--; }
  return x;
}
int later(int y) __CPROVER_ensures(y);
`)
	functions, loops := Outline(text)
	if len(functions) != 2 || len(loops) != 1 {
		t.Fatalf("%d functions, %d loops", len(functions), len(loops))
	}
	f, l := functions[0], loops[0]
	if f.Name != "half" || len(f.Clauses) != 2 || !f.Clauses[0].Requires() || !f.Clauses[1].Ensures() {
		t.Errorf("%+v", f)
	}
	if got := string(text[f.Clauses[0].Open:f.Clauses[0].Close]); got != "x > 0" {
		t.Errorf("the precondition is %q", got)
	}
	if text[f.Body] != '{' || text[f.End-1] != '}' || functions[1].Body != -1 {
		t.Errorf("the bodies are at %d, %d and %d", f.Body, f.End, functions[1].Body)
	}
	if got := string(text[l.Body:l.End]); got != "{ x--; }" || !l.Clauses[0].Invariant() {
		t.Errorf("the loop is %+v: %q", l, got)
	}
	if got := string(text[l.Head:l.HeadEnd]); got != "int i = 0; i < x; i++" {
		t.Errorf("its head is %q", got)
	}
	if functions, _ := Outline([]byte("__CPROVER_ensures(")); functions != nil {
		t.Error("a text that cannot be read has functions")
	}
}
