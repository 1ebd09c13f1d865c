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
	"github.com/unitproof/unitproof/vcgen/found"
)

// WriteLCOV writes the united coverage of several proofs as one lcov trace file.
//
//   - A line is hit if some execution of some proof reaches it, and missed if no execution of any proof does.
//   - A way of a branch is taken if it is taken in some element of branches, which has the branches of all proofs.
//   - A line or way without a known answer is left out.
//
// Paths are relative to root if they lie below it. Reports without coverage are ignored.
func WriteLCOV(w io.Writer, root paths.Root, branches []Branch, reports ...*vcgen.Report) error {
	files := found.Coverage{}
	for _, r := range reports {
		if r != nil {
			files = files.Unite(r.Covered.Renamed(func(file string) string {
				return strings.Map(dropLineEnds, root.Show(file))
			}))
		}
	}
	byLine := UniteBranches(branches)
	for name := range byLine {
		if files[name] == nil {
			files[name] = map[int]found.Taken{}
		}
	}
	out := bufio.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines, known, hits := files[name], 0, 0
		fmt.Fprintf(out, "TN:\nSF:%s\n", name)
		for _, line := range slices.Sorted(maps.Keys(lines)) {
			if line <= 0 || lines[line] == found.MaybeTaken {
				continue
			}
			hit := 0
			if lines[line] == found.TakenBy {
				hit = 1
			}
			known++
			hits += hit
			fmt.Fprintf(out, "DA:%d,%d\n", line, hit)
		}
		byLine[name].write(out)
		fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", known, hits)
	}
	return out.Flush()
}

// LineBranches has the branches of a file by line, with ways united over the proofs.
type LineBranches map[int][]Branch

// UniteBranches unites the branches of several proofs by file: a way is taken if one proof takes it, and never taken
// if all proofs report it so.
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
			if had := &list[k].Ways[i].Taken; w.Taken == found.TakenBy || *had == found.NeverTaken {
				*had = w.Taken
			}
		}
	}
	return out
}

// write writes the records of a file. The count of a branch that is never evaluated is "-".
func (l LineBranches) write(out io.Writer) {
	all, hit := 0, 0
	for _, line := range slices.Sorted(maps.Keys(l)) {
		slices.SortStableFunc(l[line], func(a, b Branch) int { return cmp.Or(a.Column-b.Column, a.Nth-b.Nth) })
		for block, b := range l[line] {
			evaluated := slices.ContainsFunc(b.Ways, func(w BranchWay) bool { return w.Taken == found.TakenBy })
			for i, w := range b.Ways {
				if w.Taken == found.MaybeTaken {
					continue
				}
				taken := "-"
				if all++; w.Taken == found.TakenBy {
					taken = "1"
					hit++
				} else if evaluated {
					taken = "0"
				}
				fmt.Fprintf(out, "BRDA:%d,%d,%d,%s\n", line, block, i, taken)
			}
		}
	}
	if all > 0 {
		fmt.Fprintf(out, "BRF:%d\nBRH:%d\n", all, hit)
	}
}

// dropLineEnds removes line ends, so that a strange file name cannot forge records.
func dropLineEnds(r rune) rune {
	if r == '\n' || r == '\r' {
		return -1
	}
	return r
}
