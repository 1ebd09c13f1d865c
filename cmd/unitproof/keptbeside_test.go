package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestEveryInputCounts edits every kind of input of a check, one after the other, and undoes the edit. With the
// caches of all earlier checks, the output (verdicts, assumptions, notes, dropped options) must equal that without
// caches.
func TestEveryInputCounts(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	root, cacheDir := t.TempDir(), t.TempDir()
	const proof = `#include <unitproof.h>
#include "limit.h"
#include <assert.h>
int linked(int x);
void log_it(int *x);
static int more(int x) { return x + 1; }
int main(void) {
  int x = nd_int();
  assume(x > 0 && x < LIMIT);
  log_it(&x);
  for (int i = 0; i < 3; i++)
    x = more(0);
  assert(linked(x) < 100);
  sassert(x < 1000);
}
`
	base := map[string]string{"p_harness.c": proof, "limit.h": "#define LIMIT 50\n", "first/x": "",
		"second/limit.h": "#define LIMIT 7\n",
		"linked.c":       "int linked(int x) { return x + 1; }\n", "other.c": "int linked(int x) { return x + 200; }\n",
		"unitproof.toml": "[compile]\nflags = [\"-Ifirst\"]\n[[proof]]\nfile = \"p_harness.c\"\nsources = [\"linked.c\"]\n"}
	now := map[string]string{}
	set := func(files map[string]string) {
		t.Helper()
		for name := range now {
			if _, stays := files[name]; !stays {
				if err := os.Remove(filepath.Join(root, name)); err != nil {
					t.Fatal(err)
				}
				delete(now, name)
			}
		}
		for name, text := range files {
			if now[name] == text && text != "" {
				continue
			}
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			now[name] = text
		}
	}
	check := func(env []string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, append([]string{"check", "-j", "1"}, args...)...)
		cmd.Dir = root
		cmd.Env = append(append(os.Environ(), "XDG_CACHE_HOME="+cacheDir), env...)
		doc, _, _ := document(t, cmd) // the status is part of the verdicts
		return said(t, doc)
	}
	key := func(table, line string) map[string]string {
		toml := base["unitproof.toml"]
		if table == "compile" {
			toml = "[compile]\n" + line + "\n[[proof]]\nfile = \"p_harness.c\"\nsources = [\"linked.c\"]\n"
		} else {
			toml += line + "\n"
		}
		return map[string]string{"unitproof.toml": toml}
	}
	type edit struct {
		name  string
		files map[string]string
		env   []string
		same  bool // the output does not change
	}
	edits := []edit{
		{name: "the proof", files: map[string]string{"p_harness.c": proof + "int y;\n"}, same: true},
		{name: "an assertion", files: map[string]string{"p_harness.c": "#define NDEBUG\n" + proof}},
		{name: "a header", files: map[string]string{"limit.h": "#define LIMIT 5000\n"}, same: true},
		{name: "a linked file", files: map[string]string{"linked.c": base["other.c"]}},
		{name: "a file of the configuration", files: map[string]string{"unitproof.toml": "[[proof]]\nfile = " +
			"\"p_harness.c\"\nsources = [\"other.c\"]\n"}},
		{name: "a dropped option", files: key("compile", `flags = ["-Ifirst", "-ffast-math"]`)},
		{name: "an unknown option", files: key("compile", `flags = ["-Ifirst", "-fno-such-thing"]`)},
		{name: "a rejected option", files: key("compile", `flags = ["-Ifirst", "-march=no-such-cpu"]`)},
		{name: "a dropped option of a proof", files: key("proof", `flags = ["-ffinite-math-only"]`)},
		{name: "NDEBUG", files: key("compile", `flags = ["-Ifirst", "-DNDEBUG"]`)},
		{name: "a response file", files: map[string]string{
			"unitproof.toml": key("compile", `flags = ["-Ifirst", "@r"]`)["unitproof.toml"],
			"r":              "-ffast-math"}},
		{name: "another response file", files: map[string]string{
			"unitproof.toml": key("compile", `flags = ["-Ifirst", "@r"]`)["unitproof.toml"],
			"r":              "-freciprocal-math"}},
		{name: "a database", files: map[string]string{"compile_commands.json": `[{"directory": ".", "file": "p_harness.c",
			"arguments": ["cc", "-fapprox-func", "p_harness.c"]}]`}},
		{name: "flags for all", files: map[string]string{"compile_flags.txt": "-fassociative-math\n"}},
		{name: "removed flags", files: map[string]string{"compile_flags.txt": "-fassociative-math\n-DNDEBUG\n",
			"unitproof.toml": key("compile", "flags = [\"-Ifirst\"]\nremove-flags = [\"-DNDEBUG\"]")["unitproof.toml"]}},
		{name: "missing bodies", files: key("proof", `missing-body = "pure"`)},
		{name: "missing bodies as errors", files: key("proof", `missing-body = "error"`)},
		{name: "a setting that is not used", files: key("proof", `remove-bodies = ["nobody"]`)},
		{name: "a loop that is not there", files: key("proof", `loops = { "nobody#1" = 3 }`)},
		{name: "a bound", files: key("proof", `unwind = 2`)},
		{name: "a check", files: key("proof", `checks = { assertion = false }`)},
		{name: "an expectation", files: key("proof", `expect = "failed"`)},
		{name: "an override", files: key("proof", `override = ["other.c"]`)},
		{name: "a body that is not wanted", files: key("proof", `remove-bodies = ["linked"]`)},
		{name: "variables that start with any value", files: key("proof", `nondet-static = true`)},
		{name: "assembly", files: map[string]string{"linked.c": "int linked(int x) { __asm__ volatile(\"nop\" : " +
			"\"+r\"(x)); return 3; }\n"}},
		{name: "the environment", env: []string{"CPATH=second"}, same: true},
		{name: "the compiler", files: map[string]string{"unitproof.toml": key("compile",
			"flags = [\"-Ifirst\"]\nclang = \"./cc\"")["unitproof.toml"],
			"cc": "#!/bin/sh\nexec clang-14 -DNDEBUG -include unistd.h \"$@\"\n"}},
	}
	set(base)
	first := check(nil)
	for _, e := range edits {
		files := map[string]string{}
		for name, text := range base {
			files[name] = text
		}
		for name, text := range e.files {
			files[name] = text
		}
		set(files)
		fresh, cold := check(e.env, "--no-cache"), check(e.env)
		if warm := check(e.env); cold != fresh || warm != fresh {
			t.Errorf("%s: without caches\n%s\nwith those of before\n%s\nwith its own\n%s", e.name, fresh, cold, warm)
		}
		if (fresh == first) != e.same {
			t.Errorf("%s: does the edit change what is said? it is\n%s", e.name, fresh)
		}
		set(base)
		if back := check(nil); back != first {
			t.Errorf("%s, taken back: it is\n%s\nand was\n%s", e.name, back, first)
		}
	}
}
