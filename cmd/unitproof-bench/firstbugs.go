package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/found"
)

// seededBug is a change of one place of a function: text[start:end] becomes with.
type seededBug struct {
	rule       string
	start, end int
	with       string
}

func (b *seededBug) in(text []byte) []byte {
	return slices.Concat(text[:b.start], []byte(b.with), text[b.end:])
}

// describe returns the bug in words.
func (b *seededBug) describe(text []byte) string {
	line := 1 + bytes.Count(text[:b.start], []byte("\n"))
	return fmt.Sprintf("%s, line %d: %s → %s", b.rule, line, csource.OneLine(text[b.start:b.end]), b.with)
}

// seeds are the rules for bugs. Each returns the first place of a function's body, text[from:to], to which it applies.
var seeds = []func(text []byte, from, to int) (seededBug, bool){bound, offByOne, droppedCheck, droppedNull, wrongSize}

// codeTokens returns the tokens of a text between two offsets, without comments.
func codeTokens(text []byte, from, to int) (list []csource.Token) {
	part := text[from:to]
	s := csource.Scanner{Text: part}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		t.Start, t.End = t.Start+from, t.End+from
		list = append(list, t)
	}
	return list
}

// bound moves a comparison by one: < becomes <=, and >= becomes >.
func bound(text []byte, from, to int) (seededBug, bool) {
	for _, t := range codeTokens(text, from, to) {
		switch t.Of(text) {
		case "<":
			return seededBug{"bound", t.Start, t.End, "<="}, true
		case ">=":
			return seededBug{"bound", t.Start, t.End, ">"}, true
		}
	}
	return seededBug{}, false
}

// offByOne drops "+ 1" or "- 1" behind an operand.
func offByOne(text []byte, from, to int) (seededBug, bool) {
	list := codeTokens(text, from, to)
	for i := 1; i+1 < len(list); i++ {
		sign, number, before := list[i].Of(text), list[i+1].Of(text), list[i-1].Of(text)
		operand := list[i-1].Kind == csource.Ident && before != "return" || before == ")" || before == "]"
		if operand && (sign == "+" || sign == "-") && number == "1" {
			return seededBug{"off by one", list[i].Start, list[i+1].End, ""}, true
		}
	}
	return seededBug{}, false
}

// droppedCheck makes the condition of an early exit false.
func droppedCheck(text []byte, from, to int) (seededBug, bool) {
	for _, c := range conditions(text, from, to) {
		next := bytes.TrimLeft(text[c[1]+1:to], " \t\r\n{")
		if exit.Match(next) && !null.Match(text[c[0]:c[1]]) {
			return seededBug{"dropped check", c[0], c[1], "0"}, true
		}
	}
	return seededBug{}, false
}

// droppedNull makes the condition of an early exit about a NULL pointer false.
func droppedNull(text []byte, from, to int) (seededBug, bool) {
	for _, c := range conditions(text, from, to) {
		next := bytes.TrimLeft(text[c[1]+1:to], " \t\r\n{")
		if exit.Match(next) && null.Match(text[c[0]:c[1]]) {
			return seededBug{"dropped NULL check", c[0], c[1], "0"}, true
		}
	}
	return seededBug{}, false
}

var (
	exit = regexp.MustCompile(`^(return|goto|break)\b`)
	null = regexp.MustCompile(`^\s*(!\s*[\w>.-]+|[\w>.-]+\s*==\s*(NULL|0))\s*$`)
)

// conditions returns the conditions of the if statements in a text, without their brackets.
func conditions(text []byte, from, to int) (list [][2]int) {
	for _, t := range codeTokens(text, from, to) {
		if t.Of(text) != "if" {
			continue
		}
		open := csource.SkipTrivia(text, t.End)
		if open < to && text[open] == '(' {
			if end, ok := csource.Closing(text, open); ok && end < to {
				list = append(list, [2]int{open + 1, end})
			}
		}
	}
	return list
}

var copies = regexp.MustCompile(`^(mem(cpy|move|set)|strncpy|\w*_?(m|c|re)alloc)$`)

// wrongSize copies one byte more, or allocates one byte less.
func wrongSize(text []byte, from, to int) (seededBug, bool) {
	for _, t := range codeTokens(text, from, to) {
		if !copies.MatchString(t.Of(text)) {
			continue
		}
		call, ok := csource.CallAt(text, t.Start)
		if !ok || call.End > to {
			continue
		}
		change := " + 1"
		if strings.HasSuffix(t.Of(text), "alloc") {
			change = " - 1"
		}
		return seededBug{"wrong size", call.End - 1, call.End - 1, change}, true
	}
	return seededBug{}, false
}

