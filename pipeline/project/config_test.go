package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contractExample is the example of the contract, section 7.
const contractExample = `[compile]
flags = ["-Iinclude"]                        # for every C file
remove-flags = ["-Werror"]
compile-commands = "build/compile_commands.json"   # default: found as clangd finds it
clang = "clang-14"

[check]
unwind = 0
timeout = "60s"
malloc-may-fail = true
missing-body = "havoc"        # havoc | pure | error
vacuity = "entry"
checks = { signed-overflow = false, memory-leak = true }
on = "save"                   # editors: save | idle | manual

[[proof]]
name = "list_push"            # default: the file's stem without _harness
file = "proofs/list_push_harness.c"          # a glob is allowed
entry = "main"
sources = ["src/list.c"]      # default: the files of compile_commands.json that define what is missing
override = ["proofs/stubs/alloc.c"]
flags = ["-DMAX=4"]
unwind = 5
loops = { "list_find#1" = 9 }
expect = "proved"             # check fails when the verdict is another one

[[accept]]                    # a finding that was looked at and is fine
kind = "signed-overflow"
function = "hash_mix"
reason = "wraps on purpose"
`

func contractFiles() map[string]string {
	return map[string]string{
		"unitproof.toml": contractExample, "build/compile_commands.json": "[]", "proofs/list_push_harness.c": harness,
		"src/list.c": "int list;\n", "proofs/stubs/alloc.c": "int stub;\n",
	}
}

