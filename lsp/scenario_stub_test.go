package lsp

import (
	"path/filepath"
	"testing"
)

// A finding that needs what a function of the library returns offers a stub; with it the finding is the stub's.
func TestScenarioStub(t *testing.T) {
	e, dir := workspace(t, files{"gamma_harness.c": "#include <math.h>\n#include <unitproof.h>\n\nint main(void) {\n" +
		"\tsassert(lgamma(nd_double()) >= 0);\n}\n"})
	d := e.Open(filepath.Join(dir, "gamma_harness.c"))
	e.Settle()
	expectShown(t, e, "gamma_harness.c:5 hint assuming no body for lgamma",
		"gamma_harness.c:5 information `lgamma(nd_double()) >= 0` could not be decided: only if `lgamma` may return")
	e.Apply(action(t, e, d, "lgamma(nd", "Stub lgamma").Edit)
	want := "#include <math.h>\n#include <unitproof.h>\n\n/* Stub: say with assume() what lgamma may return. */\n" +
		"double lgamma(double a) {\n  double arbitrary;\n  memhavoc(&arbitrary, sizeof arbitrary);\n  return arbitrary;\n" +
		"}\n\n" +
		"int main(void) {\n\tsassert(lgamma(nd_double()) >= 0);\n}\n"
	if d.Text != want {
		t.Errorf("the file is\n%s\nwant\n%s", d.Text, want)
	}
	e.Save(d)
	e.Settle()
	expectShown(t, e, "gamma_harness.c:12 error ")
}
