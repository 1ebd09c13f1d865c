package pipeline

import (
	"reflect"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestLinesAreInPlaces checks that all lines in a report are in places.
func TestLinesAreInPlaces(t *testing.T) {
	seen, places := map[reflect.Type]bool{}, 0
	var look func(of string, x reflect.Type)
	look = func(of string, x reflect.Type) {
		if x == posType {
			places++
			return
		}
		if seen[x] {
			return
		}
		seen[x] = true
		switch x.Kind() {
		case reflect.Pointer, reflect.Slice:
			look(of, x.Elem())
		case reflect.Map:
			if x != countType && of != "Report.Covered" && !strings.HasPrefix(of, "Explanation.") {
				t.Errorf("%s: a map, of which carryLines knows nothing", of)
			}
		case reflect.Struct:
			for i := range x.NumField() {
				f := x.Field(i)
				if !f.IsExported() || f.Name == "Explained" || f.Name == "Covered" {
					continue // these are not translated
				}
				name := x.Name() + "." + f.Name
				if strings.Contains(strings.ToLower(f.Name), "line") {
					t.Errorf("%s: a line that is in no place", name)
				}
				look(name, f.Type)
			}
		case reflect.Interface, reflect.Array, reflect.Func, reflect.Chan:
			t.Errorf("%s: a %s, of which carryLines knows nothing", of, x.Kind())
		}
	}
	look("Report", reflect.TypeFor[vcgen.Report]())
	if places < 10 {
		t.Errorf("%d places were met", places)
	}
}

func TestCarryLines(t *testing.T) {
	from, to := map[string][]int{"/d/f.c": {3, 5}}, map[string][]int{"/d/f.c": {3, 9}}
	report := func() *vcgen.Report {
		at := found.Pos{File: "/d/f.c", Line: 5}
		return &vcgen.Report{Assumed: []found.Pos{at}, Instances: []vcgen.Instance{{Pos: at, Stack: []found.Pos{at},
			Reason:         found.Reason{Cause: &found.Reason{At: at}},
			Counterexample: &found.Counterexample{Inputs: []found.Input{{Pos: at}}, Run: found.Run{At: at}}}},
			Stats: vcgen.Stats{Rules: map[string]int64{"x": 1}, Unrolled: []vcgen.Unrolling{{At: at}}}}
	}
	r := report()
	if !carriesLines(r, from) || !carryLines(r, from, to) {
		t.Fatal("it is not carried")
	}
	in := r.Instances[0]
	for i, p := range []found.Pos{r.Assumed[0], in.Pos, in.Stack[0], in.Reason.Cause.At, in.Counterexample.Inputs[0].Pos,
		in.Counterexample.Run.At, r.Stats.Unrolled[0].At} {
		if p.Line != 9 {
			t.Errorf("place %d is in line %d", i, p.Line)
		}
	}
	for what, change := range map[string]func(*vcgen.Report){
		"a line in words":                     func(r *vcgen.Report) { r.Instances[0].Says = "made at f.c:5" },
		"a line that the program has not":     func(r *vcgen.Report) { r.Assumed[0].Line = 4 },
		"a file that the program has not":     func(r *vcgen.Report) { r.Assumed[0].File = "/d/g.c" },
		"lines that are covered":              func(r *vcgen.Report) { r.Covered = found.Coverage{} },
		"what the verdict is said to rest on": func(r *vcgen.Report) { r.Explained = &vcgen.Explanation{} },
	} {
		r := report()
		change(r)
		if carriesLines(r, from) || carryLines(r, from, to) {
			t.Errorf("%s: carried", what)
		}
	}
	for _, other := range []map[string][]int{{"/d/f.c": {3}}, {"/d/g.c": {3, 9}}} {
		if carryLines(report(), from, other) {
			t.Errorf("carried to a program of another shape, %v", other)
		}
	}
}
