package clang

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackages checks that the dependencies of the Debian package are the versions that Find tries, in the same order.
func TestPackages(t *testing.T) {
	script, err := os.ReadFile("../../.ci/dist.sh")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^clangs=\((.*)\)$`).FindSubmatch(script)
	if m == nil {
		t.Fatal(".ci/dist.sh has no line clangs=(...)")
	}
	var want []string
	for _, name := range Candidates() {
		if version, ok := strings.CutPrefix(name, "clang-"); ok {
			want = append(want, version)
		}
	}
	if got := strings.Fields(string(m[1])); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("the package depends on clang %q, Find looks for %q", got, want)
	}
}
