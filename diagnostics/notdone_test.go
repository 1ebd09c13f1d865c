package diagnostics

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

func TestNotDone(t *testing.T) {
	plain := Options{MallocMayFail: true}
	for _, test := range []struct {
		name string
		p    Proof
		want []NotDone
	}{
		{"plain", Proof{Verdict: found.Proved, Options: plain, Obligations: []Finding{{Verdict: found.Proved},
			{Verdict: found.Unreached}}}, []NotDone{}},
		{"a kind that is off by default", Proof{Verdict: found.Proved, Options: Options{MallocMayFail: true,
			Checks: map[string]bool{"memory-leak": true, "misaligned": false}}}, []NotDone{}},
		{"a kind that is on by default", Proof{Verdict: found.Proved, Options: Options{MallocMayFail: true,
			Checks: map[string]bool{"signed-overflow": false}}}, []NotDone{KindOff}},
		{"settings", Proof{Verdict: found.Proved, Options: Options{Vacuity: "off", Override: []string{"a.c"},
			RemoveBodies: []string{"f"}}}, []NotDone{VacuityOff, MallocSucceeds, BodyReplaced, BodyRemoved}},
		{"ended early", Proof{Verdict: found.Failed, Options: plain, Why: found.Reason{Why: found.RestUndecided}},
			[]NotDone{NotDecided}},
		{"cut", Proof{Verdict: found.Bounded, Options: plain}, []NotDone{WithinBound}},
		{"accepted and cut", Proof{Verdict: found.Proved, Options: plain, Obligations: []Finding{{Verdict: found.Bounded,
			Accepted: true}}}, []NotDone{WithinBound, AcceptedFinding}},
		{"undecided", Proof{Verdict: found.Unknown, Options: plain, Obligations: []Finding{{Verdict: found.Unknown,
			Why: found.Reason{Why: found.StepBudget}}}}, []NotDone{NotDecided}},
		{"behind", Proof{Verdict: found.Failed, Options: plain, Obligations: []Finding{{Verdict: found.Failed},
			{Verdict: found.Unknown, Why: found.Reason{Why: found.BehindViolation}}}}, []NotDone{BehindViolations}},
		{"may not end", Proof{Verdict: found.Proved, Options: plain, Loops: []Loop{{MayNotEnd: true}}},
			[]NotDone{MayNotEnd}},
		{"assumptions", Proof{Verdict: found.Proved, Options: plain, Assumptions: []Assumption{{Kind: "contract"},
			{Kind: "unused-setting"}, {Kind: "missing-body"}, {Kind: "contract"}}}, []NotDone{"missing-body", "contract"}},
		{"error", Proof{Verdict: found.Error}, []NotDone{NotCompiled}},
	} {
		if got := test.p.notDone(); !slices.Equal(got, test.want) || got == nil {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// The codes are a closed list, the same as in the schema.
func TestNotDoneSchema(t *testing.T) {
	var schema struct {
		Defs struct {
			Proof struct {
				Properties struct {
					NotDone struct {
						Items struct {
							Enum []NotDone `json:"enum"`
						} `json:"items"`
					} `json:"not_done"`
				} `json:"properties"`
			} `json:"proof"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(JSONSchema, &schema); err != nil {
		t.Fatal(err)
	}
	var want []NotDone
	for i, x := range NotDoneCodes() {
		want = append(want, x.Code)
		if x.Code.Order() != i || x.Code.Help() != x.Help || x.Help == "" {
			t.Errorf("%s is not where it stands in the table", x.Code)
		}
	}
	if got := schema.Defs.Proof.Properties.NotDone.Items.Enum; !slices.Equal(got, want) {
		t.Errorf("the schema has %v, the table %v", got, want)
	}
	if NotDone("melting").Help() != "" {
		t.Error("an unknown code has a meaning")
	}
}
