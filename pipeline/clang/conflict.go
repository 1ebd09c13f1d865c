package clang

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/quantifier"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// In proofs for CBMC, a stand-in often has another type than the function it replaces: a parameter is not const, or one
// is missing. C forbids that; goto-cc takes the type of the definition. We give clang a text in which the second
// declaration has another name, and restore the name in the assembly.

// conflictPrefix is the prefix of names that were declared earlier with another type.
const conflictPrefix = "unitproof_conflicting_"

// conflicts has the changes that make one unit compile although types conflict or quantifiers occur.
type conflicts struct {
	texts    map[string][]byte // patched files, by absolute path
	notes    []found.Assumption
	names    []string
	replaced []string             // functions whose first definition, an inline one, is dropped
	original func() *CompileError // clang's error for the unchanged text
	rounds   int
}

var conflicting = lazyregexp.New(`^conflicting types for '(\w+)'$`)

// redefinition matches clang's error for a second definition in one file. goto-cc takes the second one if the first is
// inline.
var redefinition = lazyregexp.New(`^redefinition of '(\w+)'$`)

// forCBMC reports whether a file of the program was written for CBMC. For other programs, clang's errors are final.
func (c *compilation) forCBMC() bool {
	for _, u := range slices.Concat(c.request.Overrides, []Unit{c.request.EntryUnit}, c.request.Sources) {
		if text, err := c.read(u.path()); err == nil && bytes.Contains(text, []byte("__CPROVER_")) {
			return true
		}
	}
	return false
}

// patchable reports whether all errors are conflicts within the unit's own texts, which patch may remove. Errors that
// involve guessed headers are not.
func patchable(stderr []byte) bool {
	if bytes.Contains(stderr, []byte(cproverHeaderName)) || quantifier.Mentioned(stderr) ||
		namesPrimitive(stderr) {
		return false
	}
	errors := 0
	for _, d := range parseDiagnostics(string(stderr), "", "") {
		if d.Severity != "error" {
			continue
		}
		if !slices.ContainsFunc([]*lazyregexp.Regexp{conflicting, redefinition, structOperands, staticBehind, hides,
			constMember}, func(r *lazyregexp.Regexp) bool { return r.MatchString(d.Message) }) {
			return false
		}
		errors++
	}
	return errors > 0
}

// patch renames the declarations that clang complains about. It returns an overlay with the patched texts, or nil if
// there is nothing to patch.
func (k *conflicts) patch(c *compilation, u Unit, stderr string) *overlay {
	quantified := quantifier.Mentioned([]byte(stderr))
	if k.rounds++; k.rounds > 20 || !quantified && !c.forCBMC() { // clang stops after 20 errors
		return nil
	}
	if k.texts == nil {
		k.texts = map[string][]byte{}
	}
	patched := false
	places := parseDiagnostics(stderr, u.path(), u.Dir)
	if !quantified && k.tolerate(c, places) {
		return k.lay(c)
	}
	// from right to left, so that columns stay valid
	slices.SortStableFunc(places, func(a, b Diagnostic) int { return b.Column - a.Column })
	for _, d := range places {
		if !quantified || d.File == "" {
			break
		}
		text := k.texts[d.File]
		if text == nil {
			data, err := c.read(d.File)
			if err != nil {
				continue
			}
			text = data
		}
		if text, ok := quantifier.Rewrite(text, quantifier.Expanded); ok {
			k.texts[d.File] = text
			patched = true
		}
	}
	if patched { // errors caused by the quantifiers are not for the user
		k.original = nil
	}
	for i, d := range places {
		if patched && quantified { // the other errors may be due to quantifiers, or have moved
			break
		}
		if m := structOperands.FindStringSubmatch(d.Message); m != nil && d.Severity == "error" &&
			!slices.Contains(places[:i], d) {
			if text := k.text(c, d.File); text != nil {
				if at, ok := offsetOf(text, d.Line, d.Column); ok {
					if text, ok := compareBytes(text, at); ok {
						k.texts[d.File] = text
						patched = true
					}
				}
			}
			continue
		}
		m := conflicting.FindStringSubmatch(d.Message)
		again := redefinition.FindStringSubmatch(d.Message)
		if again != nil {
			m = again
		}
		if m == nil || d.Severity != "error" || slices.Contains(places[:i], d) {
			continue
		}
		text := k.texts[d.File]
		if text == nil {
			data, err := c.read(d.File)
			if err != nil {
				continue
			}
			text = data
		}
		at, ok := offsetOf(text, d.Line, d.Column)
		if !ok || !bytes.HasPrefix(text[at:], []byte(m[1])) { // it comes from a macro
			continue
		}
		if again != nil {
			if !bytes.HasPrefix(bytes.TrimLeft(text[at+len(m[1]):], " \t"), []byte("(")) || slices.Contains(k.replaced, m[1]) {
				continue // a variable, or a third definition
			}
			k.texts[d.File] = slices.Concat(text[:at], []byte(conflictPrefix), text[at:])
			k.replaced = append(k.replaced, m[1])
			k.notes = append(k.notes, found.Assumption{What: found.SecondCounts, Name: m[1],
				At: found.Pos{File: d.File, Line: d.Line}})
			patched = true
			continue
		}
		k.texts[d.File] = slices.Concat(text[:at], []byte(conflictPrefix), text[at:])
		k.names = append(k.names, m[1])
		k.notes = append(k.notes, found.Assumption{What: found.ConflictingTypes, Name: m[1],
			At: found.Pos{File: d.File, Line: d.Line}})
		patched = true
	}
	if !patched {
		return nil
	}
	return k.lay(c)
}

