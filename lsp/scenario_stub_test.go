package lsp

import (
	"path/filepath"
	"testing"
)

// TestScenarioStub checks that a stub is offered for a library function whose result a finding needs. With the stub
// the finding depends on its body.
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

// TestScenarioOwnStub checks that a stub for the user's undefined function has its declared type.
func TestScenarioOwnStub(t *testing.T) {
	e, dir := workspace(t, files{"log.h": "/* audit_log(x); */\nextern int audit_log(const char *what, int);\n",
		"log_harness.c": "#include \"log.h\"\n#include <unitproof.h>\n\nvoid log_harness(void) {\n" +
			"\tint r = audit_log(\"x\", 3);\n\tsassert(r >= 0);\n}\n"})
	d := e.Open(filepath.Join(dir, "log_harness.c"))
	e.Settle()
	expectShown(t, e, "log_harness.c:5 hint assuming no body for audit_log", "log_harness.c:6 error ")
	e.Apply(action(t, e, d, "audit_log(\"x\"", "Stub audit_log").Edit)
	want := "#include \"log.h\"\n#include <unitproof.h>\n\n" +
		"/* Stub: say with assume() what audit_log may return, and what it writes. */\n" +
		"int audit_log(const char *what, int b) {\n  return nd_int();\n}\n\n" +
		"void log_harness(void) {\n\tint r = audit_log(\"x\", 3);\n\tsassert(r >= 0);\n}\n"
	if d.Text != want {
		t.Errorf("the file is\n%s\nwant\n%s", d.Text, want)
	}
	e.Save(d)
	e.Settle()
	expectShown(t, e, "log_harness.c:11 error ")
}
