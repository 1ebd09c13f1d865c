package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestStore(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "new", "trust")}
	one := Request{Root: "/a", Clangs: []string{"/a/clang"}, Flags: []string{"-DX", "-Ia"}}
	two := Request{Root: "/a", Flags: []string{"-DX", "-DY"}, Outside: []string{"/b"}}
	if s.Allowed(one) || (Store{}).Allowed(one) {
		t.Error("nothing was allowed")
	}
	if err := s.Allow(one); err != nil {
		t.Fatal(err)
	}
	part := Request{Root: "/a", Flags: []string{"-Ia"}}
	elsewhere := Request{Root: "/b", Flags: []string{"-Ia"}}
	if !s.Allowed(one) || !s.Allowed(part) || s.Allowed(two) || s.Allowed(elsewhere) {
		t.Error("what is allowed is a request of a root, and its parts")
	}
	if err := s.Allow(two); err != nil || !s.Allowed(one) || !s.Allowed(two) || s.Allowed(elsewhere) {
		t.Error("both are allowed now", err)
	}
	// Each part of a request counts.
	for _, more := range []Request{{Root: "/a", Clangs: []string{"./evil.sh"}}, {Root: "/a", Flags: []string{"-DZ"}},
		{Root: "/a", Outside: []string{"/c"}}, {Root: "/a", Remotes: []string{"http://cache"}},
		{Root: "/a", Clusters: []string{"http://cache"}},
		{Root: "/a", Costs: []string{"20m"}}} {
		if more.Empty() || more.Hash() == (&Request{Root: "/a"}).Hash() {
			t.Errorf("%v asks for something", more)
		}
		if s.Allowed(more) {
			t.Errorf("%v was never allowed", more)
		}
	}
	// A file of another root, under the name of this one, allows nothing.
	text, err := os.ReadFile(s.path("/a"))
	if err == nil {
		err = os.WriteFile(s.path("/b"), text, 0o600)
	}
	if err != nil || s.Allowed(elsewhere) {
		t.Error("what is allowed is taken for another root", err)
	}
	if roots, err := s.List(); err != nil || !slices.Equal(roots, []string{"/a"}) {
		t.Error(roots, err)
	}
	if had, err := s.Revoke("/a"); !had || err != nil || s.Allowed(part) {
		t.Error("it is allowed still", had, err)
	}
	if had, err := s.Revoke("/a"); had || err != nil {
		t.Error("there is nothing to take back", had, err)
	}
}

func TestLines(t *testing.T) {
	r := Request{Root: "/x/a", Clangs: []string{"./evil.sh"},
		Flags:   strings.Fields("-I/b -I/x/a/inc -a -b -c -d -e -f -g -h -i -include../y.h"),
		Outside: []string{"/b/c.c"}, Costs: []string{"20m"}}
	if got, want := strings.Join(r.Lines(), "; "), "runs the compiler ./evil.sh; "+
		"gives clang -I/b -include../y.h -I/x/a/inc -a -b -c -d -e -f -g and 2 more that name nothing outside of it; "+
		"takes for one proof up to 20m; compiles, outside of a: /b/c.c"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if r.Empty() || !(&Request{Root: "/x"}).Empty() {
		t.Error("only a request for nothing is empty")
	}
}
