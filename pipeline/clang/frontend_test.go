package clang

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

var updateFrontEnd = flag.Bool("update-frontend", false, "write the options of clang's front end into testdata")

// TestFrontEnd records the arguments of clang's front end for each version of clang. The driver derives more options
// from ours, which differ by version, and one of them may remove code or checks. The test covers each installed
// compiler, and requires the ones that make setup installs.
func TestFrontEnd(t *testing.T) {
	asked := 0
	for major := OldestMajor; major <= NewestMajor; major++ {
		if major == untried {
			continue
		}
		tc, err := Find(context.Background(), fmt.Sprintf("clang-%d", major))
		if err != nil {
			if major == 14 || major == 19 {
				t.Errorf("%v: make setup installs it", err)
			}
			continue
		}
		asked++
		args := append(tc.ours(), sanitizeFlag(found.DefaultChecks()), "-target", "x86_64-pc-linux-gnu", "-###", "p.c")
		dir := t.TempDir()
		write(t, filepath.Join(dir, "p.c"), "")
		_, said, err := tc.Run(context.Background(), dir, tc.Clang, args, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := frontEnd(string(said), dir)
		golden := filepath.Join("testdata", fmt.Sprintf("frontend-%d.txt", major))
		if *updateFrontEnd {
			write(t, golden, got)
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("clang %d gets other options (-update-frontend writes them, look at each):\n%s\nwant\n%s", major, got, want)
		}
	}
	if asked < 2 {
		t.Errorf("%d compilers were asked", asked)
	}
}

// frontEnd returns the front end's line from the driver's output, one word per line. PATH replaces machine-specific
// paths.
func frontEnd(said, dir string) string {
	var out strings.Builder
	for line := range strings.Lines(said) {
		if !strings.Contains(line, `"-cc1"`) {
			continue
		}
		for _, word := range strings.Split(strings.TrimSpace(line), `" "`)[1:] {
			word = strings.Trim(word, `"`)
			switch name, value, _ := strings.Cut(word, "="); {
			case strings.HasPrefix(word, "/"), strings.HasPrefix(word, dir):
				word = "PATH"
			case strings.HasPrefix(value, "/"):
				word = name + "=PATH"
			case strings.HasPrefix(name, "-ffile-compilation-dir"), strings.HasPrefix(name, "-fcoverage-compilation-dir"),
				strings.HasPrefix(name, "-fdebug-compilation-dir"):
				word = name + "=PATH"
			}
			out.WriteString(word + "\n")
		}
	}
	return out.String()
}
