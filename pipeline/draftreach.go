package pipeline

import (
	"bytes"
	"context"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/vcgen/found"
)

// unreached returns the lines of the function under proof that no execution of a proved proof reaches: its inputs are
// too narrow, as with a union that is always zero. It returns none if the budget has no room for the check.
func (t *trial) unreached(ctx context.Context, proved *diagnostics.Proof) ([]int, error) {
	if proved.Verdict != found.Proved || !t.affords(proved) {
		return nil, nil
	}
	text := t.request.Text
	f, ok := csource.NewSource(text).Function(t.request.Function)
	if !ok {
		return nil, nil
	}
	t.coverage = true
	_, err := t.check(ctx, t.budget.limit())
	t.coverage = false
	if err != nil {
		return nil, err
	}
	first := 1 + bytes.Count(text[:f.Body], []byte("\n"))
	last := first + bytes.Count(text[f.Body:f.End], []byte("\n"))
	var lines []int
	for line := first; line <= last; line++ {
		if t.covered[t.request.File][line] == found.NeverTaken {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
