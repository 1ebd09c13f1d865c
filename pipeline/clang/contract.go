package clang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/clang/quantifier"
	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// mentionsContract reports whether a unit's own file may contain clauses of contracts. Files that it includes by a
// quoted name from its own folder count, too.
func (c *compilation) mentionsContract(u Unit) bool {
	return slices.ContainsFunc(c.reached(u, nil), func(f reachedFile) bool { return contract.Mentions(f.text) })
}

// needsContracts reports whether clang's messages, or names that it took for functions, may be due to contracts.
func (c *compilation) needsContracts(u Unit, output []byte, stderr string) bool {
	return declaresClause(output) || stderr != "" && c.complainsOf(u, stderr, contract.Mentions)
}

// declaresClause reports whether a module declares a function with the name of a clause: clang took a clause for a
// call.
func declaresClause(module []byte) bool {
	for name := range declaredByCBMC(module) {
		if contract.IsWord(name) {
			return true
		}
	}
	return false
}

// contracted compiles a unit with contracts: it preprocesses the unit and rewrites the result to C without contracts.
// files are the files that were read. text is nil if the preprocessed text has no contract.
func (c *compilation) contracted(ctx context.Context, u Unit, user, args, overlay []string,
	file, dep string, notes *[]found.Assumption) (text []byte, files []string, err error) {
	included := user
	if text, err := c.read(u.path()); err != nil || !asksForPrimitive.Match(text) {
		// Use our own copy: the folder of headers may belong to another version.
		header := filepath.Join(c.dir, cproverHeaderName)
		if err := os.WriteFile(header, cproverHeader, 0o600); err != nil {
			return nil, nil, fmt.Errorf("contracts of %s: %w", u.File, err)
		}
		included = slices.Concat([]string{"-include", header}, user)
	}
	out, stderr, err := c.Run(ctx, u.Dir, c.Clang, slices.Concat(included, args, overlay,
		[]string{"-E", "-MD", "-MF", dep, "-MT", "unit", "-o", "-", file}), nil)
	if s, broke := crash(err, stderr); broke && ctx.Err() == nil {
		return nil, nil, &SignalError{s}
	}
	switch {
	case err != nil && (ctx.Err() != nil || !Exited(err)):
		return nil, nil, processError(ctx, "compile", err, nil)
	case err != nil:
		return nil, nil, c.compileError(ctx, u, included, overlay, string(stderr))
	}
	out = bytes.ReplaceAll(out, []byte(c.dir+string(filepath.Separator)), nil) // the folder has a new name each time
	if files, err = c.dependencies(dep, u); err != nil {
		return nil, nil, err
	}
	if !contract.Mentions(out) {
		return nil, files, nil
	}
	if bytes.Contains(out, []byte("CPROVER")) {
		*notes = append(*notes, pragmasIn(out, u.Dir)...)
	}
	out, _, err = contract.Rewrite(out, func(name string) []byte {
		if path := absolute(name, u.Dir); !systemFile(path) && filepath.Base(path) != cproverHeaderName {
			if text, err := c.read(path); err == nil {
				return text
			}
		}
		return nil
	})
	var wrong *contract.Error
	if errors.As(err, &wrong) {
		return nil, nil, &CompileError{Stage: "compile", Files: files, Diagnostics: []Diagnostic{{File: absolute(wrong.File,
			u.Dir), Line: wrong.Line, Column: wrong.Column, Severity: "error", Message: wrong.Message}}}
	}
	if quantified, ok := quantifier.Rewrite(out, quantifier.Symbolic); ok {
		out = quantified
	}
	rewritten := filepath.Join(c.dir, fmt.Sprintf("contract%x.i", hashOf(append([]byte(u.path()), out...))))
	if err := os.WriteFile(rewritten, out, 0o600); err != nil {
		return nil, nil, fmt.Errorf("contracts of %s: %w", u.File, err)
	}
	text, stderr, err = c.Run(ctx, u.Dir, c.Clang, slices.Concat(withoutIncludes(user), args,
		[]string{"-o", "-", "-x", "cpp-output", rewritten}), nil)
	if s, broke := crash(err, stderr); broke && ctx.Err() == nil {
		return nil, nil, &SignalError{s}
	}
	switch {
	case err != nil && (ctx.Err() != nil || !Exited(err)):
		return nil, nil, processError(ctx, "compile", err, nil)
	case err != nil:
		e := &CompileError{Stage: "compile", Output: string(stderr), Files: files,
			Diagnostics: parseDiagnostics(string(stderr), u.path(), u.Dir)}
		e.Diagnostics = slices.DeleteFunc(e.Diagnostics, func(d Diagnostic) bool { return d.Severity == "warning" })
		return nil, nil, e
	}
	return shownNames.Replace(renamedFile(text, filepath.Base(rewritten), u.path())), files, nil
}