func TestContractExample(t *testing.T) {
	root := write(t, contractFiles())
	c, err := Load(filepath.Join(root, ConfigName))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%q %q %s %s|%d %v %v %s %s %v %s|%+v", c.Flags, c.RemoveFlags, c.CompileCommands, c.Clang,
		*c.Check.Unwind, *c.Check.Timeout, *c.Check.MallocMayFail, *c.Check.MissingBody, *c.Check.Vacuity, c.Check.Checks,
		*c.Check.On,
		c.Accept)
	want := `["-I<root>/include"] ["-Werror"] <root>/build/compile_commands.json clang-14|0 1m0s true havoc entry ` +
		"map[memory-leak:true signed-overflow:false] save|[{Kind:signed-overflow Function:hash_mix " +
		"Lines:{File: From:0 To:0} Reason:wraps on purpose Line:27}]"
	if got = strings.ReplaceAll(got, root, "<root>"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p := c.Proofs[0]
	got = fmt.Sprintf("%s %s %v %q %q %q %d %v %s %d:%d", p.Name, p.Entry, p.Files, p.Sources, p.Override, p.Flags,
		*p.Settings.Unwind, p.Loops, p.Expect, p.Line, p.Column)
	want = `list_push main [<root>/proofs/list_push_harness.c] ["<root>/src/list.c"] ["<root>/proofs/stubs/alloc.c"] ["-DMAX=4"] 5 map[list_find#1:9] proved 16:1`
	if got = strings.ReplaceAll(got, root, "<root>"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestConfigProblems(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       string // "line:column key: part of the message", one per line
	}{
		{"unknown key", "[check]\nunwnd = 3\n", `2:1 check.unwnd: did you mean "unwind"?`},
		{"underscores", "[check]\n  malloc_may_fail = true", `2:3 check.malloc_may_fail: did you mean "malloc-may-fail"?`},
		{"key of another table", "timeout = \"3s\"", `1:1 timeout: it belongs to [check]`},
		{"unknown table", "\n[checks]\nunwind = 1", `2:1 checks: did you mean "check"?`},
		{"far off", "[compile]\nzzzzzzzzz = 1",
			`2:1 compile.zzzzzzzzz: known are clang, compile-commands, flags, remove-flags`},
		{"dotted unknown", "check.unwind = 3\ncheck.vacuty = \"all\"", `2:7 check.vacuty: did you mean "vacuity"?`},
		{"quoted key", "[check]\n\"timeout\" = \"x\"", `2:13 check.timeout: "x" is not a duration`},
		{"wrong type", "[check]\nunwind = \"4\"", `2:10 check.unwind: must be an integer, is a string`},
		{"float", "[check]\nunwind = 4.0", `2:10 check.unwind: must be an integer, is a float`},
		{"date", "[check]\nunwind = 2020-01-01", `2:10 check.unwind: must be an integer, is a date or time`},
		{"table for a value", "[check.timeout]\nx = 1", `1:1 check.timeout: must be a string, is a table`},
		{"negative", "[check]\nunwind = -1", `2:10 check.unwind: -1 is not between 0 and`},
		{"timeout without unit", "[check]\ntimeout = 60", `2:11 check.timeout: must be a string with a unit, like "60s"`},
		{"timeout text without unit", "[check]\ntimeout = \"60\"", `2:11 check.timeout: did you mean "60s"?`},
		{"memory", "[check]\nmax-memory = \"4 gigs\"", `2:14 check.max-memory: unknown unit "gigs"`},
		{"bad word", "[check]\nmissing-body = \"havok\"",
			`2:16 check.missing-body: "havok" is not one of havoc, pure, error; did you mean "havoc"?`},
		{"vacuity", "[check]\nvacuity = \"none\"", `2:11 check.vacuity: is not one of entry, all, off`},
		{"on", "[check]\non = \"type\"", `2:6 check.on: is not one of save, idle, manual`},
		{"unknown kind", "[check]\nchecks = { signed-overflw = false }",
			`2:12 check.checks.signed-overflw: did you mean "signed-overflow"?`},
		{"kind's type", "[check]\nchecks = { memory-leak = 1, assertion = true }",
			`2:26 check.checks.memory-leak: must be true or false, is an integer`},
		{"kind table", "[check.checks]\nmemory-leak = \"on\"",
			`2:15 check.checks.memory-leak: must be true or false, is a string`},
		{"flags", "[compile]\nflags = [\n  \"-O2\",\n  3,\n]", `4:3 compile.flags[1]: must be a string, is an integer`},
		{"flags as text", "[compile]\nflags = \"-O2\"", `2:9 compile.flags: must be an array of strings, is a string`},
		{"no compile commands", "[compile]\ncompile-commands = \"build/x.json\"",
			`2:20 compile.compile-commands: no such file: <root>/build/x.json`},
		{"compile is no table", "compile = 3", `1:11 compile: must be a table, is an integer`},
		{"proof is no array", "[proof]\nname = \"x\"", `1:1 proof: write [[proof]]`},
		{"no file", "[[proof]]\nname = \"x\"", `1:1 proof[0]: the key file is missing`},
		{"missing file", "[[proof]]\nfile = \"a_harness.x\"", `2:8 proof[0].file: did you mean "a_harness.c"?`},
		{"folder", "[[proof]]\nfile = \"sub\"", `2:8 proof[0].file: is not a file: <root>/sub`},
		{"missing source", "[[proof]]\nfile = \"a_harness.c\"\nsources = [\"b.c\",\n \"none.c\"]",
			`4:2 proof[0].sources[1]: no such file: <root>/none.c`},
		{"missing override", "[[proof]]\nfile = \"a_harness.c\"\noverride = [\"none.c\"]",
			`3:13 proof[0].override[0]: no such file: <root>/none.c`},
		{"empty glob", "[[proof]]\nfile = \"none/*.c\"", `2:8 proof[0].file: no file matches "none/*.c"`},
		{"bad glob", "[[proof]]\nfile = \"a[.c\"", `2:8 proof[0].file: is not a valid glob`},
		{"a name for many", "[[proof]]\nname = \"x\"\nfile = \"*.c\"",
			`2:8 proof[0].name: one name for the 2 files that "*.c" matches`},
		{"duplicate name", "[[proof]]\nname = \"x\"\nfile = \"a_harness.c\"\n[[proof]]\nfile = \"b.c\"\nname = \"x\"",
			`6:8 proof[1].name: duplicate proof name "x", first used by the proof of line 1`},
		{"duplicate file", "[[proof]]\nfile = \"a_harness.c\"\n\n[[proof]]\nfile = \"a_harness.c\"",
			`5:8 proof[1].file: duplicate proof name: a_harness.c is listed by the proof of line 1`},
		{"duplicate in globs", "[[proof]]\nfile = \"a*.c\"\n\n[[proof]]\nfile = \"*_harness.c\"",
			`5:8 proof[1].file: duplicate proof name: a_harness.c is listed`},
		{"nested file", "[[proof]]\nfile = \"nested/n.c\"",
			`2:8 proof[0].file: the file belongs to the nested configuration <root>/nested/unitproof.toml`},
		{"expect", "[[proof]]\nfile = \"b.c\"\nexpect = \"unreached\"",
			`3:10 proof[0].expect: "unreached" is not one of proved`},
		{"entry", "[[proof]]\nfile = \"b.c\"\nentry = \"a b\"", `3:9 proof[0].entry: "a b" is not the name of a C function`},
		{"loops", "[[proof]]\nfile = \"b.c\"\nloops = { f = 3, \"g#1\" = 2, \"h#0\" = 1, \"i#1\" = \"x\" }",
			"3:11 proof[0].loops.f: \"f\" is not of the form\n3:29 proof[0].loops.\"h#0\": is not of the form\n3:48 " +
				"proof[0].loops.\"i#1\": must be an integer"},
		{"on of a proof", "[[proof]]\nfile = \"b.c\"\non = \"save\"", `3:1 proof[0].on: it belongs to [check]`},
		{"accept kind", "[[accept]]\nkind = \"overflow\"", `2:8 accept[0].kind: unknown kind "overflow"`},
		{"accept without kind", "[[accept]]\nfunction = \"f\"",
			`1:1 accept[0]: the key kind is missing, or survivor, or audit`},
		{"accept of two things", "[[accept]]\nkind = \"assertion\"\nsurvivor = \"*\"",
			`1:1 accept[0]: kind and survivor cannot be combined`},
		{"second of two tables", "[[accept]]\nkind = \"assertion\"\n[[accept]]\nkind = \"assertion\"\nfunctions = \"f\"",
			`5:1 accept[1].functions: did you mean "function"?`},
		{"inline tables", "proof = [{ file = \"b.c\" }, { file = \"none.c\" }]", `1:37 proof[1].file: no such file`},
		{"inline table of the wrong type", "accept = [3]", `1:11 accept[0]: must be a table, is an integer`},
		{"empty text", "[compile]\nclang = \"\"", `2:9 compile.clang: must not be empty`},
		{"several", "[check]\nunwind = true\nvacuity = 1\nfoo = 2",
			"2:10 check.unwind: must be an integer\n3:11 check.vacuity: must be a string\n4:1 check.foo: unknown key"},
		{"after multi-line strings", "[compile]\nclang = \"\"\"\na # b\n\"\"\"\n[check]\nx = 1", `6:1 check.x: unknown key`},
		{"after literal strings", "[compile]\nflags = ['''\n]''', 'a\"]', \"\\\"]\"]\n[check]\nx = 1",
			`5:1 check.x: unknown key`},
		{"comments in arrays", "[compile]\nflags = [ # ]\n \"-O\", # \"\n 2 ]", `4:2 compile.flags[1]: must be a string`},
		{"CRLF", "[check]\r\nunwind = 1\r\nfoo = 2\r\n", `3:1 check.foo: unknown key`},
		{"BOM", "\ufeff[check]\nfoo = 2\n", `2:1 check.foo: unknown key`},
		{"umlauts count as bytes", "[check]\nchecks = { \"ä\" = true, foo = true }",
			"2:12 check.checks.\"ä\": unknown kind\n2:25 check.checks.foo: unknown kind"},
		{"not TOML", "[check]\nunwind = \n", `2:10 : not valid TOML`},
		{"key twice", "[check]\nunwind = 1\nunwind = 2\n", `3:1 : not valid TOML`},
		{"not UTF-8", "[check]\nfoo = \"\xff\"", `2:8 : not valid TOML: invalid UTF-8 byte 0xff`},
		{"end of the text", "0", `1:2 : not valid TOML`},
		{"NUL", "a\x00b = 1", `1:2 : not valid TOML`},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := write(t, map[string]string{
				"unitproof.toml": test.text, "a_harness.c": harness, "b.c": harness, "sub/": "",
				"nested/unitproof.toml": "", "nested/n.c": harness,
			})
			path := filepath.Join(root, ConfigName)
			c, err := Load(path)
			if c == nil {
				t.Fatal("no Config")
			}
			var ps Problems
			if !errors.As(err, &ps) {
				t.Fatalf("got the error %v", err)
			}
			wants := strings.Split(test.want, "\n")
			if len(ps) != len(wants) {
				t.Fatalf("got %d problems, want %d:\n%v", len(ps), len(wants), err)
			}
			for i, want := range wants {
				place, message, _ := strings.Cut(want, ": ")
				line, key, _ := strings.Cut(place, " ")
				p := ps[i]
				got := fmt.Sprintf("%d:%d", p.Line, p.Column)
				if p.File != path || got != line || key != "" && p.Key != key || !strings.Contains(p.Message,
					strings.ReplaceAll(message, "<root>", root)) {
					t.Errorf("got  %s:%s\nwant %s", got, strings.TrimPrefix(p.Error(), path), want)
				}
			}
		})
	}
}

