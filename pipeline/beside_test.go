package pipeline

import (
	"slices"
	"testing"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestDataComeThroughWorkers checks that results of workers have as data what the JSON output has only as sentences:
// the places in an object's life, an assertion's condition and its values, a function without a body, the cause of a
// compile error.
func TestDataComeThroughWorkers(t *testing.T) {
	check := func(text string) Result {
		t.Helper()
		return Run(t.Context(), Batch{Proofs: []project.Proof{program(t, text)}}, faulty(t, ""), nil)[0]
	}
	r := check(`#include <unitproof.h>
#include <stdlib.h>
void log_it(int *p);
int main(void) {
  int *p = malloc(8);
  assume(p != NULL);
  free(p);
  int x = nd_int();
  log_it(&x);
  sassert(x < 5);
  return *p;
}
`)
	for _, f := range r.Proof.Obligations {
		switch f.Kind {
		case found.UseAfterFree:
			var got []string
			for _, at := range f.Related {
				got = append(got, at.Text+" "+string(rune('0'+at.Line)))
			}
			if want := []string{"malloc here 5", "freed here 7"}; !slices.Equal(got, want) {
				t.Errorf("%q is about %q, want %q", f.Message, got, want)
			}
		case found.Assertion:
			if f.Condition != "x < 5" || f.Values == "" {
				t.Errorf("%q has the condition %q of %q", f.Message, f.Condition, f.Values)
			}
		}
	}
	if a := r.Proof.Assumptions; len(a) != 1 || a[0].Is.What != found.MissingBody || a[0].Is.Name != "log_it" ||
		a[0].Is.At.Line != 9 || a[0].Is.Call.Effect != found.WritesMemory {
		t.Errorf("assumptions: %+v", a)
	}
	for text, want := range map[string]found.Lack{
		"#include \"gone.h\"\nint main(void) { sassert(1); }\n":    {What: found.LacksHeader, Name: "gone.h"},
		"int main(void) { sassert((uint8_t)1); }\n":                {What: found.LacksDeclaration, Name: "uint8_t"},
		"#include <unitproof.h>\nint main(void) { sassert(y); }\n": {What: found.LacksDeclaration, Name: "y"},
	} {
		if r := check(text); len(r.Proof.Errors) != 1 || r.Proof.Errors[0].Lacks != want {
			t.Errorf("%s%+v, want %+v", text, r.Proof.Errors, want)
		}
	}
}
