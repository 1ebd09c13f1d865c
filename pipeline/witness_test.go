package pipeline

import (
	"testing"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
)

// TestSettingsWithoutRoot checks that settings do not depend on the root, and differ if anything else does.
func TestSettingsWithoutRoot(t *testing.T) {
	proof := func(root string, flags ...string) *project.Proof {
		return &project.Proof{Name: "p", File: root + "/p.c", Entry: "main",
			EntryUnit: project.Unit{File: root + "/p.c", Dir: root, Flags: flags}}
	}
	of := func(root string, p *project.Proof) string {
		s, ok := NewRests(paths.Root(root), "").settings(t.Context(), p)
		if !ok {
			t.Fatal("no clang")
		}
		return s
	}
	first := of("/a/b", proof("/a/b", "-I/a/b/include", "-DX=1", "-isystem", "/a/b/sys", "-I/x/a/b/c", "-DD=\"/a/b\""))
	for _, same := range []string{"/c", "/a/b/c", "/a"} {
		p := proof(same, "-I"+same+"/include", "-DX=1", "-isystem", same+"/sys", "-I/x/a/b/c", "-DD=\""+same+"\"")
		if of(same, p) != first {
			t.Errorf("in %s they are others", same)
		}
	}
	for _, flags := range [][]string{
		{"-I/c/include", "-DX=2", "-isystem", "/c/sys", "-I/x/a/b/c", "-DD=\"/c\""},
		{"-I/c/include", "-DX=1", "-isystem", "/c/sys", "-I/x/c/c", "-DD=\"/c\""},
		{"-I/a/b/include", "-DX=1", "-isystem", "/c/sys", "-I/x/a/b/c", "-DD=\"/c\""},
		{"-I/cinclude", "-DX=1", "-isystem", "/c/sys", "-I/x/a/b/c", "-DD=\"/c\""},
	} {
		if of("/c", proof("/c", flags...)) == first {
			t.Errorf("%q are the same", flags)
		}
	}
	// Options of the output are no settings; a bound is.
	p := proof("/c", "-DX=1")
	plain := of("/c", p)
	p.Options.Explain, p.Options.FullTrace, p.Line = true, true, 7
	if of("/c", p) != plain {
		t.Error("explaining is a setting")
	}
	p.Options.Unwind = 3
	if of("/c", p) == plain {
		t.Error("a bound is no setting")
	}
}
