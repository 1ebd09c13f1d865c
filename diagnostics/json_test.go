package diagnostics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

var compiledSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", schema); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
})

// schemaError validates data against the embedded schema.
func schemaError(t testing.TB, data []byte) error {
	t.Helper()
	schema, err := compiledSchema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(doc)
}

func validate(t testing.TB, data []byte) {
	t.Helper()
	if err := schemaError(t, data); err != nil {
		t.Errorf("%v\n%s", err, data)
	}
}

func validateSARIF(t testing.TB, doc Document, src Sources) *sarif.Report {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSARIF(&b, doc, src); err != nil {
		t.Fatal(err)
	}
	report, err := sarif.FromBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Validate(); err != nil {
		t.Errorf("%v\n%s", err, b.Bytes())
	}
	return report
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	doc := document(t)
	if err := WriteJSON(&b, doc); err != nil {
		t.Fatal(err)
	}
	golden(t, "check.golden.json", b.Bytes())
	validate(t, b.Bytes())

	// A proof that was encoded and decoded, with its Beside, renders like the original.
	var back Document
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	for i := range doc.Proofs {
		data, err := json.Marshal(doc.Proofs[i].Beside())
		if err != nil {
			t.Fatal(err)
		}
		var extra Beside
		if err := json.Unmarshal(data, &extra); err != nil {
			t.Fatal(err)
		}
		back.Proofs[i].Restore(extra)
		was, is := doc.Proofs[i], back.Proofs[i]
		if !reflect.DeepEqual(was.Assumptions, is.Assumptions) || !reflect.DeepEqual(was.Errors, is.Errors) ||
			!reflect.DeepEqual(was.Why, is.Why) {
			t.Errorf("%s: assumptions, errors or reason are others:\n%+v\n%+v", was.Name, was, is)
		}
		for k := range was.Obligations {
			if a, b := was.Obligations[k].Beside(), is.Obligations[k].Beside(); !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %s\n%+v\n%+v", was.Name, was.Obligations[k].ID, a, b)
			}
		}
	}
	render := func(d Document) string {
		var b bytes.Buffer
		if err := writeText(&b, d, TextOptions{Sources: testSources, Verbose: true}); err != nil {
			t.Fatal(err)
		}
		if err := WriteSARIF(&b, d, testSources); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if render(doc) != render(back) {
		t.Error(firstDifference(render(doc), render(back)))
	}
}

func TestSchemaRefuses(t *testing.T) {
	for name, change := range map[string]func(*Document){
		"unknown without reason": func(d *Document) { d.Proofs[0].Verdict, d.Proofs[0].Reason = found.Unknown, "" },
		"unreached proof":        func(d *Document) { d.Proofs[0].Verdict = found.Unreached },
		"errors without error":   func(d *Document) { d.Proofs[0].Errors = []Error{{}} },
		"wrong schema":           func(d *Document) { d.Schema = 2 },
		"null obligations":       func(d *Document) { d.Proofs[0].Obligations = nil },
		"trace of a proved one":  func(d *Document) { d.Proofs[1].Obligations[0].Trace = []found.Step{{Event: "call"}} },
		"obstacle of a proved one": func(d *Document) {
			d.Proofs[1].Obligations[0].InTheWay = &Obstacle{State: []NamedValue{}, Violation: "x is false"}
		},
		"core of a proved one": func(d *Document) {
			d.Proofs[1].Obligations[0].VacuityCore = []CoreEntry{{Kind: "assume"}}
		},
		"kind nobody knows":        func(d *Document) { d.Proofs[1].Obligations[0].Kind = "bad-luck" },
		"finding without instance": func(d *Document) { d.Proofs[1].Obligations[0].Instances = 0 },
	} {
		doc := document(t)
		change(&doc)
		var b bytes.Buffer
		if err := WriteJSON(&b, doc); err != nil {
			t.Fatal(err)
		}
		if schemaError(t, b.Bytes()) == nil {
			t.Errorf("the schema takes: %s", name)
		}
	}
}

// TestKindsOfSchema checks that the published schema lists the kinds in order. With -update it writes them.
func TestKindsOfSchema(t *testing.T) {
	var schema struct {
		Defs struct {
			Kind struct{ Enum []found.Kind }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(JSONSchema, &schema); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(schema.Defs.Kind.Enum, found.Kinds()) {
		if !*update {
			t.Fatal("the kinds of schema.json are not those of vcgen/found (write it with -update)")
		}
		var lines strings.Builder
		width := 0
		for i, k := range found.Kinds() {
			word := strconv.Quote(string(k))
			switch {
			case i == 0:
			case width+len(word) > 108:
				lines.WriteString(",\n        ")
				width = 0
			default:
				lines.WriteString(", ")
			}
			lines.WriteString(word)
			width += len(word) + 2
		}
		list := regexp.MustCompile(`("enum": \[\s*)"assertion"[^\]]*?(\s*\])`)
		text := list.ReplaceAll(JSONSchema, []byte("${1}"+lines.String()+"${2}"))
		if err := os.WriteFile("schema.json", text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if o := OptionsOf(vcgen.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}}); o.Checks != nil {
		t.Errorf("default checks differ from the default: %v", o.Checks)
	}
}

func TestEmptyRun(t *testing.T) {
	doc := NewDocument("unitproof 0.1.0", Toolchain{}, nil)
	checkAll(t, doc, nil)
	doc.Proofs = []Proof{Group(&vcgen.Report{}, nil, ProofMeta{}), ErrorProof(ProofMeta{}, "gone")}
	checkAll(t, doc, nil)
	var b bytes.Buffer
	if err := WriteSARIF(&b, NewDocument("unitproof 1", Toolchain{}, nil), nil); err != nil ||
		!strings.Contains(b.String(), `"results": []`) {
		t.Errorf("no results must be an empty list: %v\n%s", err, b.String())
	}
}

// checkAll renders a document in every format, and validates formats that have a schema.
func checkAll(t testing.TB, doc Document, src Sources) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, doc); err != nil {
		t.Fatal(err)
	}
	validate(t, b.Bytes())
	validateSARIF(t, doc, src)
	checkJUnit(t, doc, src)
	for _, o := range []TextOptions{{}, {Quiet: true}, {Verbose: true, Stats: true, Color: true}} {
		o.Sources = src
		if err := writeText(&b, doc, o); err != nil {
			t.Fatal(err)
		}
	}
}

