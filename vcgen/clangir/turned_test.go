package clangir

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestTurned checks, for the condition in each line, whether clang inverted the branch.
func TestTurned(t *testing.T) {
	source := `#define NOT(x) !(x)
int f(int x, int y) {
	if (x) y++;
	if (!x) y += 2;
	if (x > 3 && !y) y += 3; else y--;
	if (!x || y) y += 4;
	while (!x) x++;
	for (int i = 0; !(i > 3); i++) y++;
	do y++; while (!(y > 9));
	y = !x ? 1 : y;
	if (NOT(y)) return 3;
	return y;
}
`
	want := map[int]string{3: "-", 4: "!", 5: "-!", 6: "!-", 7: "-", 8: "-", 9: "-", 10: "!", 11: "!"}
	m, err := Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]string{}
	f := m.FuncByName["f"]
	for _, b := range f.Blocks {
		in := b.Term()
		if in.Op != llvmir.OpCondBr || in.NoSanitize {
			continue
		}
		switch turned, known := Turned(f, in); {
		case !known:
			got[in.Loc.Line] += "?"
		case turned:
			got[in.Loc.Line] += "!"
		default:
			got[in.Loc.Line] += "-"
		}
	}
	for line, is := range want {
		if got[line] != is {
			t.Errorf("line %d: %q, want %q", line, got[line], is)
		}
	}
}