// renamedFile replaces the name of a file by another one, which was compiled in its place and whose name occurs nowhere
// else.
func renamedFile(text []byte, base, name string) []byte {
	var quoted []byte // in the notation of LLVM's strings
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted = fmt.Appendf(quoted, `\%02X`, c)
		} else {
			quoted = append(quoted, c)
		}
	}
	var out []byte
	for {
		i := bytes.Index(text, []byte(base+`"`))
		if i < 0 {
			return append(out, text...)
		}
		out = append(append(out, text[:bytes.LastIndexByte(text[:i], '"')+1]...), quoted...)
		text = text[i+len(base):]
	}
}

// shownNames has the names that users see instead of generated names.
var shownNames = replacements{
	{`name: "` + language.EnforcePrefix, `name: "contract of `},
	{`name: "` + language.ReplacePrefix, `name: "contract of `},
	{`name: "` + contract.AssumePrefix, `name: "`},
	{`name: "` + contract.CheckPrefix, `name: "`},
	{`name: "__unitproof_malloc"`, `name: "__CPROVER_is_fresh"`},
	{`name: "__unitproof_part"`, `name: "__CPROVER_is_fresh"`},
	{`name: "__unitproof_havoc"`, `name: "__CPROVER_assigns"`},
	{`name: "unitproof_result"`, `name: "__CPROVER_return_value"`},
}

type replacements [][2]string

func (r replacements) Replace(text []byte) []byte {
	for _, x := range r {
		text = bytes.ReplaceAll(text, []byte(x[0]), []byte(x[1]))
	}
	return text
}

// withoutIncludes returns the flags without -include and -imacros, which preprocessing has already applied.
func withoutIncludes(flags []string) []string {
	var out []string
	for i := 0; i < len(flags); i++ {
		if flags[i] == "-include" || flags[i] == "-imacros" {
			i++
			continue
		}
		out = append(out, flags[i])
	}
	return out
}

// useContracts redirects calls of functions to their contracts. The replacement of a function gets its name; its own
// body gets another name, which only the proof of its contract calls. Recursive calls in the body therefore use the
// contract, too. The result maps the functions to their replacements.
func useContracts(r Request, modules []*asm.Module, entry int) (map[string]string, error) {
	var known []string
	for _, a := range modules {
		known = append(known, contractsIn(a)...)
	}
	for _, name := range r.UseContracts {
		if !slices.Contains(known, name) {
			slices.Sort(known)
			there := strings.Replace(listed("contracts of ", slices.Compact(known)), "it defines", "there are", 1)
			return nil, entryError(modules[entry], fmt.Sprintf("no contract of %s to be used (--use-contract, use-contracts): "+
				"no linked file has one; %s", name, there))
		}
	}
	used := map[string]string{}
	enforced := strings.TrimPrefix(r.Entry, language.EnforcePrefix)
	defines := func(name string) bool {
		return slices.ContainsFunc(modules, func(a *asm.Module) bool { return a.DefinesFunction(name) })
	}
	overridden := func(name string) bool {
		return slices.ContainsFunc(modules[:entry], func(a *asm.Module) bool { return a.DefinesFunction(name) })
	}
	for _, a := range modules {
		for _, s := range a.Order {
			name, ok := strings.CutPrefix(s.Name, language.ReplacePrefix)
			if !ok || s.Link == asm.Declared || overridden(name) {
				continue
			}
			if r.InlineContracts && defines(name) && name != enforced && !slices.Contains(r.UseContracts, name) {
				continue
			}
			used[name] = name
			if own := a.Symbols[name]; own != nil && own.Link == asm.Local {
				used[name] = s.Name
			}
		}
	}
	for i, a := range modules {
		text, changed, err := withContracts(a, used)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		again, err := asm.Cut(a.File, text)
		if err != nil {
			return nil, err
		}
		modules[i] = again
	}
	return used, nil
}

