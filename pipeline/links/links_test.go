package links

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMemory checks that Memory agrees with Resolve for all ways to write a path.
func TestMemory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"a/b/x.h", "c/y.h"} {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"l": "a/b", "c/z.h": "../a/b/x.h", "c/nowhere.h": "missing.h",
		"a/up": "../c"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	var r Memory
	for range 2 { // the second time from the cache
		for _, path := range []string{"a/b/x.h", "l/x.h", "l/../x.h", "l/./x.h", "l//x.h", "c/z.h", "a/up/z.h",
			"a/up/../a/b/x.h", "c/nowhere.h", "c/none.h", "no/such/f.h",
			"l", "l/", "l/..", "c/."} {
			path = dir + "/" + path
			if got, want := r.Of(path), Resolve(path); filepath.Clean(string(got)) != filepath.Clean(string(want)) {
				t.Errorf("%s is %s, want %s", path, got, want)
			}
		}
		for _, path := range []string{"/", "x.h", "/x.h"} {
			if got, want := r.Of(path), Resolve(path); got != want {
				t.Errorf("%q is %q, want %q", path, got, want)
			}
		}
	}
	if got := r.Of(dir + "/l/x.h"); string(got) != dir+"/a/b/x.h" {
		t.Errorf("through a link: %s", got)
	}
}
