package clang

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/links"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestHeadersElsewhere makes another header the right one, in each way in which a header can be named. The cache has to
// notice.
func TestHeadersElsewhere(t *testing.T) {
	type way struct {
		include, flags string
		env            string // value of CPATH, folders below the proof's
		old            string // the header that is read first
		link           [2]string
		fresh          string // the header that is written then
	}
	expected := map[string]way{
		"in the environment": {include: "<h.h>", env: "first:second", old: "second/h.h", fresh: "first/h.h"},
		"in a folder with a long name": {include: "<h.h>", flags: "--include-directory=first -Isecond", old: "second/h.h",
			fresh: "first/h.h"},
		"long names in two words": {include: "<h.h>", flags: "--include-directory first -Isecond", old: "second/h.h",
			fresh: "first/h.h"},
		"above the file": {include: `"../h/h.h"`, flags: "-Iother/sub", old: "other/h/h.h", fresh: "h/h.h"},
		"behind a link": {include: `"link/../h.h"`, old: "real/h.h", link: [2]string{"../real/in", "p/link"},
			fresh: "real/h.h"},
		"at the end of a link": {include: "<h.h>", flags: "-Ifirst -Isecond", old: "second/h.h",
			link: [2]string{"../elsewhere.h", "first/h.h"}, fresh: "elsewhere.h"},
		"in a folder that is not there": {include: "<lib/h.h>", flags: "-Ifirst -Isecond", old: "second/lib/h.h",
			fresh: "first/lib/h.h"},
	}
	dirs := map[string]string{}
	for name, tt := range expected {
		dir := files(t, "p/p.c", "#include "+tt.include+"\nint f(int);\nint main(void) { return f(N); }", tt.old,
			"#define N 1\n",
			"first/other.h", "", "real/in/other.h", "", "other/sub/other.h", "")
		if tt.include == `"link/../h.h"` { // the path if the link is not resolved
			write(t, filepath.Join(dir, "p/h.h"), "#define N 3\n")
			age(t, filepath.Join(dir, "p/h.h"))
		}
		if tt.link[0] != "" {
			if err := os.Symlink(tt.link[0], filepath.Join(dir, tt.link[1])); err != nil {
				t.Fatal(err)
			}
		}
		age(t, filepath.Join(dir, "p/p.c"))
		age(t, filepath.Join(dir, tt.old))
		dirs[name] = dir
	}
	time.Sleep(settled + 50*time.Millisecond) // the change time of an inode cannot be set
	for name, tt := range expected {
		t.Run(name, func(t *testing.T) {
			dir := dirs[name]
			var search []string
			for _, d := range strings.Split(tt.env, ":") {
				if d != "" {
					search = append(search, filepath.Join(dir, d))
				}
			}
			t.Setenv("CPATH", strings.Join(search, ":"))
			tc, runs := counting(t)
			r := Request{Entry: "main", EntryUnit: unit(dir, "p/p.c", tt.flags), Checks: map[found.Kind]bool{},
				Store: cache.Open(t.TempDir(), cache.Options{})}
			step := func(want int, text string) {
				t.Helper()
				m, err := tc.Build(context.Background(), r)
				if err != nil {
					t.Fatal(err)
				}
				if have := runs(); have != want {
					t.Errorf("clang ran %d times, want %d", have, want)
				}
				if !strings.Contains(string(m.Text), text) {
					t.Errorf("the text is not that of the header that clang finds: %s is missing", text)
				}
			}
			step(1, "@f(i32 noundef 1)")
			step(0, "@f(i32 noundef 1)")
			write(t, filepath.Join(dir, tt.fresh), "#define N 2\n")
			step(1, "@f(i32 noundef 2)")
		})
	}
}

// TestThroughLinks compares throughLinks with the file system.
func TestThroughLinks(t *testing.T) {
	dir := string(links.Resolve(files(t, "a/b/c/f", "", "x/y/f", "")))
	for _, l := range [][2]string{{dir + "/x/y", dir + "/a/l"}, {"../b", dir + "/a/b/m"}} {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"a/b/../b/c/f", "a/l/f", "a/l/../y/f", "a/b/m/c/f", "a/b/m/../b/c/../../l/f", "a/./b//c/f",
		"a/b/c/../../l/../../a/l/f", "a/l/../../x/y/f"} {
		want, err := os.Stat(dir + "/" + p)
		if err != nil {
			t.Fatal(err)
		}
		got := absolute(p, dir)
		is, err := os.Stat(got)
		if err != nil || !os.SameFile(want, is) || strings.Contains(got, "..") {
			t.Errorf("%s: %s, %v", p, got, err)
		}
	}
	if got := absolute("../../../../../../../../../../../../../..", dir); got != "/" {
		t.Errorf("above the root: %s", got)
	}
}
