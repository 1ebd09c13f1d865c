package pipeline

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Guard is an early return that excludes a failure in the code under proof: the proof was checked with it.
type Guard struct {
	Function string `json:"function"`
	// Text is the statement, to be put in front of the one at a line and column of a file.
	Text   string `json:"text"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Indent string `json:"-"`
}

var identifier = lazyregexp.New(`^[A-Za-z_]\w*$`)

// guard finds a guard of the function that the entry calls: the failing set in the names of its parameters, and the
// value that the function returns on other errors. It returns nil if there is none, or if it does not help.
func (e *excluder) guard(ctx context.Context, set *FailingSet) *Guard {
	if !set.Exact || set.Condition == always || len(e.finding.CallPath) < 1 {
		return nil
	}
	called := e.called()
	if called == nil {
		return nil
	}
	text, f := called.text, called.at
	condition, ok := e.inCode(set.Condition)
	result, known := errorResult(text[f.Start:f.NameStart], text[f.Body:f.End])
	if !ok || !known {
		return nil
	}
	at := f.Body + 1
	for at < f.End && csource.IsSpace(text[at]) {
		at++
	}
	line := bytes.LastIndexByte(text[:at], '\n') + 1
	g := &Guard{Function: called.name, File: called.file, Line: bytes.Count(text[:at], []byte("\n")) + 1,
		Column: at - line + 1, Text: "if (" + condition + ") return" + result + ";", Indent: string(text[line:at])}
	virtual := maps.Clone(e.job.Virtual)
	if virtual == nil {
		virtual = map[string][]byte{}
	}
	virtual[called.path] = slices.Concat(text[:at], []byte(g.Text+" "), text[at:])
	j := e.job
	j.Virtual = virtual
	checked := e.checkJob(ctx, j)
	for i := range checked.Obligations {
		o := &checked.Obligations[i]
		if o.Kind == e.finding.Kind && o.File == e.finding.File && o.Line == e.finding.Line &&
			o.Verdict != found.Proved && o.Verdict != found.Bounded {
			return nil
		}
	}
	if checked.Verdict == found.Error || checked.Verdict == found.Vacuous ||
		checked.Verdict == found.Unknown {
		return nil
	}
	return g
}

// calledFunction is the function that the entry calls on the way to the failure.
type calledFunction struct {
	name, file, path string // file as it is shown, path absolute
	text             []byte // of the file
	at               csource.Function
}

// called returns the function that the entry calls on the way to the failure. It is nil if the entry itself fails, or
// if the function's text is not known.
func (e *excluder) called() *calledFunction {
	if len(e.finding.CallPath) < 1 {
		return nil
	}
	c := &calledFunction{name: e.finding.Function, file: e.finding.File}
	if len(e.finding.CallPath) > 1 {
		c.name, c.file = e.finding.CallPath[1].Function, e.finding.CallPath[1].File
	}
	if c.name == e.job.Proof.Entry {
		return nil
	}
	c.path = e.job.Root.Find(c.file)
	var ok bool
	if c.text, ok = e.job.Virtual[c.path]; !ok {
		var err error
		if c.text, err = regular.Source(c.path); err != nil {
			return nil
		}
	}
	if c.at, ok = csource.NewSource(c.text).Function(c.name); !ok {
		return nil
	}
	return c
}

// inCode returns a condition of the proof in the names of the called function's parameters. It is false for a
// condition with other names.
func (e *excluder) inCode(condition string) (string, bool) {
	c := e.called()
	if c == nil {
		return "", false
	}
	return inParameters(condition, arguments(e.text[e.place:e.entry.End], c.name),
		arguments(c.text[c.at.NameStart:c.at.Body], c.name))
}

// arguments returns the arguments, or the names of the parameters, behind the first use of a function's name.
func arguments(text []byte, name string) (list []string) {
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*\(`).FindIndex(text)
	if at == nil {
		return nil
	}
	end, ok := csource.Closing(text, at[1]-1)
	if !ok {
		return nil
	}
	for part := range strings.SplitSeq(string(text[at[1]:end]), ",") {
		words := regexp.MustCompile(`\w+`).FindAllString(part, -1)
		switch part = strings.TrimSpace(part); {
		case strings.ContainsAny(part, "()[") || len(words) == 0:
			list = append(list, "")
		default:
			list = append(list, strings.TrimSpace(part))
		}
	}
	return list
}

// inParameters returns a condition with the arguments of a call replaced by the parameters; false if it has other
// names.
func inParameters(condition string, args, params []string) (string, bool) {
	if len(args) == 0 || len(args) != len(params) {
		return "", false
	}
	to := map[string]string{}
	for i, a := range args {
		words := regexp.MustCompile(`\w+`).FindAllString(params[i], -1)
		if identifier.MatchString(a) && len(words) > 0 {
			to[a] = words[len(words)-1]
		}
	}
	ok := true
	var out strings.Builder
	done := 0
	member := false
	for s := (csource.Scanner{Text: []byte(condition)}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			break
		}
		word := t.Of(s.Text)
		if t.Kind == csource.Ident && !member && word != "NULL" {
			if to[word] == "" {
				ok = false
			}
			out.WriteString(condition[done:t.Start] + to[word])
			done = t.End
		}
		member = word == "." || word == "->"
	}
	return out.String() + condition[done:], ok
}

var errorReturn = lazyregexp.New(`\breturn\s+(-\s*\w+|NULL|false)\s*;`)

// errorResult returns the value that a function returns on errors, with a leading space; "" for functions without a
// result. It is false if no error path is known.
func errorResult(head, body []byte) (string, bool) {
	if m := errorReturn.FindSubmatch(body); m != nil {
		return " " + string(m[1]), true
	}
	return "", regexp.MustCompile(`\bvoid\s*$`).Match(head)
}
