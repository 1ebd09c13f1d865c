package diagnostics

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// root is the folder that the fixtures' file names begin with.
const root = "/w"

// testSources reads testdata/src.
func testSources(file string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", "src", filepath.Base(file)))
	if err != nil {
		return nil
	}
	return data
}

// at returns the position of the first occurrence of a text in a file of testdata/src.
func at(t testing.TB, file, function, text string) found.Pos {
	t.Helper()
	data := testSources(file)
	i := bytes.Index(data, []byte(text))
	if i < 0 {
		t.Fatalf("%s has no %q", file, text)
	}
	before := data[:i]
	return found.Pos{
		File: root + "/" + file, Function: function,
		Line: bytes.Count(before, []byte("\n")) + 1, Column: i - bytes.LastIndexByte(before, '\n'),
	}
}

const (
	harness = "proofs/list_push_harness.c"
	list    = "src/list.c"
)

func meta() ProofMeta {
	return ProofMeta{
		Name: "list_push", File: root + "/" + harness, Entry: "main", Root: root,
		Options: Options{MallocMayFail: true, MissingBody: "havoc", Vacuity: "entry"},
		Accept:  []Accept{{vcgen.AcceptRule{Kind: "signed-overflow", Function: "hash_mix"}, "wraps on purpose"}},
		Stats:   Stats{CompileMS: 41, VCGenMS: 12, SolveMS: 260, TotalMS: 313, MemoryMB: 84, CacheHits: 2},
	}
}

// failingReport returns a report with a finding of every verdict.
func failingReport(t testing.TB) *vcgen.Report {
	push := at(t, harness, "main", "list_push(i)")
	store := at(t, list, "list_push", "= value")
	sum := at(t, harness, "main", "list_sum(n)")
	loop := at(t, list, "list_sum", "for (int i")
	steps := []found.Step{
		{Depth: 0, Event: found.StepAssign, Pos: at(t, harness, "main", "= nd_int()"), LValue: "n", Value: "11"},
		{Depth: 0, Event: found.StepAssume, Pos: at(t, harness, "main", "assume(n"), Text: "n >= 0 && n <= 11"},
	}
	for i := range 11 {
		steps = append(steps,
			found.Step{Depth: 0, Event: found.StepAssign, Pos: at(t, harness, "main", "i = 0"), LValue: "i",
				Value: fmt.Sprint(i)},
			found.Step{Depth: 0, Event: found.StepCall, Pos: push, Text: fmt.Sprintf("list_push(%d)", i)},
			found.Step{Depth: 1, Event: found.StepAssign, Pos: at(t, list, "list_push", "= &storage"), LValue: "slot",
				Value: fmt.Sprintf("storage+%d", 4*i)})
		if i < 10 {
			steps = append(steps,
				found.Step{Depth: 1, Event: found.StepAssign, Pos: store, LValue: "*slot", Value: fmt.Sprint(i), Old: "0"},
				found.Step{Depth: 1, Event: found.StepAssign, Pos: at(t, list, "list_push", "= used + 1"), LValue: "used",
					Value: fmt.Sprint(i + 1), Old: fmt.Sprint(i)},
				found.Step{Depth: 1, Event: found.StepReturn, Pos: at(t, list, "list_push", "}")})
		}
	}
	steps = append(steps, found.Step{Depth: 1, Event: found.StepViolation, Pos: store, Text: "out-of-bounds-write"})
	nd := func(variable, value, hex, text string) found.Input {
		return found.Input{Kind: "nondet", Function: "nd_int", Variable: variable, Type: "int", Value: value, Bytes: hex,
			Pos: at(t, harness, "main", text)}
	}
	return &vcgen.Report{
		Entry: "main", EndReached: true,
		Instances: []vcgen.Instance{
			{Kind: "out-of-bounds-write", Verdict: found.Failed, Pos: store, Stack: []found.Pos{push},
				Counterexample: &found.Counterexample{
					Message: "writes 4 bytes at offset 40 of `storage` (40 bytes, /w/src/list.c:5): used = 10.",
					Inputs: []found.Input{nd("n", "11", "0b000000", "nd_int()"), nd("total", "0", "00000000", "nd_int(), options"),
						nd("", "-1", "ffffffff", "nd_int(), payload")},
					Trace: steps,
				}},
			{Kind: "null-dereference", Verdict: found.Proved, Pos: store, Stack: []found.Pos{push}},
			{Kind: "assertion", Verdict: found.Failed, InEntryFile: true, Pos: at(t, harness, "main", "sassert(list_sum"),
				Counterexample: &found.Counterexample{Vars: []found.Variable{{Name: "n", Value: "11"},
					{Name: "total", Value: "2"}}}},
			{Kind: "assertion", Verdict: found.Unknown, Reason: found.Reason{Why: found.BehindViolation,
				At: found.Pos{File: "/w/src/list.c", Line: 12}}, InEntryFile: true,
				Pos: at(t, harness, "main", "sassert(list_size")},
			{Kind: "assertion", Verdict: found.Vacuous, InEntryFile: true, Pos: at(t, harness, "main", "sassert(payload"),
				Core: []vcgen.CoreEntry{
					{Kind: "branch", Pos: at(t, harness, "main", "||"), Taken: false},
					{Kind: "assume", Pos: at(t, harness, "main", "assume(total")},
				}},
			{Kind: "assertion", Verdict: found.Unreached, ConstFalse: true, InEntryFile: true,
				Pos: at(t, harness, "main", "sassert(0)")},
			{Kind: "unwinding", Verdict: found.Bounded, Pos: loop, Stack: []found.Pos{sum}, Loop: "list_sum#1", Bound: 4,
				Reason: found.Reason{Why: found.LoopCut, Name: "list_sum#1", N: 4}},
			{Kind: "out-of-bounds-read", Verdict: found.Bounded, Pos: at(t, list, "list_sum", "storage[i]"),
				Stack: []found.Pos{sum}, Loop: "list_sum#1", Bound: 4,
				Reason: found.Reason{Why: found.HoldsInBounds, Name: "list_sum#1", N: 4}},
			{Kind: "signed-overflow", Verdict: found.Unknown, Pos: at(t, list, "list_sum", "+= storage"),
				Stack:  []found.Pos{sum},
				Reason: found.Reason{Why: found.StepBudget, N: 400_000}},
			{Kind: "signed-overflow", Verdict: found.Failed, Accepted: true, Pos: at(t, list, "hash_mix", "* 31"),
				Counterexample: &found.Counterexample{Message: "`h * 31` overflows int: h = 69273667"}},
			{Kind: "signed-overflow", Verdict: found.Unreached, Pos: at(t, list, "hash_mix", "+ 7")},
		},
		Assumptions: []found.Assumption{
			{What: found.MissingBody, Name: "log_msg", Call: found.Call{Effect: found.WritesMemory},
				At: at(t, list, "list_push", "log_msg"), Affects: []int{0, 1}},
			{What: found.MissingBody, Name: "log_msg", Call: found.Call{Effect: found.WritesMemory},
				At: at(t, list, "list_push", "log_msg"), Affects: []int{8}},
		},
		Covered: found.Coverage{root + "/" + list: {10: found.TakenBy, 12: found.TakenBy, 25: found.NeverTaken},
			"/usr/include/x.h": {3: found.TakenBy}},
		Stats: vcgen.Stats{Instructions: 12345, Terms: 4567, Events: 321, Obligations: 11, Objects: 9, SettledFolded: 3,
			SolverQueries:   8,
			SolverConflicts: 1234567, Clauses: 98765, Mechanisms: map[string]int64{"store-map": 120, "address-range-map": 31}},
	}
}