// withContracts returns the text of a module with the names of useContracts.
func withContracts(a *asm.Module, used map[string]string) (text []byte, changed bool, err error) {
	done := 0
	for _, s := range a.Order {
		if _, ok := used[s.Name]; ok && s.Kind == asm.Function && s.Link == asm.Declared &&
			a.Symbols[language.ReplacePrefix+s.Name] != nil {
			// The definition with that name follows; the declared function may be defined in another file.
			before, after, ok := bytes.Cut(a.Bytes(s.Span), []byte("@"+s.Name+"("))
			if !ok {
				before, after = nil, nil
			}
			text = append(text, a.Text[done:s.Start]...)
			if ok {
				text = slices.Concat(text, before, []byte("@"+language.BodyPrefix+s.Name+"("), after)
			}
			done, changed = s.End, true
			continue
		}
		if by, ok := used[s.Name]; ok && by == s.Name && s.Kind == asm.Function && s.Link != asm.Declared &&
			s.Link != asm.Local &&
			(a.Symbols[language.ReplacePrefix+s.Name] == nil || a.Symbols[language.ReplacePrefix+s.Name].Link == asm.Declared) {
			// The replacement is in another file, so calls in this one need a declaration.
			own, err := asm.DeclareFunction(s, a.FirstLine(s))
			if err != nil {
				return nil, false, err
			}
			text = slices.Concat(text, a.Text[done:s.Start], own)
			done, changed = s.Start, true
		}
		name := strings.TrimPrefix(s.Name, language.EnforcePrefix)
		asm.References(a.Bytes(s.Span), func(sigil byte, to []byte, at int) {
			if sigil != '@' {
				return
			}
			at += s.Start
			want, other := "", ""
			if other, _ = strings.CutPrefix(string(to), language.ReplacePrefix); other != string(to) {
				if used[other] == other {
					want = other
				}
			} else if by, ok := used[string(to)]; ok {
				own := a.Symbols[string(to)]
				static := own != nil && own.Link == asm.Local
				switch {
				case static != (by != string(to)): // another function with that name
				case own != nil && own.Link != asm.Declared && s == own && bytes.HasPrefix(a.Text[at+1+len(to):], []byte("(")) &&
					!bytes.Contains(a.Text[s.Start:at], []byte("\n")), s.Name != name && name == string(to):
					want = language.BodyPrefix + string(to)
				case static:
					want = by
				}
			}
			if want != "" {
				text = append(append(text, a.Text[done:at+1]...), want...)
				done, changed = at+1+len(to), true
			}
		})
	}
	if !changed {
		return nil, false, nil
	}
	return append(text, a.Text[done:]...), true, nil
}

// anyContract reports whether a function of the program has a contract. Macros may wrap the clauses, so only the
// modules show it.
func anyContract(modules []*asm.Module) bool {
	return slices.ContainsFunc(modules, func(a *asm.Module) bool {
		return slices.ContainsFunc(a.Order, func(s *asm.Symbol) bool {
			return strings.HasPrefix(s.Name, language.ReplacePrefix)
		})
	})
}

// keepsLibraryState reports whether a model in the program has state between calls, such as strtok's.
func (p *program) keepsLibraryState() bool {
	for module, a := range p.modules {
		for _, s := range a.Order {
			if s.Kind != asm.Variable || p.keep[module][s] != asm.Definition || s.Name == language.Errno ||
				bytes.Contains(a.Bytes(s.Span), []byte(" constant ")) {
				continue
			}
			if file, _ := position(a, s); language.IsModelFile(file) {
				return true
			}
		}
	}
	return false
}

// contractNotes returns an assumption for each contract that is used in a program, and for library state that contracts
// are assumed not to change.
func (p *program) contractNotes(used map[string]string) (notes []found.Assumption) {
	for module, a := range p.modules {
		for _, s := range a.Order {
			if p.keep[module][s] != asm.Definition || s.Kind != asm.Function {
				continue
			}
			name := strings.TrimPrefix(s.Name, language.ReplacePrefix)
			if by, ok := used[name]; ok && by == s.Name {
				at := s
				if written := a.Symbols[language.EnforcePrefix+name]; written != nil {
					at = written // the replacement has no place in the user's files
				}
				file, line := position(a, at)
				notes = append(notes, found.Assumption{What: found.Contract, Name: name,
					At: found.Pos{File: file, Line: line}})
			}
		}
	}
	if len(notes) > 0 && p.keepsLibraryState() {
		notes = append(notes, found.Assumption{What: found.LibraryState, At: notes[0].At})
	}
	return notes
}
