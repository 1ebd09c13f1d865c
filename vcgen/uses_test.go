package vcgen

import (
	"fmt"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestContradictions checks that everything behind an unsatisfiable contract is unknown, unless the contract need not
// be satisfied, or no execution reaches it.
func TestContradictions(t *testing.T) {
	use := func(mode int, guard, words string) string {
		return fmt.Sprintf(`entry:
%%x = call zeroext i8 @nd_uint8_t() @2
%%few = icmp ult i8 %%x, 9
call void @assume(i1 %%few) @3
%%before = icmp ult i8 %%x, 10
call void @sassert(i1 %%before) @4
%%way = icmp %s
br i1 %%way, label %%used, label %%on
used:
call void @__unitproof_assuming(i32 %d)
%%says = icmp %s
call void @__unitproof_assume(i1 %%says)
call void @__unitproof_assuming(i32 0)
br label %%on
on:
%%behind = icmp ult i8 %%x, 10
call void @sassert(i1 %%behind) @7
ret i32 0 @9
`, guard, mode, words)
	}
	for name, test := range map[string]struct {
		mode         int
		guard, words string
		want         found.Verdict
		why          found.Why
	}{
		"holds":                {1, "ugt i8 %x, 4", "ugt i8 %x, 7", found.Proved, ""},
		"contradicts":          {1, "ugt i8 %x, 4", "ult i8 %x, 3", found.Unknown, found.Contradiction},
		"is false":             {1, "ugt i8 %x, 4", "ne i8 %x, %x", found.Unknown, found.Contradiction},
		"loop contradicts":     {3, "ugt i8 %x, 4", "ult i8 %x, 3", found.Unknown, found.NoState},
		"need not hold":        {2, "ugt i8 %x, 4", "ult i8 %x, 3", found.Proved, ""},
		"where nobody gets to": {1, "ugt i8 %x, 9", "ult i8 %x, 3", found.Proved, ""},
	} {
		t.Run(name, func(t *testing.T) {
			at, r, _ := verify(t, use(test.mode, test.guard, test.words), Options{}, nil)
			expect(t, at, map[int]found.Verdict{4: found.Proved, 7: test.want})
			if why := at[7].Reason; why.Why != test.why {
				t.Errorf("line 7: %+v", why)
			}
			if r.Reason.Why != test.why {
				t.Errorf("the proof: %+v", r.Reason)
			}
		})
	}
}
