package diagnostics

import (
	"bufio"
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
// it. Reports without coverage add nothing.
func WriteLCOV(w io.Writer, root paths.Root, reports ...*vcgen.Report) error {
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
		fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", len(lines), hits)
	}
	return out.Flush()
}

// dropLineEnds keeps a strange file name from forging records.
func dropLineEnds(r rune) rune {
	if r == '\n' || r == '\r' {
		return -1
	}
	return r
}