func TestPartialConfig(t *testing.T) {
	root := write(t, map[string]string{"unitproof.toml": "[check]\nunwind = 7\nfoo = 1\n", "a.c": harness})
	w, err := Open(root, Flags{})
	if err == nil {
		t.Fatal("the unknown key was accepted")
	}
	if p := one(t, w); p.Options.Unwind != 7 {
		t.Errorf("unwind is %d", p.Options.Unwind)
	}
}

func TestUnreadableConfig(t *testing.T) {
	root := write(t, map[string]string{"unitproof.toml/": "", "a.c": harness, "b/a.c": harness})
	w, err := Open(filepath.Join(root, "b"), Flags{})
	var p Problem
	if !errors.As(err, &p) || p.File != filepath.Join(root, ConfigName) || !strings.Contains(p.Message, "cannot be read") {
		t.Fatalf("got the error %v", err)
	}
	if w.Root != root {
		t.Errorf("the root is %s", w.Root)
	}
	if _, err := Open(root, Flags{ConfigFile: "none.toml"}); !errors.As(err, &p) ||
		p.File != filepath.Join(root, "none.toml") {
		t.Errorf("a missing --config gave %v", err)
	}
	if os.Getuid() != 0 {
		locked := write(t, map[string]string{"unitproof.toml": ""})
		if err := os.Chmod(filepath.Join(locked, ConfigName), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(locked, Flags{}); err == nil {
			t.Error("a configuration without permission was read")
		}
	}
}

func TestGlobs(t *testing.T) {
	root := write(t, map[string]string{
		"p/a_harness.c": harness, "p/b_harness.c": harness, "p/helper.c": "int x;", "p/deep/er/c_harness.c": harness,
		"p/.hidden/d_harness.c": harness, "p/node_modules/e_harness.c": harness, "p/build/CMakeCache.txt": "",
		"p/build/f_harness.c": harness,
		"p/x[1].c":            harness, "q/g.c": harness,
	})
	for pattern, want := range map[string]string{
		"p/*_harness.c":    "p/a_harness.c p/b_harness.c",
		"p/**/*_harness.c": "p/a_harness.c p/b_harness.c p/deep/er/c_harness.c",
		"**/c_harness.c":   "p/deep/er/c_harness.c",
		"*/?.c":            "q/g.c",
		"./p/[ab]_*.c":     "p/a_harness.c p/b_harness.c",
		"p/**":             "p/a_harness.c p/b_harness.c p/deep/er/c_harness.c p/helper.c p/x[1].c",
		"p/**/**/c*":       "p/deep/er/c_harness.c",
		"p/../q/*.c":       "q/g.c",
		"none/*.c":         "",
	} {
		got, err := expandGlob(root, pattern)
		for i := range got {
			got[i] = filepath.ToSlash(strings.TrimPrefix(got[i], root+string(filepath.Separator)))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, %v; want %q", pattern, got, err, want)
		}
	}
	if got, err := expandGlob("/", filepath.ToSlash(root)+"/q/*.c"); err != nil || len(got) != 1 {
		t.Errorf("absolute: %v %v", got, err)
	}

	// Literal files win over globs, names with brackets are not globs, helpers in globs are not proofs.
	config := "[[proof]]\nfile = \"p/*.c\"\nunwind = 2\n[[proof]]\nfile = \"p/a_harness.c\"\nunwind = " +
		"9\n[[proof]]\nfile = \"p/x[1].c\"\n"
	if err := os.WriteFile(filepath.Join(root, ConfigName), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list(t, open(t, root, Flags{})) {
		got = append(got, fmt.Sprintf("%s=%d", p.Name, p.Options.Unwind))
	}
	if s := strings.Join(got, " "); s != "a=9 b=2 c=0 x[1]=0 g=0" {
		t.Errorf("got %s", s)
	}
}

func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"unwnd", "unwind", 1}, {"unwidn", "unwind", 1}, {"abc", "xyz", 3},
		{"entry", "entyr", 1}} {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("%s, %s: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(contractExample))
	f.Add([]byte("proof = [{file='a', loops={'f#1'=3}}]\r\n[check]\nchecks.memory-leak=true\n"))
	f.Add([]byte("\ufeff[a.'b c'.\"d\\u0065\"]\nx = '''\n'''\ny = [[1,[2]],{z={}}]\n[[q]]\n[[q.r]]\n[q.r.s]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := parse("/fuzz/unitproof.toml", data)
		for _, p := range r.problems {
			if p.Message == "" || p.File == "" {
				t.Fatalf("an empty problem: %+v", p)
			}
			if p.Line > strings.Count(string(data), "\n")+1 {
				t.Fatalf("line %d of %q: %v", p.Line, data, p)
			}
			// Only keys with escapes may lack a position.
			if p.Line < 1 && !strings.Contains(string(data), `\`) {
				t.Fatalf("a problem without a place: %v in %q", p, data)
			}
		}
		for _, p := range r.config.Proofs {
			if p.Settings.Unwind != nil && *p.Settings.Unwind < 0 {
				t.Fatal("a negative bound was accepted")
			}
		}
		locate(string(data))
	})
}
