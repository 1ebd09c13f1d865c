package lsp

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

const rustProof = `extern "C" {
    fn nd_int() -> i32;
    fn assume(c: bool);
}

fn mean(a: i32, b: i32) -> i32 {
    (a + b) / 2
}

#[no_mangle]
pub extern "C" fn proof_mean() {
    let (a, b) = unsafe { (nd_int(), nd_int()) };
    unsafe { assume(a >= 0 && b >= 0) };
    assert!(mean(a, b) >= 0);
}
`

// TestScenarioForeign checks that proofs in Rust and in LLVM assembly are listed if they are open, or if
// unitproof.toml names them.
func TestScenarioForeign(t *testing.T) {
	e, dir := workspace(t, files{
		"src/mean.rs": rustProof,
		"named.rs":    strings.ReplaceAll(rustProof, "mean", "middle"),
		"asm/below.txt": "extern int nd_int(void);\nextern void sassert(int);\n" +
			"void proof_below(void) {\n  int x = nd_int();\n  sassert(x < 10);\n}\n",
		"unitproof.toml": "[[proof]]\nname = \"named\"\nfile = \"named.rs\"\n",
	})
	below := filepath.Join(dir, "asm/below.ll")
	if out, err := exec.Command("clang-19", "-x", "c", "-S", "-emit-llvm", "-g", "-o", below,
		filepath.Join(dir, "asm/below.txt")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	titles := func(d *lsptest.Document, name string) []string {
		var out []string
		for _, l := range e.Lenses(d) {
			if got := d.TextAt(l.Range); got != name {
				t.Errorf("a lens stands at %q, want %s", got, name)
			}
			out = append(out, l.Command.Title)
		}
		return out
	}
	const overflow = " error panics: attempt to add with overflow"
	e.Settle()
	expectShown(t, e, "named.rs:7"+overflow)

	d := e.Open(filepath.Join(dir, "src/mean.rs"))
	e.Settle()
	expectShown(t, e, "named.rs:7"+overflow, "src/mean.rs:7"+overflow)
	got := titles(d, "proof_mean")
	if len(got) < 4 || !strings.HasPrefix(got[0], "✗ 1 failed · ") || !slices.Contains(got, "Trace") {
		t.Errorf("lenses: %q", got)
	}
	actions := e.Actions(d, "assert!(mean")
	if !slices.ContainsFunc(actions, func(a lsptest.Action) bool { return a.Title == "unitproof: Verify mean" }) {
		t.Errorf("actions in the entry: %v", actions)
	}
	// rustc reads the saved file: an edit makes the finding stale, a save decides it.
	e.Edit(d, 0, 0, "// A mean.\n")
	e.Sync()
	if shown := strings.Join(e.Shown(), "\n"); !strings.Contains(shown, lsptest.StaleSuffix) {
		t.Errorf("after an edit:\n%s", shown)
	}
	e.Replace(d, "(a + b) / 2", "a / 2 + b / 2")
	e.Save(d)
	e.Settle()
	expectShown(t, e, "named.rs:7"+overflow)
	if got := titles(d, "proof_mean"); len(got) == 0 || !strings.HasPrefix(got[0], "✓") {
		t.Errorf("lenses of the mended proof: %q", got)
	}
	// A second proof of the file is listed as it is typed.
	e.Edit(d, 0, 0, "#[no_mangle] pub extern \"C\" fn proof_none() {}\n")
	e.Save(d)
	e.Settle()
	if items := proofItems(e); len(items) != 3 {
		t.Errorf("proofs: %v", items)
	}
	e.Close(d)
	e.Settle()
	expectShown(t, e, "named.rs:7"+overflow)

	a := e.Open(below)
	e.Settle()
	expectShown(t, e, "asm/below.ll:7 hint assuming below.ll is taken as it is",
		"asm/below.txt:5 error `x < 10` is false: x = 10", "named.rs:7"+overflow)
	if got := titles(a, "proof_below"); len(got) < 3 || !strings.HasPrefix(got[0], "✗ 1 failed · ") {
		t.Errorf("lenses of the assembly: %q", got)
	}
}
