package wrap

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestParse checks the entries of command lines: their files, outputs and words.
func TestParse(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "args"), []byte(`-DN="a b" r.c`), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"cc|-c|a.c":              "a.c>a.o: cc|-c|a.c",
		"cc|-c|src/a.c|-o|o/a.o": "src/a.c>o/a.o: cc|-c|src/a.c|-o|o/a.o",
		"gcc-12|-oprog|a.c|-I|x.c|b.c|l.o|-lm": "a.c>prog: gcc-12|-oprog|a.c|-I|x.c|l.o|-lm " +
			"b.c>prog: gcc-12|-oprog|-I|x.c|b.c|l.o|-lm",
		"cc|a.c":                                "a.c>: cc|a.c",
		"cc|-S|a.c|-MMD|-MF|d.c|-include|x.c":   "a.c>: cc|-S|a.c|-MMD|-MF|d.c|-include|x.c",
		"cc|@args|-c":                           "r.c>r.o: cc|-DN=a b|r.c|-c",
		"cc|@absent|-c|a.c":                     "a.c>a.o: cc|@absent|-c|a.c",
		"cc|-xc|odd.inc|-x|none|a.s|-x|c++|b.c": "odd.inc>: cc|-xc|odd.inc|-x|none|a.s|-x|c++|b.c",
		"cc|-c|--|-a.c":                         "-a.c>-a.o: cc|-c|--|-a.c",
		"ccache|gcc|-c|a.c":                     "a.c>a.o: gcc|-c|a.c",
		"ccache|-C|/opt/x/gcc|-c|a.c":           "a.c>a.o: /opt/x/gcc|-c|a.c",
		"ccache|-s":                             "",
		"cc|-E|a.c":                             "", "cc|-c|-M|a.c": "", "cc|a.o|-o|a": "",
		"cc|-c|a.s|b.S": "", "cc|-c|a.cc|b.i": "", "cc": "",
		"cc|-v": "", "cc|-xc|-": "", "clang|-cc1|a.c": "", "cc|-###|a.c": "", "cc|-o|a.c": "",
	} {
		r := Parse(dir, strings.Split(command, "|"))
		var have []string
		for _, e := range r.Entries {
			have = append(have, e.File+">"+e.Output+": "+strings.Join(e.Arguments, "|"))
		}
		if have := strings.Join(have, " "); have != want || r.Problem != "" {
			t.Errorf("%s: %s, want %s (%s)", command, have, want, r.Problem)
		}
	}
	if r := Parse(dir, []string{"cc", "-DX=\xff", "a.c"}); len(r.Entries) > 0 || r.Problem == "" {
		t.Errorf("words that JSON cannot represent: %v", r)
	}
}

// TestMerge checks that an earlier text keeps its other entries as they are, and that the order of calls is irrelevant.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.c", "b.c", "old.c"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entry := func(file, output string) Entry {
		return Entry{Directory: dir, File: file, Output: output, Arguments: []string{"cc", file, "-D<>&"}}
	}
	earlier := `[{"file": "old.c", "directory": ".", "command": "cc -DX=<\u003e old.c", "extra": 1},
		{"file": "` + dir + `/./b.c", "directory": "/", "arguments": ["first"]},
		{"file": "b.c", "directory": "` + dir + `", "arguments": ["second"]}]`
	m, err := Merge([]byte(earlier), dir, []Entry{entry("b.c", "2.o"), entry("a.c", "a.o"), entry("b.c", "1.o"),
		entry("b.c", "./2.o"), entry("gone.c", "gone.o")})
	if err != nil {
		t.Fatal(err)
	}
	if m.Compiled != 2 || m.New != 1 || m.Kept != 1 {
		t.Errorf("%d compiled, %d new, %d kept", m.Compiled, m.New, m.Kept)
	}
	var list []map[string]any
	if err := json.Unmarshal(m.Text, &list); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range list {
		output, _ := e["output"].(string)
		have = append(have, e["file"].(string)+">"+output)
	}
	if have := strings.Join(have, " "); have != "old.c> b.c>1.o b.c>./2.o a.c>a.o" {
		t.Errorf("the entries are %s", have)
	}
	for _, part := range []string{`"command": "cc -DX=<\u003e old.c"`, `"extra": 1`, `"-D<>&"`} {
		if !strings.Contains(string(m.Text), part) {
			t.Errorf("%s is missing in %s", part, m.Text)
		}
	}
	again, err := Merge(m.Text, dir, []Entry{entry("b.c", "./2.o"), entry("b.c", "1.o"), entry("a.c", "a.o")})
	if err != nil || string(again.Text) != string(m.Text) {
		t.Errorf("another order: %v, %s", err, again.Text)
	}
	for _, bad := range []string{"{}", "[1]", "[{]", `[{"file": 1}]`} {
		if _, err := Merge([]byte(bad), dir, nil); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestNames checks the names of compilers, and those of similar programs.
func TestNames(t *testing.T) {
	for _, name := range strings.Fields("cc gcc clang c99 gcc-12 clang-14 arm-none-eabi-gcc x86_64-linux-gnu-gcc-12 " +
		"musl-gcc aarch64-linux-gnu-clang-15.0.1 c99-gcc") {
		if !isCompiler(name) {
			t.Errorf("%s is a compiler", name)
		}
	}
	for _, name := range strings.Fields("gcc-ar gcc-nm-12 clang-tidy-14 clang++ g++ clang-cpp-14 clangd cpp unitproof " +
		"gcc- -12 clang-format c++ gccgo") {
		if isCompiler(name) {
			t.Errorf("%s is no compiler", name)
		}
	}
}
