package clang

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackageClangs checks that the dependencies of the Debian package are the versions that Find tries, in the same
// order.
func TestPackageClangs(t *testing.T) {
	script, err := os.ReadFile("../../release/packages.go")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^var clangs = \[\]int{(.*)}$`).FindSubmatch(script)
	if m == nil {
		t.Fatal("release/packages.go has no line clangs = ...")
	}
	var want []string
	for _, name := range Candidates() {
		if version, ok := strings.CutPrefix(name, "clang-"); ok {
			want = append(want, version)
		}
	}
	if got := strings.Split(string(m[1]), ", "); !slices.Equal(got, want) {
		t.Errorf("the package depends on clang %q, Find looks for %q", got, want)
	}
}