// randomReport returns a report with arbitrary fields, such as no engine produces.
func randomReport(r *rand.Rand) *vcgen.Report {
	words := []string{"", "x", "a\xffb", "\x1b[31m", "f(x) < \"]]>\"", "größe", "/w/a.c", "line\nbreak", "<&>", "{0}",
		"\x00", "a[i]->b", "\ufffe"}
	word := func() string { return words[r.Intn(len(words))] }
	verdicts := []found.Verdict{"", found.Failed, found.Unknown, found.Bounded, found.Vacuous, found.Proved,
		found.Unreached}
	pos := func() found.Pos {
		return found.Pos{File: []string{"", "/w/a.c", "/w/b c.c", "/x/\xff.c"}[r.Intn(4)], Line: r.Intn(9),
			Column: r.Intn(12), Function: word()}
	}
	positions := func() (out []found.Pos) {
		for range r.Intn(3) {
			out = append(out, pos())
		}
		return out
	}
	chance := func() bool { return r.Intn(2) == 0 }
	whys := []found.Why{"", "what", found.DependsOnBody, found.DependsOnPlace, found.BehindViolation, found.NotSupported,
		found.BeyondBounds,
		found.LoopCut, found.ReachUndecided, found.StepBudget, found.EndUndecided, found.ByFinding, found.Timeout,
		found.Stopped}
	reason := func() found.Reason {
		r := found.Reason{Why: whys[r.Intn(len(whys))], At: pos(), Name: word(), Text: word(), N: int64(r.Intn(3))}
		if chance() {
			r.Cause = &found.Reason{Why: found.SolverFailed, Text: word()}
		}
		return r
	}
	report := &vcgen.Report{Entry: word(), EndReached: chance(), EndUnknown: reason(), Reason: reason()}
	for range r.Intn(12) {
		in := vcgen.Instance{
			Kind: found.Kinds()[r.Intn(len(found.Kinds()))], Pos: pos(), Stack: positions(), Deeper: positions(),
			ConstFalse:  chance(),
			InEntryFile: chance(), Accepted: chance(), Verdict: verdicts[r.Intn(len(verdicts))], Reason: reason(), Loop: word(),
			Bound: r.Intn(5),
		}
		if chance() {
			c := &found.Counterexample{Message: word(), Vars: []found.Variable{{Name: word(), Value: word()}},
				Mentions: []found.Mention{{What: found.Made, Name: word(), Pos: pos()}}}
			for range r.Intn(4) {
				c.Inputs = append(c.Inputs, found.Input{Kind: "nondet", Function: word(), Variable: word(), Type: word(),
					Value: word(), Bytes: "00ff", Pos: pos()})
			}
			for range r.Intn(40) {
				c.Trace = append(c.Trace, found.Step{Depth: r.Intn(4), Event: []found.StepEvent{found.StepAssign, found.StepBranch,
					found.StepCall, found.StepReturn, found.StepAlloc, found.StepFree, found.StepAssume,
					found.StepViolation}[r.Intn(8)],
					Pos: pos(), LValue: word(), Value: word(), Old: word(), Text: word()})
			}
			in.Counterexample = c
		}
		for range r.Intn(4) {
			in.Core = append(in.Core, vcgen.CoreEntry{Kind: []found.CoreKind{found.CoreAssume,
				found.CoreBranch}[r.Intn(2)], Pos: pos(),
				Taken: chance()})
		}
		report.Instances = append(report.Instances, in)
	}
	for range r.Intn(3) {
		report.Assumptions = append(report.Assumptions, found.Assumption{What: found.Assumed(word()), Name: word(), At: pos(),
			Affects: []int{r.Intn(12), r.Intn(12), -1}})
	}
	return report
}

func TestRandomReports(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	src := func(file string) []byte {
		if strings.HasPrefix(file, "/") {
			return nil
		}
		return []byte("int x;\nsassert(x ||\n\ty[i] < \xff\xfe);\n\n  if (a && b) /* never closed\n")
	}
	for seed := range rounds {
		report := randomReport(rand.New(rand.NewSource(int64(seed))))
		m := meta()
		m.Name = fmt.Sprint("seed ", seed)
		doc := NewDocument("unitproof 0.1.0", Toolchain{Clang: "c"}, []Proof{Group(report, src, m)})
		checkAll(t, doc, src)
		ids := map[string]bool{}
		for _, f := range doc.Proofs[0].Obligations {
			if ids[f.ID] {
				t.Errorf("seed %d: id %s occurs twice", seed, f.ID)
			}
			ids[f.ID] = true
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
