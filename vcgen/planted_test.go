package vcgen

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// plant is a contradiction: statements that exclude every execution together, though not without any one of them. %s
// is a suffix that makes names unique.
type plant struct {
	declare string // before main
	begin   string // declarations at the start of main
	lines   []string
	ends    string // closes the blocks that lines open
}

var plants = []plant{
	{begin: "int a%s = nd_int();", lines: []string{"assume(a%s > 10);", "assume(a%s < 5);"}},
	{begin: "int a%[1]s = nd_int(), b%[1]s = nd_int(), c%[1]s = nd_int();",
		lines: []string{"assume(a%[1]s < b%[1]s);", "assume(b%[1]s < c%[1]s);", "assume(c%[1]s < a%[1]s);"}},
	{begin: "unsigned lo%[1]s = nd_uint32_t(), hi%[1]s = nd_uint32_t();",
		lines: []string{"assume(lo%[1]s <= hi%[1]s && hi%[1]s < 100);", "assume(lo%[1]s > 200);"}},
	{begin: "unsigned char a%[1]s = nd_uint8_t();",
		lines: []string{"assume(a%[1]s %% 2 == 0);", "assume(a%[1]s > 6);", "assume(a%[1]s < 10);", "assume(a%[1]s != 8);"}},
	{declare: "struct s%[1]s { int n; int *p; };",
		begin: "int x%[1]s = nd_int(); struct s%[1]s v%[1]s = {x%[1]s, &x%[1]s};",
		lines: []string{"assume(v%[1]s.n > 3);", "assume(*v%[1]s.p < 2);"}},
	{begin: "int k%[1]s[3]; for (int i = 0; i < 3; i++) k%[1]s[i] = nd_int();",
		lines: []string{"assume(k%[1]s[0] == 1);", "assume(k%[1]s[2] == k%[1]s[0]);", "assume(k%[1]s[2] != 1);"}},
	{declare: "static _Bool big%[1]s(int x) { return x > 1000; }", begin: "int a%[1]s = nd_int();",
		lines: []string{"assume(big%[1]s(a%[1]s));", "assume(a%[1]s < 0);"}},
	{begin: "int a%[1]s = nd_int();", lines: []string{"if (a%[1]s > 7) {", "assume(a%[1]s < 3);"}, ends: "}"},
	{begin: "int a%[1]s = nd_int(), b%[1]s = nd_int();",
		lines: []string{"assume(a%[1]s == b%[1]s);", "if (a%[1]s > 0) {", "if (b%[1]s < 0) {"}, ends: "}}"},
	{begin: "unsigned n%[1]s = nd_uint32_t(), t%[1]s = 0; for (unsigned i = 0; i < 4; i++) t%[1]s += n%[1]s & 3;",
		lines: []string{"assume((n%[1]s & 3) == 2);", "assume(t%[1]s != 8);"}},
}

// noises are statements outside of any contradiction; each is consistent with all others.
var noises = []string{"assume(z[%d] > 3);", "assume(z[%d] < 1000);", "assume(z[%d] != 77);", "assume(z[%d] %% 3 == 1);",
	"if (z[%d] > 50) note++;", "assume(z[%d] > 5 || note < 9);"}

// TestPlantedContradictions checks programs with contradictions among other assumptions: the cores are exactly the
// contradictions.
func TestPlantedContradictions(t *testing.T) {
	for seed := range sampletest.Seeds(t, 50) {
		r := rand.New(rand.NewSource(seed))
		what := plants[int(seed)%len(plants)]
		name := fmt.Sprint("_", r.Intn(100))
		fill := func(s string) string {
			if !strings.Contains(s, "%") {
				return s
			}
			return fmt.Sprintf(s, name)
		}
		lines := []string{"void assume(_Bool c); void sassert(_Bool c); int nd_int(void);",
			"unsigned char nd_uint8_t(void); unsigned nd_uint32_t(void); int note;", fill(what.declare),
			"int main(void) {", "int z[9]; for (int i = 0; i < 9; i++) z[i] = nd_int();", fill(what.begin)}
		var planted []int
		cell := 0
		noise := func() {
			for range r.Intn(3) {
				if cell < 9 {
					lines = append(lines, fmt.Sprintf(noises[r.Intn(len(noises))], cell))
					cell++
				}
			}
		}
		for _, l := range what.lines {
			noise()
			lines = append(lines, fill(l))
			planted = append(planted, len(lines))
		}
		noise()
		lines = append(lines, "sassert(note >= 0);", what.ends, "return 0;", "}")
		source := strings.Join(lines, "\n")
		at := slices.Index(lines, "sassert(note >= 0);") + 1
		m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{
			Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }},
			Vacuity:   VacuityAll}
		report, err := Verify(context.Background(), m, "main", opts, realSolver)
		if err != nil {
			t.Fatal(err)
		}
		reported := false
		for i := range report.Instances {
			in := &report.Instances[i]
			if in.Pos.Line != at || in.Kind != found.Assertion {
				continue
			}
			reported = true
			var core []int
			for _, e := range in.Core {
				core = append(core, e.Pos.Line)
			}
			slices.Sort(core)
			if !slices.Equal(core, planted) {
				t.Errorf("seed %d: the core is lines %v, planted were %v\n%s", seed, core, planted, source)
			}
		}
		if !reported {
			t.Errorf("seed %d: nothing is said of line %d\n%s", seed, at, source)
		}
	}
}
