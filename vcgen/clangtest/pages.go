package clangtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Pages runs a subtest for each page of a folder, which has a number of pages at least.
//
// A page is a txtar archive: a comment, the file page.c, and a file of the given name with the expected output. output
// returns the actual one. With update, Pages writes it to the page.
func Pages(t *testing.T, folder string, least int, name string, update bool,
	output func(t *testing.T, comment, source string) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(paths) < least {
		t.Fatalf("%d pages: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			page, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Files) == 0 || page.Files[0].Name != "page.c" {
				t.Fatalf("no page.c in %s", path)
			}
			got := output(t, string(page.Comment), string(page.Files[0].Data))
			if update {
				page.Files = append(page.Files[:1], txtar.File{Name: name, Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(page), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(page.Files) != 2 || page.Files[1].Name != name {
				t.Fatalf("no file %s in %s: run the test with -update", name, path)
			}
			compare(t, strings.Split(got, "\n"), strings.Split(string(page.Files[1].Data), "\n"))
		})
	}
}

// compare reports the first line that differs.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	line := func(of []string, i int) string {
		if i < len(of) {
			return of[i]
		}
		return "(nothing)"
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d is\n\t%q\nwant (if it is wrong: -update)\n\t%q\nof\n%s", i+1, line(got, i), line(want, i),
				strings.Join(got, "\n"))
		}
	}
}
