package scaling

import (
	"strings"
	"testing"
)

func TestSeries(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All {
		if seen[s.Name] || s.Title == "" || s.Program == "" || len(s.Sizes) < 5 {
			t.Errorf("series %+v", s)
		}
		seen[s.Name] = true
		if files := s.Files(s.Sizes[0]); len(files) == 0 {
			t.Errorf("%s has no program", s.Name)
		}
	}
	size := func(n int) string { return programSize(n) }
	if lines := strings.Count(size(5000), "\n"); lines < 4950 || lines > 5050 {
		t.Errorf("a program of 5000 lines has %d", lines)
	}
	if n := strings.Count(size(5000), "sassert("); n != 1000 {
		t.Errorf("it has %d assertions", n)
	}
	if n := strings.Count(size(5000), "static unsigned f"); n != 200 {
		t.Errorf("it has %d functions", n)
	}
	if n := strings.Count(straightWrites(100, true), "\n  a["); n != 101 {
		t.Errorf("100 writes and one are %d", n)
	}
}
