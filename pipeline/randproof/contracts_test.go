package randproof

import (
	"strings"
	"testing"
)

// TestContractsTell checks that derived clauses are true and false in proportion, and that runs violate most of the
// false ones. The same seed gives the same program.
func TestContractsTell(t *testing.T) {
	unchanged, changed, violated, complete := 0, 0, 0, 0
	for seed := 1; seed <= 9; seed++ {
		c, err := WriteContracts(t.Context(), Tools{Clang: "clang-14"}, t.TempDir(), uint64(seed), 200)
		if err != nil {
			t.Fatal(err)
		}
		unchanged, changed = unchanged+c.True, changed+c.Changed
		for at := range c.Violated {
			if !c.Reached[at] && at.Kind != "assigns" && at.Kind != "out-of-bounds" {
				t.Errorf("seed %d: %v is violated and was not looked at", seed, at)
			}
			switch at.Kind {
			case "postcondition", "loop-invariant", "assertion":
				violated++
			}
		}
		for _, exact := range c.Functions {
			if exact {
				complete++
			}
		}
		if seed == 1 {
			again, err := WriteContracts(t.Context(), Tools{Clang: "clang-14"}, t.TempDir(), 1, 200)
			if err != nil || again.Text != c.Text {
				t.Errorf("the same seed gives another program: %v\n%s\n%s", err, c.Text, again.Text)
			}
		}
	}
	t.Logf("%d clauses as they were seen, %d changed, %d violated, %d functions with all inputs", unchanged, changed,
		violated, complete)
	if share := 100 * changed / (changed + unchanged); share < 15 || share > 50 {
		t.Errorf("%d of 100 clauses are changed", share)
	}
	// A run ends at its first violation, so that some are not observed.
	if violated < changed/2 || violated > 2*changed {
		t.Errorf("%d clauses are violated, %d were made false", violated, changed)
	}
}

// TestContractsHaveAll checks that all kinds of clauses occur, and that the engine's text has no macros of native runs.
func TestContractsHaveAll(t *testing.T) {
	all := ""
	for seed := uint64(1); seed <= 60; seed++ {
		p, saw := newContracts(seed), map[int]seen{}
		for id := range p.observed { // as if observed
			saw[id] = seen{times: 9, max: int64(id % 5)}
		}
		p.derive(&Contracts{}, saw)
		var text contractText
		text.render(p)
		all += text.engine.String()
	}
	for _, word := range []string{"__CPROVER_requires", "__CPROVER_ensures", "__CPROVER_assigns(x ", "__CPROVER_is_fresh",
		"__CPROVER_object_upto", "__CPROVER_old", "__CPROVER_return_value", "__CPROVER_forall", "__CPROVER_exists", " ==> ",
		"__CPROVER_loop_invariant", "__CPROVER_loop_entry", "__CPROVER_decreases", "struct box *", "sassert("} {
		if !strings.Contains(all, word) {
			t.Errorf("%s never comes", word)
		}
	}
	for _, macro := range []string{"SET(", "MINE(", "AT(", "CALL("} {
		if strings.Contains(all, macro) {
			t.Errorf("the engine's text has %s", macro)
		}
	}
}

// TestCompareContracts checks the comparison, one finding at a time.
func TestCompareContracts(t *testing.T) {
	at := ContractPlace{"f", Place{3, "postcondition"}}
	c := &Contracts{Functions: map[string]bool{"f": true, "g": false}, Violated: map[ContractPlace]string{at: "1"},
		Reached: map[ContractPlace]bool{at: true, {"g", Place{9, "assertion"}}: true}}
	said := func(function, kind, verdict, replay string, line int) []ContractSaid {
		s := []ContractSaid{{Function: "f", Replay: "reproduced", Said: Said{Place: at.Place, Verdict: "failed"}}}
		if function != "" {
			s = append(s, ContractSaid{Function: function, Replay: replay,
				Said: Said{Place: Place{line, kind}, Verdict: verdict}})
		}
		return s
	}
	only := func(verdict string) []ContractSaid {
		return []ContractSaid{{Function: "f", Said: Said{Place: at.Place, Verdict: verdict}}}
	}
	for _, c2 := range []struct {
		what string
		said []ContractSaid
		want string
	}{
		{"right", said("", "", "", "", 0), ""},
		{"what all inputs satisfy fails", said("f", "assertion", "failed", "reproduced", 5), "false alarm"},
		{"what some inputs satisfy fails", said("g", "assertion", "failed", "reproduced", 5), ""},
		{"a failure that is not reproduced", said("g", "assertion", "failed", "not-reproduced", 5), "not-reproduced"},
		{"what is reached is vacuous", said("g", "assertion", "vacuous", "", 9), "FALSE GREEN"},
		{"what is reached is proved", said("g", "assertion", "proved", "", 9), ""},
		{"a violated clause is proved", only("proved"), "FALSE GREEN"},
		{"a violated clause is bounded", only("bounded"), ""},
		{"a violated clause is not listed", nil, "FALSE GREEN"},
	} {
		wrong, _, _ := c.Compare(c2.said, map[string]string{"f": "proved"})
		if got := strings.Join(wrong, "; "); c2.want == "" && got != "" || !strings.Contains(got, c2.want) {
			t.Errorf("%s: %q", c2.what, got)
		}
	}
}
