package found

import (
	"slices"
	"testing"
)

// TestKindsAreDescribed checks that each entry is complete, including whether a native run can show a violation.
func TestKindsAreDescribed(t *testing.T) {
	for i, k := range Kinds() {
		info := k.Info()
		if info.Kind != k || k.Order() != i || !k.Known() {
			t.Errorf("%s is not where it stands in the table", k)
		}
		if info.Title == "" || info.Holds == "" || info.Fails == "" || info.Help == "" {
			t.Errorf("%s is not described: %+v", k, info)
		}
		if (info.Native == "") == (info.NotNative == "") {
			t.Errorf("%s: shown by %q, not shown since %q", k, info.Native, info.NotNative)
		}
	}
	if k := Kind("melting"); k.Known() || k.Order() != len(Kinds()) || k.Info().Title != "melting" {
		t.Errorf("an unknown kind: %v, %d, %+v", k.Known(), k.Order(), k.Info())
	}
}

// TestDefaultChecks checks which kinds are off by default (contract, section 3).
func TestDefaultChecks(t *testing.T) {
	var off []Kind
	on := DefaultChecks()
	for _, k := range Kinds() {
		if !on[k] {
			off = append(off, k)
		}
	}
	want := []Kind{MemoryLeak, UninitializedRead, Misaligned, UnsignedOverflow, ShiftOverflow}
	if !slices.Equal(off, want) || len(on) != len(Kinds()) {
		t.Errorf("off are %v, want %v", off, want)
	}
}

func TestOrderOfVerdicts(t *testing.T) {
	worstFirst := []Verdict{Error, Failed, Unknown, Bounded, Vacuous, Proved, Unreached}
	if !slices.Equal(Verdicts(), worstFirst) {
		t.Errorf("Verdicts lists %v", Verdicts())
	}
	for i, a := range worstFirst {
		for j, b := range worstFirst {
			if want := worstFirst[min(i, j)]; Worst(a, b) != want {
				t.Errorf("Worst(%s, %s) = %s", a, b, Worst(a, b))
			}
		}
	}
	if Verdict("").Rank() != Unknown.Rank() || Worst("no verdict", Proved) == Proved {
		t.Error("what is no verdict passes for a proof")
	}
}

// Each weakness of a kind has a name, and each name belongs to a kind.
func TestWeaknesses(t *testing.T) {
	used := map[CWE]bool{}
	for _, k := range Kinds() {
		for _, c := range k.Info().CWE {
			used[c] = true
			if c.Name() == "" {
				t.Errorf("%s: %s has no name", k, c)
			}
		}
	}
	for _, c := range CWEs() {
		if !used[c] {
			t.Errorf("no kind is %s", c)
		}
	}
	if got := OutOfBoundsRead.CWE(); !slices.Equal(got, []string{"CWE-125"}) {
		t.Errorf("an out-of-bounds read is %v", got)
	}
	if got := Kind("melting").CWE(); got != nil {
		t.Errorf("an unknown kind is %v", got)
	}
}
