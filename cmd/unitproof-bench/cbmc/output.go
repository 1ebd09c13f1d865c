package cbmc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// Output is what a run of cbmc said.
type Output struct {
	Program string // "CBMC version 6.3.1 (cbmc-6.3.1) 64-bit x86_64 linux"
	// Verdict is in our words: proved, bounded (only loops that need more iterations fail), failed, or "" when cbmc came
	// to none.
	Verdict string
	Failed  []Property
	Holding int // number of properties that hold
	// functions without a body that are called: each fails as a property from 6.0 on, and is an assumption here
	NoBody []string
	Errors []string // messages that are no warnings, with their places
}

// Property is one that cbmc decided.
type Property struct {
	ID          string // "main.assertion.1"
	Line        int    // 0 where cbmc names none
	Description string // "assertion x < 3"
}

func (p Property) String() string {
	if p.Line == 0 {
		return p.ID + ": " + p.Description
	}
	return fmt.Sprintf("%s: line %d: %s", p.ID, p.Line, p.Description)
}

// property is the line of one property, as output_single_property_plain of goto-checker/report_util.cpp writes it.
var property = lazyregexp.New(`^\[(\S+)\] (?:file .*? )?(?:line (\d+) )?(.*): (SUCCESS|FAILURE|UNKNOWN|UNREACHABLE|ERROR|NOT CHECKED)$`)

// count is the line that tells how many properties there were.
var count = lazyregexp.New(`^\*\* (\d+) of (\d+) failed`)

// Parse reads the text that cbmc prints: the structured formats (--json-ui, --xml-ui) make it build a trace of every
// failure, which nobody asked for. UNKNOWN is what lies behind a violation after which CBMC lets nothing go on (fatal
// assertions, from 6.0 on). What was cut off, by a time limit or a crash, and what does not add up has no verdict.
func Parse(stdout, stderr []byte) *Output {
	out := &Output{}
	status, properties, failed, told := "", 0, 0, [2]string{"0", "0"}
	onlyLoops, begun := true, "" // begun: a property whose status has not been read
	for line := range strings.Lines(string(stdout)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "CBMC version ") && out.Program == "":
			out.Program = line
		case strings.HasPrefix(line, "VERIFICATION "):
			status = line
		}
		if m := count.FindStringSubmatch(line); m != nil {
			told = [2]string{m[1], m[2]}
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
			n, _ := strconv.Atoi(m[2]) // digits, or none
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
	if told != [2]string{strconv.Itoa(failed), strconv.Itoa(properties)} {
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

// isLoop tells the properties of loops and recursions that were cut off: "f.unwind.0", "f.recursion".
func isLoop(property string) bool {
	return strings.Contains(property, ".unwind.") || strings.HasSuffix(property, ".recursion")
}
