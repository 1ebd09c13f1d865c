package diagnostics

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

func TestSARIF(t *testing.T) {
	report := validateSARIF(t, document(t), testSources)
	run := report.Runs[0]
	levels := map[string]int{}
	flows, related, suppressed := 0, 0, 0
	for _, r := range run.Results {
		levels[r.Level]++
		flows += len(r.CodeFlows)
		related += len(r.RelatedLocations)
		suppressed += len(r.Suppressions)
		if r.PartialFingerprints["unitproof/v1"] == "" {
			t.Errorf("%s has no fingerprint", *r.RuleID)
		}
		if rule := run.Tool.Driver.Rules[r.RuleIndex]; *rule.ID != *r.RuleID {
			t.Errorf("rule %s at the index of %s", *rule.ID, *r.RuleID)
		}
	}
	// Two failures and the accepted one; a dead assertion and a dead proof; one unknown and two bounded findings.
	if levels["error"] != 3 || levels["warning"] != 2 || levels["note"] != 3 {
		t.Errorf("levels: %v", levels)
	}
	if flows != 1 || related != 2 || suppressed != 1 {
		t.Errorf("%d code flows, %d related locations, %d suppressions", flows, related, suppressed)
	}
	inv := run.Invocations[0]
	if *inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != 1 {
		t.Error("the proof with an error is not told")
	}
}

func TestSARIFColumnsAreCodePoints(t *testing.T) {
	src := func(string) []byte { return []byte("größe / z;") }
	r := &vcgen.Report{EndReached: true, Instances: []vcgen.Instance{{Kind: "division-by-zero", Verdict: found.Failed,
		Pos: found.Pos{File: "/w/a b.c", Line: 1, Column: 9}}}}
	report := validateSARIF(t, NewDocument("unitproof 1", Toolchain{}, []Proof{Group(r, src, meta())}), src)
	loc := report.Runs[0].Results[0].Locations[0].PhysicalLocation
	if *loc.Region.StartColumn != 1 || *loc.Region.EndColumn != 10 || *loc.ArtifactLocation.URI != "a%20b.c" {
		t.Errorf("%d to %d in %s", *loc.Region.StartColumn, *loc.Region.EndColumn, *loc.ArtifactLocation.URI)
	}
}

// checkJUnit writes a document and parses the result.
func checkJUnit(t testing.TB, doc Document, src Sources) junitSuites {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJUnit(&b, doc, src, nil); err != nil {
		t.Fatal(err)
	}
	dec := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, b.Bytes())
		}
	}
	var back junitSuites
	if err := xml.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Tests != len(doc.Proofs) {
		t.Errorf("%d tests for %d proofs", back.Tests, len(doc.Proofs))
	}
	return back
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	doc := document(t)
	if err := WriteJUnit(&b, doc, testSources, nil); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit.golden.xml", b.Bytes())

	bounded := Proof{Name: "b", Verdict: found.Bounded, Reason: "loop `f#1` was cut"}
	expected := Proof{Name: "e", Verdict: found.Failed, Options: Options{Expect: found.Failed}}
	wrong := Proof{Name: "w", Verdict: found.Proved, Options: Options{Expect: found.Failed}}
	for _, test := range []struct {
		proof  Proof
		accept []found.Verdict
		want   string
	}{
		{bounded, nil, "<skipped message=\"bounded: loop `f#1` was cut\""},
		{bounded, []found.Verdict{found.Bounded}, "<system-out>"},
		{expected, nil, "<system-out>"},
		{wrong, nil, `<failure message="expected failed: proved"`},
	} {
		b.Reset()
		if err := WriteJUnit(&b, NewDocument("unitproof 1", Toolchain{}, []Proof{test.proof}), nil, test.accept); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), test.want) {
			t.Errorf("%s: no %s in\n%s", test.proof.Name, test.want, b.String())
		}
	}
}

func TestLCOV(t *testing.T) {
	other := &vcgen.Report{Covered: found.Coverage{root + "/" + list: {25: found.TakenBy,
		26: found.NeverTaken, 12: found.NeverTaken, 0: found.TakenBy, 27: found.MaybeTaken}}}
	var b bytes.Buffer
	if err := WriteLCOV(&b, root, nil, failingReport(t), nil, other, &vcgen.Report{}); err != nil {
		t.Fatal(err)
	}
	want := `TN:
SF:/usr/include/x.h
DA:3,1
LF:1
LH:1
end_of_record
TN:
SF:src/list.c
DA:10,1
DA:12,1
DA:25,1
DA:26,0
LF:4
LH:3
end_of_record
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestEvents(t *testing.T) {
	var b bytes.Buffer
	p := Group(provedReport(t), testSources, meta())
	for _, e := range []Event{
		{Event: EventChanged, Files: []string{list}},
		{Event: EventProof, Name: p.Name, Proof: &p},
		{Event: EventRunFinished, Counts: CountVerdicts([]Proof{p})},
	} {
		if err := WriteEvent(&b, e); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 3 || lines[2] != `{"event":"run-finished","counts":{"proved":1}}` {
		t.Errorf("%q", lines)
	}
}

// TestLCOVUnknown checks that a line or way that is missed in one proof and unknown in another one is unknown.
func TestLCOVUnknown(t *testing.T) {
	report := func(taken found.Taken) *vcgen.Report {
		return &vcgen.Report{Covered: found.Coverage{root + "/" + list: {7: taken}}}
	}
	branch := func(taken found.Taken) Branch {
		return Branch{File: list, Line: 7, Ways: []BranchWay{{Taken: taken}, {Taken: found.TakenBy}}}
	}
	for _, test := range []struct {
		a, b           found.Taken
		line, branches string
	}{
		{found.NeverTaken, found.NeverTaken, "DA:7,0\n", "BRDA:7,0,0,0\n"},
		{found.NeverTaken, found.MaybeTaken, "", ""},
		{found.MaybeTaken, found.NeverTaken, "", ""},
		{found.MaybeTaken, found.TakenBy, "DA:7,1\n", "BRDA:7,0,0,1\n"},
		{found.TakenBy, found.NeverTaken, "DA:7,1\n", "BRDA:7,0,0,1\n"},
	} {
		var b bytes.Buffer
		branches := []Branch{branch(test.a), branch(test.b)}
		if err := WriteLCOV(&b, root, branches, report(test.a), report(test.b)); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, "SF:src/list.c\n"+test.line+test.branches+"BRDA:7,0,1,1\n") {
			t.Errorf("%s and %s:\n%s", test.a, test.b, got)
		}
	}
}

// Rules and results refer to the weaknesses of their kinds, by place in the taxonomy of the run.
func TestSARIFWeaknesses(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSARIF(&b, document(t), testSources); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	taxa := run.Taxonomies[0].Taxa
	results := 0
	for _, rule := range run.Tool.Driver.Rules {
		want := found.Kind(rule.ID).Info().CWE
		if len(rule.Relationships) != len(want) {
			t.Errorf("%s has %d relationships, want %v", rule.ID, len(rule.Relationships), want)
		}
		for _, r := range rule.Relationships {
			if taxa[r.Target.Index].ID != r.Target.ID || run.Taxonomies[r.Target.ToolComponent.Index].Name != "CWE" {
				t.Errorf("%s refers to %+v", rule.ID, r.Target)
			}
		}
	}
	for _, r := range run.Results {
		if len(r.Taxa) != len(found.Kind(r.RuleID).Info().CWE) {
			t.Errorf("a result of %s has the taxa %+v", r.RuleID, r.Taxa)
		}
		results += len(r.Taxa)
	}
	if results == 0 {
		t.Error("no result has a weakness")
	}
}
