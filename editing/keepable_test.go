package editing

import (
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestKeepable checks that some results are not stored: those that another check might not reproduce, and those with
// dependencies beyond their hashes.
func TestKeepable(t *testing.T) {
	const file = "/w/a.c"
	text := "int x;"
	asks := "#if __has_include(<b.h>)\n#endif\n"
	hides := []string{"-ivfsoverlay", "x.yaml"}
	for _, test := range []struct {
		name   string
		change func(s *state, r *record, run *run)
		keeps  bool // result of keepable
		named  bool // keptKey returns a key
	}{
		{"as it is", func(*state, *record, *run) {}, true, true},
		{"failed", func(_ *state, r *record, _ *run) { r.result.Verdict = found.Failed }, true, true},
		{"bounded", func(_ *state, r *record, _ *run) { r.result.Verdict = found.Bounded }, true, true},
		{"vacuous", func(_ *state, r *record, _ *run) { r.result.Verdict = found.Vacuous }, true, true},
		{"unknown, and nobody knows why", func(_ *state, r *record, _ *run) { r.result.Verdict = found.Unknown }, false,
			true},
		{"unknown by the program", func(_ *state, r *record, _ *run) {
			r.result.Verdict, r.result.Why = found.Unknown, found.Reason{Why: found.ByFinding,
				Cause: &found.Reason{Why: found.DependsOnBody}}
		}, true, true},
		{"unknown by time", func(_ *state, r *record, _ *run) {
			r.result.Verdict, r.result.Why = found.Unknown, found.Reason{Why: found.Timeout}
		}, false, true},
		{"unknown by time, behind a finding", func(_ *state, r *record, _ *run) {
			r.result.Verdict, r.result.Why = found.Unknown, found.Reason{Why: found.ByFinding,
				Cause: &found.Reason{Why: found.TimeLimit}}
		}, false, true},
		{"unknown, and time for one finding", func(_ *state, r *record, _ *run) {
			r.result.Verdict, r.result.Why = found.Unknown, found.Reason{Why: found.NoEnd}
			r.result.Obligations = []diagnostics.Finding{{Why: found.Reason{Why: found.MemoryLimit}}}
		}, false, true},
		{"error", func(_ *state, r *record, _ *run) { r.result.Verdict = found.Error }, false, true},
		{"no figures of the engine", func(_ *state, r *record, _ *run) { r.result.Engine = nil }, false, true},
		{"a solver failed", func(_ *state, r *record, _ *run) { r.result.Engine.Unsettled = 1 }, false, true},
		{"inputs not told", func(_ *state, _ *record, run *run) { run.inputs = nil }, false, true},
		{"a file moved", func(_ *state, r *record, _ *run) { r.about.moving = true }, false, true},
		{"stale", func(_ *state, r *record, _ *run) { r.differs[file] = true }, false, true},
		{"other settings", func(_ *state, r *record, _ *run) { r.about.key[0]++ }, false, true},
		{"defined where clang searches in its own way", func(_ *state, r *record, _ *run) {
			r.about.answers = map[string][]project.Unit{"f": {{File: "/w/b.c"}, {File: "/w/c.c", Flags: hides}}}
		}, false, true},
		{"defined elsewhere", func(_ *state, r *record, _ *run) {
			r.about.answers = map[string][]project.Unit{"f": {{File: "/w/b.c", Flags: []string{"-Iinc"}}}}
		}, true, true},
		{"unsaved", func(_ *state, _ *record, run *run) { run.view.buffers = map[string]*buffer{file: {text: text}} }, false,
			true},
		{"a text that is not known", func(_ *state, r *record, _ *run) { delete(r.about.texts, file) }, false, true},
		{"a text that asks for files", func(_ *state, r *record, _ *run) { r.about.texts[file] = &asks }, false, true},
		{"a header of the system", func(_ *state, r *record, _ *run) {
			r.about.files["/usr/include/x.h"] = ondisk.Hash{7}
		}, true, true},
		{"a folder, and nothing", func(_ *state, r *record, _ *run) {
			r.about.files["/w/inc"], r.about.files["/w/none.h"] = ondisk.Folder, ondisk.Hash{}
		}, true, true},
		{"no folder", func(s *state, _ *record, _ *run) { s.opts.CacheDir = "" }, true, false},
		{"another solver", func(s *state, _ *record, _ *run) { s.opts.Solver = "z3" }, true, false},
		{"coverage", func(_ *state, r *record, _ *run) { r.proof.Options.Coverage = true }, true, false},
		{"an entry with flags of its own", func(_ *state, r *record, _ *run) { r.proof.EntryUnit.Flags = hides }, true,
			false},
		{"a source with flags of its own", func(_ *state, r *record, _ *run) {
			r.proof.Sources = []project.Unit{{},
				{Flags: hides}}
		}, true, false},
		{"an override with flags of its own",
			func(_ *state, r *record, _ *run) { r.proof.Overrides = []project.Unit{{Flags: hides}} }, true, false},
	} {
		s := &state{opts: Options{CacheDir: t.TempDir()}}
		r := &record{id: "a", result: &diagnostics.Proof{Verdict: found.Proved, Engine: &vcgen.Stats{}},
			differs: map[string]bool{},
			about:   &basis{files: map[string]ondisk.Hash{file: {1}}, texts: map[string]*string{file: &text}}}
		run := &run{view: &view{}, inputs: &pipeline.Inputs{}}
		test.change(s, r, run)
		if got := s.keepable(r, run); got != test.keeps {
			t.Errorf("%s: keepable is %v", test.name, got)
		}
		if _, got := s.keptKey(r); got != test.named {
			t.Errorf("%s: keptKey says %v", test.name, got)
		}
	}
}

// TestKeptKey checks that results of other proofs, settings and environments have other keys.
func TestKeptKey(t *testing.T) {
	s := &state{opts: Options{CacheDir: t.TempDir()}}
	r := &record{id: "a"}
	first, _ := s.keptKey(r)
	if again, _ := s.keptKey(r); again != first {
		t.Error("the name changes")
	}
	r.id = "b"
	if other, _ := s.keptKey(r); other == first {
		t.Error("another proof has the same name")
	}
	r.id, r.key = "a", ondisk.Hash{1}
	if other, _ := s.keptKey(r); other == first {
		t.Error("another key has the same name")
	}
	r.key = ondisk.Hash{}
	t.Setenv("CPATH", "/w/inc")
	if other, _ := s.keptKey(r); other == first {
		t.Error("another environment has the same name")
	}
}
