package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/docs"
	"github.com/unitproof/unitproof/vcgen/found"
)

// code finds the example of a section.
var code = regexp.MustCompile("(?s)\n```c\n(.*?)```\n")

// marker is how test programs say what is expected of a line; on the page it reads shorter.
var marker = regexp.MustCompile(`// want (\w+) ([a-z-]+)`)

// The page has a section for each kind, in their order, which tells its default and shows the program that the tests
// run.
func TestKinds(t *testing.T) {
	at := 0
	checked := found.DefaultChecks()
	for _, kind := range found.Kinds() {
		name := string(kind)
		i := strings.Index(docs.Kinds()[at:], "\n## "+name+"\n")
		if i < 0 {
			t.Errorf("no section on %s behind those before it", name)
			continue
		}
		at += i
		section := docs.Kind(name)
		title, help := diagnostics.Explain(kind)
		want := "**" + title + ".** " + help + " Checked by default; off with `--no-check " + name + "` or `" + name +
			" = false`."
		if !checked[kind] {
			want = "**" + title + ".** " + help + " Off unless asked for: `--check " + name + "` or `" + name + " = true`."
		}
		if !strings.HasPrefix(section, "# "+name+"\n\n"+want+"\n") {
			t.Errorf("the section on %s does not begin with\n%s\nbut\n%s", name, want, section)
		}
		if !strings.Contains(section, "\n**To mend it:** ") {
			t.Errorf("the section on %s does not say how it is mended", name)
		}
		m := code.FindStringSubmatch(section)
		if m == nil {
			t.Errorf("the section on %s has no example", name)
			continue
		}
		program, err := os.ReadFile(filepath.Join("..", "testdata", "proofs", "kinds",
			strings.ReplaceAll(name, "-", "_")+".c"))
		if err != nil {
			t.Error(err)
			continue
		}
		_, body, _ := strings.Cut(string(program), "#include <string.h>\n")
		body = marker.ReplaceAllString(strings.Trim(body, "\n")+"\n", "// $1: $2")
		if m[1] != body || !strings.Contains(body, ": "+name) {
			t.Errorf("the example on %s is\n%s\nthe program that is run has\n%s", name, m[1], body)
		}
	}
	if n := strings.Count(docs.Kinds(), "\n## "); n != len(found.Kinds()) {
		t.Errorf("%d sections for %d kinds", n, len(found.Kinds()))
	}
	if docs.Kind("nothing") != "" || docs.Kind("") != "" {
		t.Error("a section on nothing")
	}
}
