package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// omitted finds the assertions in the entry's file that clang drops because it can prove them unreachable:
//
//	if (0) sassert(x);
//	return; sassert(y);
//
// The engine never sees them, and a proof without reachable assertions would be called proved. Candidates are the
// assertions whose place in that file is not mentioned in the program. To decide them, clang compiles two variants of
// the file, in which each candidate is replaced by a call of an unknown function:
//
//   - With a label at each candidate and at each call of a function of the file. clang keeps labelled code, so this
//     variant contains all code, without text behind #if, in sizeof, or not chosen by _Generic.
//   - Without labels. This variant lacks the code that clang drops.
//
// An assertion is omitted if it is reachable in the first variant and not in the second. Both variants lack its
// condition, so assert(sizeof(int) == 4), which clang drops because it is true, is in both.
func (c *Checker) omitted(ctx context.Context, p *project.Proof, b *built, live *Live) ([]vcgen.Instance, error) {
	if p.Options.Vacuity == vcgen.VacuityOff || ir.KindOf(p.EntryUnit.File) != ir.C {
		return nil, nil
	}
	file, program := p.EntryUnit.File, b.module.Text
	source := live.sources(c.settings.Root)
	text := source(file)
	var texts [][]byte
	for _, f := range b.module.Files {
		if userFile(f) && f != file {
			texts = append(texts, source(f))
		}
	}
	calls := project.FindCalls(text, project.AssertingMacros(append(texts, text)))
	has := func(function string) bool { return defines(program, function) }
	asserted := slices.DeleteFunc(calls.Assertions, mentionedIn(program, file))
	mentioned := calls.Mentioned(has)
	if asserted = slices.DeleteFunc(asserted,
		func(a project.AssertionCall) bool { return !mentioned(a.Start) }); len(asserted) == 0 {
		return nil, nil
	}
	if live.onlyKept {
		return nil, clang.ErrNotKept
	}
	t, err := c.toolchain(ctx, p.Clang)
	if err != nil {
		return nil, err
	}
	name := func(i int) string { return fmt.Sprintf("unitproof_gets_here_%d", i) }
	ask := func(labelled bool) (map[string]map[string]bool, error) {
		r := c.buildRequest(p)
		r.Virtual = live.Virtual
		functions := calls.Functions
		if !labelled {
			functions = nil
		}
		return t.Mentions(ctx, r, instead(text, asserted, functions, name, labelled))
	}
	written, err := ask(true)
	var emitted map[string]map[string]bool
	if err == nil {
		emitted, err = ask(false)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var out []vcgen.Instance
	reached := closure(emitted, has)
	for function := range closure(written, has) {
		for i, a := range asserted {
			if written[function][name(i)] && !slices.ContainsFunc(reached.list(),
				func(f string) bool { return emitted[f][name(i)] }) {
				out = append(out, omittedAt(file, function, a))
			}
		}
	}
	if err != nil { // the build of the proof itself succeeded
		for _, a := range asserted {
			in := omittedAt(file, "", a)
			in.Verdict, in.LeftOut, in.Reason = found.Unknown, false, found.Reason{Why: found.NoCode}
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(a, b vcgen.Instance) int {
		return cmp.Or(a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column, strings.Compare(a.Pos.Function, b.Pos.Function))
	})
	return out, nil
}

func omittedAt(file, function string, a project.AssertionCall) vcgen.Instance {
	return vcgen.Instance{Kind: found.Assertion, Pos: found.Pos{File: file, Line: a.Line, Column: a.Column,
		Function: function}, InEntryFile: true,
		Verdict: found.Unreached, LeftOut: true}
}

// instead replaces the assertions of a text by calls of unknown functions. With labelled, these calls and the calls of
// the given functions have labels.
func instead(text []byte, asserted, functions []project.AssertionCall, name func(int) string, labelled bool) []byte {
	type patch struct {
		start, end int
		text       string
	}
	var patches []patch
	for i, a := range asserted {
		p := patch{a.Start, a.End, name(i)}
		if labelled {
			p.text = fmt.Sprintf("(*({ __label__ here; here: ; extern void %[1]s(); %[1]s; }))", name(i))
		}
		if a.Bare {
			p.text += "()"
		}
		patches = append(patches, p)
	}
	for _, f := range functions {
		patches = append(patches, patch{f.Start, f.End, fmt.Sprintf("({ __label__ here; here: ; %s; })",
			text[f.Start:f.End])})
	}
	slices.SortFunc(patches, func(a, b patch) int { return a.start - b.start })
	var out bytes.Buffer
	last := 0
	for _, p := range patches {
		out.Write(text[last:p.start])
		out.WriteString(p.text)
		last = p.end
	}
	out.Write(text[last:])
	return out.Bytes()
}

type set map[string]bool

func (s set) list() []string {
	var out []string
	for name := range s {
		out = append(out, name)
	}
	return out
}

// closure returns the functions that the program's functions mention, transitively.
func closure(mentions map[string]map[string]bool, has func(string) bool) set {
	out := set{}
	var add func(name string)
	add = func(name string) {
		if out[name] || mentions[name] == nil {
			return
		}
		out[name] = true
		for other := range mentions[name] {
			add(other)
		}
	}
	for name := range mentions {
		if has(name) {
			add(name)
		}
	}
	return out
}

var (
	debugFile = lazyregexp.New(`[(,] ?file: (!\d+)`)
	debugName = lazyregexp.New(`DIFile\(filename: "([^"]*)", directory: "([^"]*)"`)
	escaped   = lazyregexp.New(`\\[0-9A-F]{2}`)
)

// unescape decodes LLVM's escapes of unprintable bytes in a string.
func unescape(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(code string) string {
		b, err := strconv.ParseUint(code[1:], 16, 8)
		if err != nil { // cannot be: two hexadecimal digits
			return code
		}
		return string([]byte{byte(b)})
	})
}

// mentionedIn returns a predicate that reports whether an instruction of the program has the place of a call in a file.
// Lines and columns alone are ambiguous: other files have the same numbers.
func mentionedIn(program []byte, file string) func(project.AssertionCall) bool {
	type place struct{ line, column int }
	scopes := map[place]map[string]bool{}
	const location = "DILocation(line: "
	for rest := program; ; { // a regular expression takes 20 ns a byte
		i := bytes.Index(rest, []byte(location))
		if i < 0 {
			break
		}
		rest = rest[i+len(location):]
		line, behind, _ := strings.Cut(string(rest[:min(len(rest), 60)]), ", column: ")
		column, behind, ok := strings.Cut(behind, ", scope: !")
		if !ok {
			continue // without a column
		}
		var at place
		var errs [2]error
		at.line, errs[0] = strconv.Atoi(line)
		at.column, errs[1] = strconv.Atoi(column)
		if errors.Join(errs[:]...) != nil {
			continue // no place
		}
		if scopes[at] == nil {
			scopes[at] = map[string]bool{}
		}
		scopes[at]["!"+behind[:len(behind)-len(strings.TrimLeft(behind, "0123456789"))]] = true
	}
	node := func(name string) []byte {
		i := bytes.Index(program, []byte("\n"+name+" = "))
		if i < 0 {
			return nil
		}
		line, _, _ := bytes.Cut(program[i+1:], []byte("\n"))
		return line
	}
	inFile := map[string]bool{}
	known := map[string]bool{}
	return func(a project.AssertionCall) bool {
		for scope := range scopes[place{a.Line, a.Column}] {
			if !known[scope] {
				known[scope] = true
				if m := debugFile.FindSubmatch(node(scope)); m != nil {
					if f := debugName.FindSubmatch(node(string(m[1]))); f != nil {
						name := unescape(string(f[1]))
						if !path.IsAbs(name) {
							name = path.Join(unescape(string(f[2])), name)
						}
						inFile[scope] = name == file
					}
				}
			}
			if inFile[scope] {
				return true
			}
		}
		return false
	}
}

// defines reports whether the program has a body of a function.
func defines(program []byte, name string) bool {
	for rest := program; ; {
		i := bytes.Index(rest, []byte("@"+name+"("))
		if i < 0 {
			return false
		}
		if bytes.HasPrefix(rest[bytes.LastIndexByte(rest[:i], '\n')+1:], []byte("define ")) {
			return true
		}
		rest = rest[i+1:]
	}
}
