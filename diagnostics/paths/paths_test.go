package paths

import "testing"

func TestShowAndFind(t *testing.T) {
	for _, c := range []struct{ root, file, shown, found string }{
		{"/w", "/w/src/a.c", "src/a.c", "/w/src/a.c"},
		{"/w/", "/w//src/./a.c", "src/a.c", "/w/src/a.c"},
		{"/w", "/w/..a.c", "..a.c", "/w/..a.c"},
		{"/w", "/wide/a.c", "/wide/a.c", "/wide/a.c"},
		{"/w", "/usr/include/stdio.h", "/usr/include/stdio.h", "/usr/include/stdio.h"},
		{"/w", "/w", "/w", "/w"},
		{"/", "/a.c", "/a.c", "/a.c"},
		{"", "/w/a.c", "/w/a.c", "/w/a.c"},
		{"/w/", "/w/./a/../b.c", "b.c", "/w/b.c"},
		{"/w", "b.c", "b.c", "/w/b.c"},
		{"/w", "", "", ""},
	} {
		root := Root(c.root)
		shown := root.Show(c.file)
		if shown != c.shown || root.Find(shown) != c.found {
			t.Errorf("root %q: %q is shown as %q and found as %q; want %q, %q", root, c.file, shown, root.Find(shown), c.shown,
				c.found)
		}
	}
	if got := Root("/w").Find("src/../a.c"); got != "/w/a.c" {
		t.Errorf("found %q", got)
	}
}
