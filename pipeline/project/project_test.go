package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write creates a folder with files; names that end in "/" are empty folders.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir == path {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const harness = "#include <unitproof.h>\nint main(void) { sassert(nd_int() == 0); }\n"

// open opens a workspace and requires that it has no problems.
func open(t testing.TB, root string, flags Flags, client ...Settings) *Workspace {
	t.Helper()
	w, err := Open(root, flags, client...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// list returns the proofs of a workspace and requires that there are no problems.
func list(t testing.TB, w *Workspace, args ...string) []Proof {
	t.Helper()
	proofs, problems := w.Proofs(args)
	if len(problems) > 0 {
		t.Fatal(Problems(problems))
	}
	return proofs
}

func names(proofs []Proof) string {
	var out []string
	for _, p := range proofs {
		out = append(out, p.Name)
	}
	return strings.Join(out, " ")
}

func one(t testing.TB, w *Workspace, args ...string) Proof {
	t.Helper()
	proofs := list(t, w, args...)
	if len(proofs) != 1 {
		t.Fatalf("got the proofs %q, want one", names(proofs))
	}
	return proofs[0]
}

func ptr[T any](x T) *T { return &x }

func TestRoot(t *testing.T) {
	root := write(t, map[string]string{
		"a/unitproof.toml": "", "a/b/c/": "", "g/.git/HEAD": "", "g/x/y/": "", "g/w/.git": "gitdir: elsewhere",
		"g/w/deep/": "", "g/t/unitproof.toml": "", "g/t/.git/HEAD": "", "g/t/u/x.c": harness, "plain/": "",
	})
	for start, want := range map[string]string{
		"a": "a", "a/b/c": "a", "g/x/y": "g", "g/w/deep": "g/w", "g/t/u": "g/t", "g/t/u/x.c": "g/t", "plain": "plain",
	} {
		if w := open(t, filepath.Join(root, start), Flags{}); w.Root != filepath.Join(root, want) {
			t.Errorf("the root of %s is %s, want %s", start, w.Root, want)
		}
	}
	if _, err := Open(filepath.Join(root, "missing"), Flags{}); err == nil {
		t.Error("a folder that does not exist was opened")
	}
}

func TestSplitShell(t *testing.T) {
	for line, want := range map[string]string{
		"":                            "",
		"  a\tb\r\n":                  "a|b",
		`-DX="a b" 'c d'e`:            "-DX=a b|c de",
		`-DV=\"1.0\" "x\"y" "\n"`:     `-DV="1.0"|x"y|\n`,
		`"" ''`:                       "|",
		"a\\\nb":                      "ab",
		`--unwind 4 --check 'a"b'`:    `--unwind|4|--check|a"b`,
		`'it'\''s'`:                   "it's",
		"\"a\\\nb\" \"\\$HOME\" $PWD": "ab|$HOME|$PWD",
	} {
		got, err := SplitShell(line)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: got %q, %v; want %s", line, got, err, want)
		}
	}
	for _, line := range []string{`'a`, `"a`, `a\`, `"a\`} {
		if got, err := SplitShell(line); err == nil {
			t.Errorf("%q was accepted: %q", line, got)
		}
	}
}

func TestParseValues(t *testing.T) {
	for s, want := range map[string]int64{"4G": 4 << 30, "512M": 512 << 20, "1.5GiB": 3 << 29, "100": 100, "2 kb": 2048,
		"1T": 1 << 40} {
		if got, err := parseSize(s); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "G", "-1G", "4X", "0", "1e3", "99999999T", "4G4"} {
		if got, err := parseSize(s); err == nil {
			t.Errorf("%q gave %d", s, got)
		}
	}
	for _, s := range []string{"", "60", "-1s", "0s", "1 hour"} {
		if got, err := parseTimeout(s); err == nil {
			t.Errorf("%q gave %v", s, got)
		}
	}
	for s, want := range map[string]string{"4": " 4", "0": " 0", "f#1=9": "f#1 9", "list_find#12=0": "list_find#12 0"} {
		if loop, n, err := parseUnwind(s); err != nil || loop+" "+itoa(n) != want {
			t.Errorf("%q: %s %d %v", s, loop, n, err)
		}
	}
	for _, s := range []string{"", "-1", "f=3", "f#0=3", "f#1=", "f#1", "f#1=x", "4 ", "99999999999", "#1=3", "1f#1=2"} {
		if loop, n, err := parseUnwind(s); err == nil {
			t.Errorf("%q gave %q %d", s, loop, n)
		}
	}
	for s, want := range map[string]string{"memory-leek": `did you mean "memory-leak"`,
		"signed_overflow": `did you mean "signed-overflow"`, "xyz": `unknown kind "xyz"`} {
		if _, err := ParseKind(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", s, err)
		}
	}
}
