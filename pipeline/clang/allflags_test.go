package clang

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// TestNoFlagLoadsOrWrites checks that no option of clang, with any kind of value, loads a library or writes a file. It
// passes the options that cflags leaves to clang, with a library that leaves a trace when it is loaded. Each version of
// clang has its own table of options. -short takes one in four.
func TestNoFlagLoadsOrWrites(t *testing.T) {
	tried := 0
	for version := 14; version <= 19; version++ {
		name := fmt.Sprint("clang-", version)
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		tried++
		t.Run(name, func(t *testing.T) {
			tools, err := Find(context.Background(), name)
			if err != nil {
				t.Fatal(err)
			}
			noFlagLoadsOrWrites(t, tools)
		})
	}
	if tried == 0 {
		t.Error("no clang is there")
	}
}

func noFlagLoadsOrWrites(t *testing.T, tools *Toolchain) {
	dir, work := t.TempDir(), t.TempDir()
	evil, loaded := filepath.Join(dir, "evil.so"), filepath.Join(dir, "loaded")
	source := filepath.Join(dir, "evil.c")
	write(t, source, `#include <stdio.h>
__attribute__((constructor)) static void go(void) { fclose(fopen("`+loaded+`", "w")); }`)
	if out, err := exec.Command(tools.Clang, "-shared", "-fPIC", "-o", evil, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	write(t, filepath.Join(dir, "rsp"), "-fplugin="+evil)
	write(t, filepath.Join(work, "a.c"), "int main(void) { return 0; }\n")

	names := optionNames(t, tools)
	if len(names) < 1500 {
		t.Fatalf("clang names %d options only", len(names))
	}
	out := filepath.Join(dir, "written")
	runs := map[string][]string{}
	for name := range names {
		if !sampletest.Short(t, name, 4) {
			continue
		}
		for _, words := range [][]string{{name}, {name, evil}, {name, out}, {name, "@" + dir + "/rsp"}, {name + evil},
			{name + out}, {name + "=" + out}, {"-Wp," + name + "," + out}, {name, "-load", name, evil}} {
			accepted, _ := cflags.Filter(words)
			if len(accepted) > 0 {
				runs[strings.Join(accepted, "\x00")] = accepted
			}
		}
	}
	t.Logf("%d options, %d that leave something", len(names), len(runs))
	ctx := context.Background()
	for _, key := range slices.Sorted(maps.Keys(runs)) {
		args := slices.Concat(runs[key], ours, []string{"-MD", "-MF", filepath.Join(dir, "dep"), "-MT", "unit", "-o", "-",
			"a.c"})
		_, _, _ = tools.Run(ctx, work, tools.Clang, args, nil)
		if _, err := os.Stat(loaded); err == nil {
			t.Fatalf("%q runs a library", runs[key])
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%q writes a file", runs[key])
		}
	}
	entries, err := os.ReadDir(work)
	if err != nil || len(entries) != 1 {
		t.Errorf("files beside the source: %v, %v", entries, err)
	}

	// Without the filter the same set loads the library.
	if _, _, err := tools.Run(ctx, work, tools.Clang, []string{"-fplugin=" + evil, "-fsyntax-only", "a.c"},
		nil); err == nil {
		if _, err := os.Stat(loaded); err != nil {
			t.Error("the library tells nothing")
		}
	}
}

// optionNames returns the options of clang's own table: its completions and its help for developers.
func optionNames(t *testing.T, tools *Toolchain) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, arg := range []string{"--autocomplete=-", "--help-hidden"} {
		text, err := exec.Command(tools.Clang, arg).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			name := strings.TrimSpace(line)
			if end := strings.IndexAny(name, " \t<,"); end >= 0 {
				name = name[:end]
			}
			if strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "-W") && len(name) > 1 {
				names[name] = true
			}
		}
	}
	for _, name := range []string{"-Wa,", "-Wl,", "-Wp,", "-W", "-Werror=", "-Wno-error="} {
		names[name] = true
	}
	return names
}