// perFunction limits the bugs of one function.
const perFunction = 2

// plantAll puts a bug into each of n functions of the sample, and proves them. They are evenly chosen among the
// functions with a decided proof to which a rule applies. The first rule that is tried changes from one function to the
// next.
func plantAll(std cli.Streams, sample []sampled, n int) ([]firstOutcome, error) {
	type planted struct {
		sampled
		bug seededBug
	}
	var all []planted
	for _, s := range sample {
		if s.outcome.Verdict != found.Proved && s.outcome.Verdict != found.Failed {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.run.dir, s.target.file))
		if err != nil {
			return nil, err
		}
		f, ok := csource.NewSource(text).Function(s.target.function)
		if !ok {
			continue
		}
		first, here := len(all), 0
		for k := 0; k < len(seeds) && here < perFunction; k++ {
			if b, ok := seeds[(first+k)%len(seeds)](text, f.Body, f.End); ok {
				all = append(all, planted{s, b})
				here++
			}
		}
	}
	var list []firstOutcome
	for i := range min(n, len(all)) {
		p := all[i*len(all)/min(n, len(all))]
		out, err := p.plant(p.bug)
		if err != nil {
			return nil, err
		}
		list = append(list, *out)
		fmt.Fprintln(std.Err, out)
	}
	return list, nil
}

// plant proves a function with a bug, and removes the bug again.
func (s *sampled) plant(b seededBug) (*firstOutcome, error) {
	path := filepath.Join(s.run.dir, s.target.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	harness := filepath.Join(s.run.dir, s.outcome.Harness)
	proof, err := os.ReadFile(harness)
	if err != nil {
		return nil, err
	}
	facts := 0
	if s.run.flags.facts && s.outcome.Verdict == found.Proved {
		if facts, err = s.facts(); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(path, b.in(text), 0o644); err != nil {
		return nil, err
	}
	var byFacts []string
	if facts > 0 {
		if byFacts, err = s.run.failures(s.outcome.Harness); err != nil {
			return nil, err
		}
		if err := os.WriteFile(harness, proof, 0o644); err != nil {
			return nil, err
		}
	}
	before, err := s.run.failures(s.outcome.Harness)
	if err != nil {
		return nil, err
	}
	out, err := s.run.prove(s.target)
	if err := errors.Join(err, os.WriteFile(path, text, 0o644), os.WriteFile(harness, proof, 0o644)); err != nil {
		return nil, err
	}
	out.Bug = b.describe(text)
	out.Facts, out.FoundByFacts = facts, s.unknownBefore(byFacts)
	out.Found, out.FoundAfresh = s.unknownBefore(before), s.unknownBefore(out.Failures)
	return out, nil
}

// facts writes the postconditions that are suggested for a proof into it, and returns their number.
func (s *sampled) facts() (n int, err error) {
	cmd := exec.CommandContext(s.run.ctx, s.run.program, "suggest", "--post", "--write", "all", "--json", "-",
		s.outcome.Harness)
	cmd.Dir, cmd.Env = s.run.dir, append(os.Environ(), "XDG_CACHE_HOME="+s.run.cache())
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	var document struct {
		Proofs []*pipeline.Ensured `json:"proofs"`
	}
	if err := json.Unmarshal(out, &document); err == nil && len(document.Proofs) == 1 {
		n = len(document.Proofs[0].Facts)
	}
	return n, nil
}

// unknownBefore returns the failures at places where the function without the bug has none.
func (s *sampled) unknownBefore(failures []string) (list []string) {
	known := map[string]bool{}
	for _, f := range s.outcome.Failures {
		known[placeOf(f)] = true
	}
	for _, f := range failures {
		if !known[placeOf(f)] {
			list = append(list, f)
		}
	}
	return list
}

// failures checks a proof as it is, and returns the findings that fail in the form of pipeline.Generated.
func (r *firstRun) failures(harness string) (list []string, err error) {
	cmd := exec.CommandContext(r.ctx, r.program, "check", "--json", "-", harness)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "XDG_CACHE_HOME="+r.cache())
	text, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	var doc diagnostics.Document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("check %s: %w", harness, err)
	}
	for i := range doc.Proofs {
		list = append(list, pipeline.FailuresOf(&doc.Proofs[i])...)
	}
	return list, nil
}

// placeOf returns the place and the kind of a failure.
func placeOf(failure string) string {
	place, _, _ := strings.Cut(failure, "]")
	return place
}
