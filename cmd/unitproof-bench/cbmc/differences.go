package cbmc

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed differences.txt
var differences string

// difference is an analysed difference between verdicts.
type difference struct{ proof, ours, theirs, why string }

// Explain returns the explanation of different verdicts for a proof, "" if the difference was not analysed.
func Explain(proof, ours, theirs string) string {
	for _, d := range known() {
		if d.proof == proof && d.ours == ours && d.theirs == theirs {
			return d.why
		}
	}
	return ""
}

// known parses the list. An invalid line is a defect of the program, which a test detects.
func known() []difference {
	var out []difference
	for line := range strings.Lines(differences) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, why, ok := strings.Cut(line, ": ")
		fields := strings.Fields(head)
		if !ok || len(fields) != 3 || why == "" {
			panic(fmt.Sprintf("differences.txt: %q is not PROOF OURS THEIRS: WHY", line))
		}
		out = append(out, difference{fields[0], fields[1], fields[2], why})
	}
	return out
}
