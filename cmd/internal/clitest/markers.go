package clitest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Expectation has the expected results of a test program (contract, section 8).
type Expectation struct {
	Verdict     found.Verdict // of the file; the worst of several entries
	Flags       []string      // further flags for check, split like in a shell
	Obligations int           // the least number of listed findings
	Wants       []Want        // in the order of the file
	// Targets are the machines that the program is checked for, each on its own; nil: the host.
	Targets []string
}

// Want is a marker "// want VERDICT KIND": exactly one such finding on its line.
//
// "// want VERDICT KIND on TARGET..." holds for some of the machines of the program only.
type Want struct {
	Line    int // from 1
	Verdict found.Verdict
	Kind    found.Kind
	On      string // the machines, separated by spaces; "": all
}

// On returns the expectations for one machine. The verdict is the worst that is wanted, or proved.
func (e Expectation) On(target string) Expectation {
	out := Expectation{Verdict: found.Proved, Flags: slices.Concat(e.Flags, []string{"--target", target}),
		Obligations: e.Obligations}
	for _, w := range e.Wants {
		if w.On != "" && !slices.Contains(strings.Fields(w.On), target) {
			continue
		}
		w.On = ""
		out.Wants = append(out.Wants, w)
		if w.Verdict == found.Failed || w.Verdict == found.Unknown && out.Verdict != found.Failed {
			out.Verdict = w.Verdict
		}
	}
	return out
}

// ParseMarkers reads the expectations of a test program. A program without a verdict, or with an invalid marker, is
// rejected with [project.Problems]: a test without expectations must not pass.
func ParseMarkers(file string, text []byte) (Expectation, error) {
	m := markers{file: file}
	m.read(text)
	if len(m.problems) > 0 {
		// Problems without a line, such as a missing marker, come first.
		slices.SortStableFunc(m.problems, func(a, b project.Problem) int { return a.Line - b.Line })
		return Expectation{}, project.Problems(m.problems)
	}
	return m.result, nil
}

type markers struct {
	file     string
	result   Expectation
	problems []project.Problem
}

func (m *markers) report(line int, key, format string, args ...any) {
	m.problems = append(m.problems, project.Problem{File: m.file, Line: line, Key: key,
		Message: fmt.Sprintf(format, args...)})
}

func (m *markers) read(text []byte) {
	first := true // the header has not been read
	given := map[string]int{}
	line, counted := 1, 0
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Scan()
		if t.Kind == csource.End {
			break
		}
		line += bytes.Count(text[counted:t.Start], []byte("\n"))
		counted = t.Start
		if t.Kind != csource.Comment {
			continue
		}
		comment := string(text[t.Start:t.End])
		if first {
			// A header of several // lines is one comment.
			if strings.HasPrefix(comment, "//") {
				for end := t.End; ; {
					rest := bytes.TrimLeft(text[end:], " \t\r\n")
					if bytes.Count(text[end:len(text)-len(rest)], []byte("\n")) != 1 || !bytes.HasPrefix(rest, []byte("//")) {
						break
					}
					start := len(text) - len(rest)
					stop := bytes.IndexByte(rest, '\n')
					if stop < 0 {
						stop = len(rest)
					}
					end = start + stop
					comment = string(text[t.Start:end])
				}
			}
			first = false
			for i, l := range strings.Split(comment, "\n") {
				m.header(line+i, l, given)
			}
			if _, isWant := wantOf(string(text[t.Start:t.End])); !isWant {
				continue
			}
		}
		if want, is := wantOf(string(text[t.Start:t.End])); is {
			m.want(line, want, atLineEnd(text, t.End))
		}
	}
	if given["verdict"] == 0 {
		m.report(0, "verdict", "the first comment states no verdict")
	}
}

// header parses one line of the first comment.
func (m *markers) header(line int, text string, given map[string]int) {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "*/"))
	text = strings.TrimSpace(strings.TrimLeft(text, "/*"))
	key, value, ok := strings.Cut(text, ":")
	if !ok || key != "verdict" && key != "flags" && key != "obligations" && key != "targets" {
		return
	}
	value = strings.TrimSpace(value)
	if before := given[key]; before > 0 {
		m.report(line, key, "stated before, on line %d", before)
		return
	}
	given[key] = line
	var err error
	switch key {
	case "verdict":
		m.result.Verdict, err = oneOf(value, found.Proved, found.Failed, found.Unknown, found.Bounded, found.Vacuous,
			found.Error)
	case "flags":
		m.result.Flags, err = project.SplitShell(value)
	case "targets":
		m.result.Targets = strings.Fields(value)
	case "obligations":
		if m.result.Obligations, err = strconv.Atoi(value); err != nil || m.result.Obligations < 0 {
			err = fmt.Errorf("%q is not a number of findings", value)
		}
	}
	if err != nil {
		m.report(line, key, "%s", err)
	}
}

// wantOf returns the text behind "// want " in a comment.
func wantOf(comment string) (string, bool) {
	body, isLine := strings.CutPrefix(comment, "//")
	body = strings.TrimSpace(body)
	if !isLine || body != "want" && !strings.HasPrefix(body, "want ") && !strings.HasPrefix(body, "want\t") {
		return "", false
	}
	return strings.TrimSpace(body[len("want"):]), true
}

func atLineEnd(text []byte, end int) bool {
	return end >= len(text) || text[end] == '\n' || text[end] == '\r'
}

// want parses the markers of one comment: "failed assertion", or several with "// want" between.
func (m *markers) want(line int, text string, complete bool) {
	for _, one := range strings.Split(text, "// want ") {
		w, err := parseWant(one)
		if err == nil && !complete {
			err = errors.New("the marker is continued on the next line")
		}
		if err != nil {
			m.report(line, "want", "%s", err)
			return
		}
		w.Line = line
		for _, other := range m.result.Wants {
			if other == w {
				m.report(line, "want", "%s %s is wanted twice, but exactly one is meant", w.Verdict, w.Kind)
				return
			}
		}
		m.result.Wants = append(m.result.Wants, w)
	}
}

// oneOf parses a verdict that is one of allowed.
func oneOf(text string, allowed ...found.Verdict) (found.Verdict, error) {
	v := found.Verdict(text)
	if slices.Contains(allowed, v) {
		return v, nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	return "", fmt.Errorf("%q is not one of %s%s", text, strings.Join(names, ", "), project.DidYouMean(text, names))
}

func parseWant(text string) (Want, error) {
	words := strings.Fields(text)
	on := ""
	if len(words) > 3 && words[2] == "on" {
		words, on = words[:2], strings.Join(words[3:], " ")
	}
	if len(words) != 2 {
		return Want{}, fmt.Errorf("%q is not of the form \"// want VERDICT KIND\"", "// want "+text)
	}
	verdict, err := oneOf(words[0], found.Failed, found.Unknown, found.Bounded, found.Vacuous, found.Proved,
		found.Unreached)
	if err != nil {
		return Want{}, err
	}
	kind, err := project.ParseKind(words[1])
	return Want{Verdict: verdict, Kind: kind, On: on}, err
}