func provedReport(t testing.TB) *vcgen.Report {
	return &vcgen.Report{
		Entry: "main", EndReached: true,
		Instances: []vcgen.Instance{
			{Kind: "assertion", Verdict: found.Proved, InEntryFile: true, Pos: at(t, harness, "main", "sassert(list_size")},
			{Kind: "out-of-bounds-write", Verdict: found.Proved, Pos: at(t, list, "list_push", "= value")},
		},
	}
}

func vacuousReport(t testing.TB) *vcgen.Report {
	return &vcgen.Report{
		Entry: "main",
		Instances: []vcgen.Instance{
			{Kind: "out-of-bounds-write", Verdict: found.Unreached, Pos: at(t, list, "list_push", "= value")},
		},
	}
}

// document returns a run with every kind of proof.
func document(t testing.TB) Document {
	named := func(name string) ProofMeta {
		m := meta()
		m.Name = name
		return m
	}
	expected := named("list_fails")
	expected.Options.Expect = found.Failed
	bad := named("list_typo")
	bad.File = root + "/proofs/typo_harness.c"
	return NewDocument("unitproof 0.1.0", Toolchain{Clang: "clang 14.0.6", Solvers: []string{"cadical 1.5.3"}}, []Proof{
		Group(failingReport(t), testSources, meta()),
		Group(provedReport(t), testSources, named("list_pop")),
		Group(vacuousReport(t), testSources, named("list_never")),
		ErrorProof(bad, "it did not compile", Error{Message: "use of undeclared identifier 'nn'", File: root + "/" + harness,
			Line: 8, Column: 6}),
	})
}

// golden compares got with a file under testdata, or rewrites the file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (rewrite it with -update):\n%s", file, firstDifference(string(want), string(got)))
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := 0; i < len(w) || i < len(g); i++ {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d:\n want %s\n got  %s", i+1, a, b)
		}
	}
	return ""
}
