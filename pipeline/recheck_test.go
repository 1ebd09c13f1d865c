package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/ask"
)

// recheck verifies all answers of a store.
func recheck(t *testing.T, dir string, o RecheckOptions) (RecheckSummary, []ask.Recheck) {
	t.Helper()
	var wrong []ask.Recheck
	o.Dir = dir
	if o.Share == 0 {
		o.Share = 1
	}
	sum, err := RecheckCache(context.Background(), o, func(r ask.Recheck) { wrong = append(wrong, r) })
	if err != nil {
		t.Fatal(err)
	}
	return sum, wrong
}

func TestRecheckCache(t *testing.T) {
	c := newCacheTest(t)
	c.check(twoParts)
	c.check(strings.Replace(twoParts, "21", "22", 1))
	sum, wrong := recheck(t, c.settings.CacheDir, RecheckOptions{})
	if sum.Wrong != 0 || sum.Undecided != 0 || sum.Asked != sum.Kept || sum.Asked < 8 || sum.Foreign != 0 {
		t.Errorf("%+v %+v", sum, wrong)
	}
	if half, _ := recheck(t, c.settings.CacheDir, RecheckOptions{Share: 0.5, Seed: 3}); half.Asked == 0 ||
		half.Asked >= sum.Asked || half.Wrong != 0 {
		t.Errorf("a share: %+v", half)
	}
	if few, _ := recheck(t, c.settings.CacheDir, RecheckOptions{Number: 2}); few.Asked != 2 {
		t.Errorf("a number: %+v", few)
	}
	if other, wrong := recheck(t, c.settings.CacheDir, RecheckOptions{Solver: "z3"}); other.Wrong != 0 ||
		other.Asked != sum.Asked {
		t.Errorf("another solver: %+v %+v", other, wrong)
	}
}
