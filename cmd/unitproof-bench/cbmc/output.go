package cbmc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// Output is the parsed output of cbmc.
type Output struct {
	Program string // "CBMC version 6.3.1 (cbmc-6.3.1) 64-bit x86_64 linux"
	// Verdict is proved, bounded (only loops that need more iterations fail), failed, or "" if cbmc came to no
	// verdict.
	Verdict string
	Failed  []Property
	Holding int // number of properties that hold
	// Called functions without a body: each is a failed property from 6.0 on, and an assumption in unitproof.
	NoBody []string
	Errors []string // messages other than warnings, with their places
}

// Property is a decided property.
type Property struct {
	ID          string // "main.assertion.1"
	Line        int    // 0 if there is none
	Description string // "assertion x < 3"
}

func (p Property) String() string {
	if p.Line == 0 {
		return p.ID + ": " + p.Description
	}
	return fmt.Sprintf("%s: line %d: %s", p.ID, p.Line, p.Description)
}

// property matches the line of one property, as output_single_property_plain of goto-checker/report_util.cpp writes
// it.
var property = lazyregexp.New(
	`^\[(\S+)\] (?:file .*? )?(?:line (\d+) )?(.*): (SUCCESS|FAILURE|UNKNOWN|UNREACHABLE|ERROR|NOT CHECKED)$`)

// count matches the line with the number of properties.
var count = lazyregexp.New(`^\*\* (\d+) of (\d+) failed`)

// Parse parses the text output of cbmc. The structured formats (--json-ui, --xml-ui) are not used, as with them cbmc
// builds a trace of every failure. UNKNOWN is the status of properties behind a violation that ends all executions
// (fatal assertions, from 6.0 on). Truncated output (a time limit or a crash) and inconsistent output have no
// verdict.
func Parse(stdout, stderr []byte) *Output {
	out := &Output{}
	status, properties, failed, counts := "", 0, 0, [2]string{"0", "0"}
	onlyLoops, begun := true, "" // begun is a property whose status has not been read
	for line := range strings.Lines(string(stdout)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "CBMC version ") && out.Program == "":
			out.Program = line
		case strings.HasPrefix(line, "VERIFICATION "):
			status = line
		}
		if m := count.FindStringSubmatch(line); m != nil {
			counts = [2]string{m[1], m[2]}
		}
		switch { // an initialiser in a description is broken into several lines
		case strings.HasPrefix(line, "["):
			begun = line
		case line == "":
			begun = ""
		case begun != "":
			begun += " " + strings.TrimSpace(line)
		}
		m := property.FindStringSubmatch(begun)
		if m == nil {
			continue
		}
		begun = ""
		properties++
		switch m[4] {
		case "SUCCESS", "UNREACHABLE":
			out.Holding++
		case "FAILURE":
			failed++
			if _, callee, ok := strings.Cut(m[1], ".no-body."); ok {
				out.NoBody = append(out.NoBody, callee)
				continue
			}
			n, _ := strconv.Atoi(m[2]) // digits, or empty
			out.Failed = append(out.Failed, Property{m[1], n, m[3]})
			onlyLoops = onlyLoops && isLoop(m[1])
		}
	}
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.Contains(line, "WARNING") && !strings.Contains(line, "warning: ") {
			out.Errors = append(out.Errors, line)
		}
	}
	if counts != [2]string{strconv.Itoa(failed), strconv.Itoa(properties)} {
		return out
	}
	decided := out.Holding+failed == properties
	switch {
	case status == "VERIFICATION SUCCESSFUL" && failed == 0 && decided, status == "VERIFICATION FAILED" && failed > 0 &&
		len(out.Failed) == 0 && decided:
		out.Verdict = "proved"
	case status == "VERIFICATION FAILED" && len(out.Failed) > 0 && onlyLoops:
		out.Verdict = "bounded"
	case status == "VERIFICATION FAILED" && len(out.Failed) > 0:
		out.Verdict = "failed"
	}
	return out
}

// isLoop reports whether a property is about a cut loop or recursion: "f.unwind.0", "f.recursion".
func isLoop(property string) bool {
	return strings.Contains(property, ".unwind.") || strings.HasSuffix(property, ".recursion")
}
