package diagnostics

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// part returns a document with proofs, which are given as "name verdict".
func part(file string, shard *Shard, proofs ...string) Part {
	var list []Proof
	for _, p := range proofs {
		name, verdict, _ := strings.Cut(p, " ")
		list = append(list, Proof{Name: name, File: name + ".c", Entry: "main", Verdict: found.Verdict(verdict)})
	}
	doc := NewDocument("unitproof 1", Toolchain{Clang: "14"}, list)
	doc.Shard = shard
	return Part{file, doc}
}

// TestMerge merges the parts of one run, and checks that missing, duplicate and inconsistent parts are reported.
func TestMerge(t *testing.T) {
	shard := func(i, of int, plan string) *Shard { return &Shard{Index: i, Of: of, Proofs: 3, Plan: plan} }
	other := part("b.json", nil, "y proved")
	other.Toolchain.Clang = "19"
	for _, test := range []struct {
		name     string
		parts    []Part
		proofs   string
		problems string // substrings, one for each problem
	}{
		{"all shards", []Part{part("a.json", shard(2, 2, "p"), "z proved", "b failed"),
			part("b.json", shard(1, 2, "p"), "a proved")},
			"a proved, b failed, z proved", ""},
		{"no shards", []Part{part("a.json", nil, "x proved"), part("b.json", nil, "y unknown")}, "x proved, y unknown", ""},
		{"one is missing", []Part{part("a.json", shard(2, 3, "p"), "x proved"), part("b.json", shard(1, 3, "p"))},
			"x proved", "shard 3/3 is missing"},
		{"divided otherwise", []Part{part("a.json", shard(1, 2, "p"), "x proved"),
			part("b.json", shard(2, 2, "q"), "y proved")},
			"x proved, y proved", "a.json and b.json split the proofs differently; shard 2/2 is missing"},
		{"one twice", []Part{part("a.json", shard(1, 1, "p"), "x proved"), part("b.json", shard(1, 1, "p"), "y proved")},
			"x proved, y proved", "a.json and b.json are both shard 1/1"},
		{"a proof twice counts with the worse", []Part{part("a.json", nil, "x failed"), part("b.json", nil, "x proved")},
			"x failed", "x is in a.json and in b.json"},
		{"a proof twice, the other way", []Part{part("a.json", nil, "x proved"), part("b.json", nil, "x failed")},
			"x failed", "x is in a.json and in b.json"},
		{"what is wrong everywhere", []Part{part("a.json", nil, "conf error"), part("b.json", nil, "conf error")},
			"conf error", ""},
		{"other programs", []Part{part("a.json", nil, "x proved"), other}, "x proved, y proved",
			"b.json was made with other programs"},
	} {
		doc, problems := Merge(test.parts)
		var proofs []string
		for _, p := range doc.Proofs {
			proofs = append(proofs, p.Name+" "+string(p.Verdict))
		}
		if got := strings.Join(proofs, ", "); got != test.proofs {
			t.Errorf("%s: %s, want %s", test.name, got, test.proofs)
		}
		var want []string
		if test.problems != "" {
			want = strings.Split(test.problems, "; ")
		}
		if len(want) != len(problems) {
			t.Errorf("%s: problems %q, want %q", test.name, problems, want)
			continue
		}
		for i := range want {
			if !strings.Contains(problems[i], want[i]) {
				t.Errorf("%s: problem %q, want %q", test.name, problems[i], want[i])
			}
		}
	}
}

// TestReadDocument checks that other text is refused, and that the data in Beside is restored.
func TestReadDocument(t *testing.T) {
	doc := part("", &Shard{Index: 1, Of: 2, Plan: "p"}, "x unknown").Document
	doc.Tool, doc.Toolchain.Solvers = "unitproof 0.1.0", []string{}
	p := &doc.Proofs[0]
	p.Why, p.Reason = found.Reason{Why: found.Timeout, Name: "60s"}, "the time limit of 60s ended"
	p.Assumptions, p.Obligations = []Assumption{}, []Finding{}
	var text strings.Builder
	if err := WriteJSON(&text, doc.ForOthers()); err != nil {
		t.Fatal(err)
	}
	back, err := ReadDocument([]byte(text.String()))
	if err != nil || back.Proofs[0].Why != doc.Proofs[0].Why || back.Beside != nil || back.Shard.Of != 2 {
		t.Errorf("%v %+v", err, back)
	}
	for _, bad := range []string{"", "{}", "[]", `{"schema": 2, "proofs": []}`, `{"schema": 1}`,
		`{"schema": 1, "proofs": [], "shard": {"index": 3, "of": 2}}`, text.String()[:text.Len()/2]} {
		if _, err := ReadDocument([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	// The document has fewer elements in Beside than proofs.
	doc.Proofs = append([]Proof{{Name: "first", Verdict: found.Proved, Assumptions: []Assumption{},
		Obligations: []Finding{}}}, doc.Proofs...)
	broken := doc.ForOthers()
	broken.Beside = broken.Beside[1:]
	text.Reset()
	if err := WriteJSON(&text, broken); err != nil {
		t.Fatal(err)
	}
	if back, err := ReadDocument([]byte(text.String())); err != nil || !back.Proofs[1].Why.None() {
		t.Errorf("%v %+v", err, back)
	}
}