// text returns the current patched text of a file, or nil if the file cannot be read.
func (k *conflicts) text(c *compilation, file string) []byte {
	if text := k.texts[file]; text != nil {
		return text
	}
	text, err := c.read(file)
	if err != nil {
		return nil
	}
	return text
}

// guess rewrites the quantifiers in the files that a unit may read, before clang complains about them. It returns nil
// if there are none. Rewriting a file that clang does not read has no effect: clang would refuse any text that is
// rewritten.
func (k *conflicts) guess(c *compilation, reached []reachedFile, user []string) *overlay {
	if slices.ContainsFunc(user, func(f string) bool { return quantifier.Mentioned([]byte(f)) }) {
		return nil // a macro of the command line
	}
	rewritten := map[string][]byte{}
	for _, f := range reached {
		if !quantifier.Mentioned(f.text) {
			continue
		}
		if definesQuantifier.Match(f.text) {
			return nil // they have another meaning then
		}
		if text, ok := quantifier.Rewrite(f.text, quantifier.Expanded); ok {
			rewritten[f.path] = text
		}
	}
	if len(rewritten) == 0 {
		return nil
	}
	k.texts = rewritten
	return k.lay(c)
}

// definesQuantifier matches the definition of a macro with the name of a quantifier.
var definesQuantifier = lazyregexp.New(`(?m)^[ \t]*#[ \t]*define[ \t]+__CPROVER_(?:forall|exists)\b`)

// lay returns an overlay with the patched texts on top of the request's.
func (k *conflicts) lay(c *compilation) *overlay {
	texts := maps.Clone(k.texts)
	for path, text := range c.request.Virtual {
		if texts[path] == nil {
			texts[path] = text
		}
	}
	dir, err := os.MkdirTemp(c.dir, "conflict")
	if err != nil {
		return nil
	}
	return newOverlay(texts, dir)
}

// restore gives renamed functions their own names back. It returns false if the file also refers to a function under
// its first type, since the module would have two types for it.
func (k *conflicts) restore(text []byte) ([]byte, bool) {
	for _, name := range k.names {
		if bytes.Contains(text, []byte("@"+conflictPrefix+name+"(")) && bytes.Contains(text, []byte("@"+name+"(")) {
			return nil, false
		}
	}
	for _, name := range k.replaced {
		var ok bool
		if text, ok = withoutInline(text, name); !ok {
			return nil, false
		}
	}
	// Strings (__func__) keep the prefix: their types contain their length.
	text = bytes.ReplaceAll(text, []byte("@"+conflictPrefix), []byte("@"))
	return bytes.ReplaceAll(text, []byte(`ame: "`+conflictPrefix), []byte(`ame: "`)), true
}

// offsetOf returns the offset of a line and column, which count from 1.
func offsetOf(text []byte, line, column int) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	at += column - 1
	return at, column >= 1 && at <= len(text)
}

// temporary reports whether a path lies in the folder for temporary files.
func (c *compilation) temporary(path string) bool {
	return filepath.Dir(path) == c.dir || filepath.Dir(filepath.Dir(path)) == c.dir
}

// withoutInline removes the inline definition of a function from a module that has another definition under the
// prefixed name. It returns false if the first one is not inline or has another type.
func withoutInline(text []byte, name string) ([]byte, bool) {
	find := func(name string) (start, end int, head string) {
		call := []byte(" @" + name + "(")
		for at := 0; ; {
			n := bytes.Index(text[at:], call)
			if n < 0 {
				return -1, -1, ""
			}
			at += n
			start := bytes.LastIndexByte(text[:at], '\n') + 1
			if bytes.HasPrefix(text[start:], []byte("define ")) {
				end := start + bytes.Index(text[start:], []byte("\n}\n")) + len("\n}\n")
				head, _, _ := bytes.Cut(text[start:], []byte("\n"))
				return start, end, string(head)
			}
			at += len(call)
		}
	}
	start, end, head := find(name)
	_, _, other := find(conflictPrefix + name)
	if start < 0 || other == "" { // the inline one is unused
		return text, other != ""
	}
	signature := func(head, name string) string {
		before, after, _ := strings.Cut(head, " @"+name+"(")
		args, _, _ := strings.Cut(after, ") ")
		return before[strings.LastIndexByte(before, ' ')+1:] + "(" + args
	}
	_, group, _ := strings.Cut(head, ") #")
	attributes := append([]byte("attributes #"), group[:len(group)-len(strings.TrimLeft(group, "0123456789"))]...)
	_, line, _ := bytes.Cut(text, append(attributes, " = {"...))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	if !bytes.Contains(line, []byte(" inlinehint ")) || signature(head, name) != signature(other, conflictPrefix+name) {
		return nil, false
	}
	return slices.Concat(text[:start], text[end:]), true
}
