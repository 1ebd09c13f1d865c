package project

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHarmfulFolders checks that a malicious folder quickly leads to an error that names the file and the reason.
func TestHarmfulFolders(t *testing.T) {
	deep := strings.Repeat("[", 20000)
	for _, test := range []struct {
		name  string
		files map[string]string
		links map[string]string
		fifos []string
		want  string
	}{
		{"a dotted key of 20,000 parts", map[string]string{"unitproof.toml": strings.Repeat("a.", 20000) + "a = 1\n"}, nil,
			nil,
			"unitproof.toml:1:34: keys and values are nested more than 16 deep"},
		{"arrays in arrays", map[string]string{"unitproof.toml": "a = " + deep}, nil, nil, "nested more than 16 deep"},
		{"arrays over lines", map[string]string{"unitproof.toml": "a = " + strings.Repeat("[true,\n", 20000)}, nil, nil,
			"nested more than 16 deep"},
		{"tables in tables", map[string]string{"unitproof.toml": "a = " + strings.Repeat("{a=", 20000)}, nil, nil,
			"nested more than 16 deep"},
		{"a large configuration", map[string]string{"unitproof.toml": strings.Repeat("#", 1<<20+1)}, nil, nil,
			"unitproof.toml: cannot be read: is larger than the limit of 1 MB"},
		{"a configuration that is a device", nil, map[string]string{"unitproof.toml": "/dev/zero"}, nil,
			"unitproof.toml: cannot be read: is not a regular file"},
		{"a configuration that is the input", nil, map[string]string{"unitproof.toml": "/dev/stdin"}, nil,
			"unitproof.toml: cannot be read: is not a regular file"},
		{"a configuration that is a FIFO", nil, nil, []string{"unitproof.toml"},
			"unitproof.toml: cannot be read: is not a regular file"},
		{"a database that is a device", nil, map[string]string{"compile_commands.json": "/dev/zero"}, nil,
			"compile_commands.json: cannot be read: is not a regular file"},
		{"flags that are a FIFO", nil, nil, []string{"compile_flags.txt"},
			"compile_flags.txt: cannot be read: is not a regular file"},
		{"a database that nests", map[string]string{"compile_commands.json": strings.Repeat("[", 5000000)}, nil, nil,
			"compile_commands.json:1:"},
		{"a response file without an end", map[string]string{"unitproof.toml": "[compile]\nflags = [\"-D\", \"@/dev/zero\"]"},
			nil,
			nil, "unitproof.toml:2:9: compile.flags: /dev/zero: the response file is not a regular file"},
		{"a database with a response file that names itself", map[string]string{"r": "@r @r",
			"compile_commands.json": `[{"directory": ".", "file": "a_harness.c", "command": "cc @r a_harness.c"}]`}, nil, nil,
			"r: the response file names itself"},
		{"open brackets", map[string]string{"b_harness.c": "#include <unitproof.h>\nint main(void) { sassert(" +
			strings.Repeat("(", 5000000) + "); }"}, nil, nil,
			"b_harness.c: brackets are nested more than 1000 deep: it is not searched for proofs"},
		{"open blocks", map[string]string{"b_harness.c": "#include <unitproof.h>\nint main(void) " +
			strings.Repeat("{", 5000000)}, nil, nil, "brackets are nested more than 1000 deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"a_harness.c": harness, ".git/HEAD": ""}
			for name, text := range test.files {
				files[name] = text
			}
			root := write(t, files)
			for name, target := range test.links {
				if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range test.fifos {
				if err := syscall.Mkfifo(filepath.Join(root, name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			done := make(chan string, 1)
			begin := time.Now()
			go func() {
				w, err := Open(root, Flags{})
				text := fmt.Sprintln(err)
				_, problems := w.Proofs(nil)
				for _, p := range problems {
					text += p.Error() + "\n"
				}
				done <- text
			}()
			select {
			case text := <-done:
				if !strings.Contains(text, test.want) {
					t.Errorf("it says %.300s\nwant %s", text, test.want)
				}
				t.Log(time.Since(begin))
			case <-time.After(30 * time.Second):
				t.Fatal("there is no end")
			}
		})
	}
}

func TestNestedTooDeep(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a.b.c = [[[[1]]]]": false, strings.Repeat("[[proof]]\n", 1000): false,
		"a = \"" + strings.Repeat("[", 99) + "\"": false, "a = '''\n" + strings.Repeat("[", 99) + "'''": false,
		"# " + strings.Repeat("[", 99) + "\na = 1": false, "a = " + strings.Repeat("[", 16): false,
		"a = " + strings.Repeat("[", 17): true, strings.Repeat("a.", 16) + "a = 1": false,
		strings.Repeat("a . ", 17) + "a = 1": true, `a = "\"` + strings.Repeat("[", 20): false,
		strings.Repeat("'a'.", 17) + "a = 1": true, "a = 1.5\nb = 2.5": false, strings.Repeat("a = 1.5\n", 100): false,
	} {
		if got := nestedTooDeep(text) >= 0; got != want {
			t.Errorf("%.60q: %v", text, got)
		}
	}
}

// TestBudget checks that a glob and a listing stop at their limits; the limits of the test are low.
func TestBudget(t *testing.T) {
	b := budget{folders: maxFolders - 1}
	if dir := t.TempDir(); b.spent() || b.readDir(filepath.Dir(dir)) == nil || !b.spent() || b.readDir(dir) != nil {
		t.Error("the number of folders is not limited")
	}
	g := globber{found: map[string]bool{}, looked: budget{files: maxFiles}}
	root := write(t, map[string]string{"a/x.c": ""})
	if g.match(root, []string{"**", "*.c"}); len(g.found) > 0 {
		t.Error("the number of files is not limited")
	}
	if files, err := expandGlob(root, "**/*.c"); err != nil ||
		!slices.Equal(files, []string{filepath.Join(root, "a/x.c")}) {
		t.Error(files, err)
	}
}
