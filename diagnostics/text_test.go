package diagnostics

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for name, opts := range map[string]TextOptions{
		"text.golden":         {ElapsedMS: 1234},
		"text-quiet.golden":   {Quiet: true},
		"text-verbose.golden": {Verbose: true, Stats: true},
		"text-color.golden":   {Color: true, Quiet: true},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Sources = testSources
			var b bytes.Buffer
			doc := document(t)
			if opts.Verbose { // -v shows whole traces
				complete := meta()
				complete.WholeTrace = true
				doc.Proofs[0] = Group(failingReport(t), testSources, complete)
			}
			if err := writeText(&b, doc, opts); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
			for _, line := range strings.Split(b.String(), "\n") {
				if strings.TrimRight(line, " ") != line {
					t.Errorf("trailing space: %q", line)
				}
			}
		})
	}
}

// writeText writes a document like the command line does.
func writeText(w io.Writer, doc Document, opts TextOptions) error {
	t := NewTextWriter(w, opts)
	for i := range doc.Proofs {
		t.Proof(&doc.Proofs[i])
	}
	t.Total(doc.Proofs)
	return nil
}
