package diagnostics

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/vcgen"
)

// WriteLCOV writes the coverage of several proofs as one lcov trace file: a line counts as hit
// when some execution of some proof reaches it. Paths are relative to root where they lie below
// it. Reports without coverage add nothing. A way of a branch counts as taken when it is in some of branches, which are
// those of all proofs.
func WriteLCOV(w io.Writer, root paths.Root, branches []Branch, reports ...*vcgen.Report) error {
	files := map[string]map[int]bool{}
	for _, r := range reports {
		if r == nil {
			continue
		}
		for file, lines := range r.Covered {
			name := strings.Map(dropLineEnds, root.Show(file))
			if files[name] == nil {
				files[name] = map[int]bool{}
			}
			for line, hit := range lines {
				if line > 0 {
					files[name][line] = files[name][line] || hit
				}
			}
		}
	}
	ways := UniteBranches(branches)
	for name := range ways {
		if files[name] == nil {
			files[name] = map[int]bool{}
		}
	}
	out := bufio.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines, hits := files[name], 0
		fmt.Fprintf(out, "TN:\nSF:%s\n", name)
		for _, line := range slices.Sorted(maps.Keys(lines)) {
			hit := 0
			if lines[line] {
				hit = 1
			}
			hits += hit
			fmt.Fprintf(out, "DA:%d,%d\n", line, hit)
		}
		ways[name].write(out)
		fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", len(lines), hits)
	}
	return out.Flush()
}

// LineBranches are the branches of a file by line, each with its ways united over proofs.
type LineBranches map[int][]Branch

// UniteBranches unites the branches of several proofs, by file: a way that one of them takes is taken, a way that none
// ever takes is never taken.
func UniteBranches(branches []Branch) map[string]LineBranches {
	out := map[string]LineBranches{}
	for _, b := range branches {
		name := strings.Map(dropLineEnds, b.File)
		if out[name] == nil {
			out[name] = LineBranches{}
		}
		list := out[name][b.Line]
		k := slices.IndexFunc(list, func(o Branch) bool {
			return o.Column == b.Column && o.Function == b.Function && o.Nth == b.Nth && len(o.Ways) == len(b.Ways)
		})
		if k < 0 {
			b.Ways = slices.Clone(b.Ways)
			out[name][b.Line] = append(list, b)
			continue
		}
		list[k].Entered = list[k].Entered || b.Entered
		for i, w := range b.Ways {
			if had := &list[k].Ways[i].Taken; w.Taken == vcgen.TakenBy || *had == vcgen.NeverTaken {
				*had = w.Taken
			}
		}
	}
	return out
}

// write writes the records of a file: a branch that nothing gets to has "-".
func (l LineBranches) write(out io.Writer) {
	found, hit := 0, 0
	for _, line := range slices.Sorted(maps.Keys(l)) {
		slices.SortStableFunc(l[line], func(a, b Branch) int { return cmp.Or(a.Column-b.Column, a.Nth-b.Nth) })
		for block, b := range l[line] {
			evaluated := slices.ContainsFunc(b.Ways, func(w BranchWay) bool { return w.Taken == vcgen.TakenBy })
			for i, w := range b.Ways {
				taken := "-"
				if found++; w.Taken == vcgen.TakenBy {
					taken = "1"
					hit++
				} else if evaluated {
					taken = "0"
				}
				fmt.Fprintf(out, "BRDA:%d,%d,%d,%s\n", line, block, i, taken)
			}
		}
	}
	if found > 0 {
		fmt.Fprintf(out, "BRF:%d\nBRH:%d\n", found, hit)
	}
}

// dropLineEnds keeps a strange file name from forging records.
func dropLineEnds(r rune) rune {
	if r == '\n' || r == '\r' {
		return -1
	}
	return r
}
