package project

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Entry is a function that can be the entry of a unit proof, with the position of its name.
type Entry = csource.Definition

// Source is the result of reading a C file without any configuration.
type Source struct {
	Entries []Entry // in the order of the file, without duplicates
	// Contracts are the functions with contracts that the file defines. A function that only calls one of them is not
	// an entry.
	Contracts []Entry
	// UsesLanguage reports whether the file includes unitproof.h, calls or declares a function of the proof language,
	// or defines a fuzz target. Without it, entries are proofs only if the user names them.
	UsesLanguage bool
	// SavedRun reports whether the file is a counterexample saved as a program. It contains the proof but is not one,
	// and its definitions are for itself only.
	SavedRun bool
	// TooDeep reports that the text is not parsed because brackets are nested too deeply, though it may contain an
	// entry.
	TooDeep bool
}

// HoldsProofs reports whether the file's entries are unit proofs without any configuration.
func (s Source) HoldsProofs() bool {
	return s.UsesLanguage && len(s.Entries) > 0 || len(s.Contracts) > 0
}

// IsEntryName reports whether a function with this name is an entry.
func IsEntryName(name string) bool {
	return name == "main" || name == language.FuzzTarget ||
		strings.HasSuffix(name, "_harness") || strings.HasSuffix(name, "_proof") ||
		strings.HasPrefix(name, "proof_")
}

// needle is a search text, with conditions on the neighbouring bytes.
type needle struct {
	text       []byte
	start, end bool // no letter, digit or underscore before it, behind it
}

var entryNeedles = []needle{
	{[]byte("main"), true, true}, {[]byte(language.FuzzTarget), true, true},
	{[]byte("_harness"), false, true}, {[]byte("_proof"), false, true},
	{[]byte("proof_"), true, false},
}

// languageNeedles match at least the texts that scanLanguage accepts.
var languageNeedles = func() []needle {
	needles := []needle{{[]byte("unitproof.h"), false, true}}
	var prefixes []string
	entries := language.ProofLanguage()
	for _, e := range slices.Backward(entries) { // prefixes come last
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(e.Name, p) }) {
			continue
		}
		if e.Prefix() {
			prefixes = append(prefixes, e.Name)
		}
		needles = append(needles, needle{[]byte(e.Name), true, !e.Prefix()})
	}
	return needles
}()

// savedRunMark is in the comment at the beginning of a program saved by pipeline/replay.
const savedRunMark = "A counterexample of unitproof with its inputs"

// isSavedRun reports whether a file is a counterexample saved as a program. Users usually save it beside the proof,
// where it would be found as a proof that does not even compile.
func isSavedRun(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("/*")) {
		return false
	}
	head, _, _ := bytes.Cut(text, []byte("*/"))
	return bytes.Contains(head, []byte(savedRunMark))
}

func containsAny(text []byte, needles []needle) bool {
	for _, n := range needles {
		for i := 0; ; {
			found := bytes.Index(text[i:], n.text)
			if found < 0 {
				break
			}
			start := i + found
			i = start + len(n.text)
			if !(n.start && start > 0 && csource.IsIdentByte(text[start-1])) &&
				!(n.end && i < len(text) && csource.IsIdentByte(text[i])) {
				return true
			}
		}
	}
	return false
}

// ReadSource finds the entries of a file: definitions of functions with external linkage and the name of an entry.
// Static functions and C99 inline functions are excluded: clang emits code for them only if the file calls them, so
// they are helpers. Code under "#if 0" is skipped; both branches of other conditions are read.
//
// It accepts malformed code and text that is not UTF-8.
func ReadSource(text []byte) Source {
	// Most files of a workspace contain no proof: for them the function returns here, after a byte search.
	named := containsAny(text, entryNeedles)
	if !named && !contract.Mentions(text) {
		return Source{}
	}
	if isSavedRun(text) {
		return Source{SavedRun: true}
	}
	functions, harnesses := contract.Defined(text)
	var contracts []Entry
	for _, f := range functions {
		contracts = append(contracts, Entry{Name: f.Name, Line: f.Line, Column: f.Column})
	}
	if !named {
		return Source{Contracts: contracts}
	}
	l := scanLanguage(text, IsEntryName)
	if len(l.places) == 0 {
		return Source{UsesLanguage: l.uses, Contracts: contracts}
	}
	entries := csource.Definitions(text, l.places, false)
	entries, l.uses = fuzzTargets(entries, l.uses)
	if len(contracts) > 0 {
		entries = slices.DeleteFunc(entries, func(e Entry) bool { return slices.Contains(harnesses, e.Name) })
	}
	return Source{Entries: entries, UsesLanguage: l.uses, Contracts: contracts, TooDeep: csource.NestedTooDeep(text)}
}

// fuzzTargets returns the entries of a file, and whether they are proofs without any configuration. In a file that does
// not use the proof language only the fuzz target is a proof: its main is that of a program.
func fuzzTargets(entries []Entry, uses bool) ([]Entry, bool) {
	if uses || !slices.ContainsFunc(entries, isFuzzTarget) {
		return entries, uses
	}
	return slices.DeleteFunc(entries, func(e Entry) bool { return !isFuzzTarget(e) }), true
}

func isFuzzTarget(e Entry) bool { return e.Name == language.FuzzTarget }

// isCPlusPlus reports whether compilers take a file for C++ by its name.
func isCPlusPlus(path string) bool {
	switch filepath.Ext(path) {
	case ".cc", ".cp", ".cxx", ".cpp", ".c++", ".C", ".CPP":
		return true
	}
	return false
}

// sourceReader returns SourceOf for a file.
func sourceReader(path string) func(text []byte) Source {
	return func(text []byte) Source { return SourceOf(path, text) }
}

// SourceOf is like ReadSource for a file that the user named or opened, which may be in another language than C. Such
// files are read only in this case.
func SourceOf(path string, text []byte) Source {
	if ir.KindOf(path) == ir.C {
		return ReadSource(text)
	}
	s := Source{UsesLanguage: containsAny(text, languageNeedles)}
	for _, e := range ForeignFunctions(path, text) {
		// A main belongs to a program, unless it uses the proof language. Other names of proofs are sufficient.
		if IsEntryName(e.Name) && (s.UsesLanguage || e.Name != "main") {
			s.Entries = append(s.Entries, e)
		}
	}
	s.UsesLanguage = s.UsesLanguage || len(s.Entries) > 0
	return s
}

// ForeignFunctions returns the functions with external linkage of a file that is not C, in its order.
func ForeignFunctions(path string, text []byte) []Entry {
	var list []Entry
	for _, d := range ir.Definitions(ir.KindOf(path), text) {
		list = append(list, Entry{Name: d.Name, Line: d.Line, Column: d.Column})
	}
	return list
}

// HoldsText reports whether a file is a text that can contain proofs: C, Rust or LLVM assembly.
func HoldsText(path string) bool {
	return isC(path) || IsForeign(path)
}

// IsForeign reports whether a file is a text in another language than C that can contain proofs. Such files are read
// only if the user names or opens them; folders are not searched for them.
func IsForeign(path string) bool {
	kind := ir.KindOf(path)
	return kind == ir.Rust || kind == ir.Assembly
}

// discover is like ReadSource if only the proofs of a file matter: it skips parsing if the file does not use the proof
// language.
func discover(text []byte) Source {
	for _, word := range []string{"__CPROVER_", "unitproof_", language.FuzzTarget} { // contracts, and targets
		if bytes.Contains(text, []byte(word)) {
			return ReadSource(text)
		}
	}
	if !containsAny(text, entryNeedles) || !containsAny(text, languageNeedles) {
		return Source{}
	}
	if isSavedRun(text) {
		return Source{SavedRun: true}
	}
	l := scanLanguage(text, IsEntryName)
	if !l.uses || len(l.places) == 0 {
		return Source{UsesLanguage: l.uses}
	}
	return Source{Entries: csource.Definitions(text, l.places, false), UsesLanguage: true,
		TooDeep: csource.NestedTooDeep(text)}
}

// staticEntries returns the static functions with names of entries.
func staticEntries(text []byte) []Entry {
	return csource.Definitions(text, scanLanguage(text, IsEntryName).places, true)
}

// findFunction returns the definition of one function, in the same way as entries, including static functions.
func findFunction(text []byte, name string) (Entry, bool) {
	l := scanLanguage(text, func(s string) bool { return s == name })
	for _, e := range csource.Definitions(text, l.places, true) {
		return e, true
	}
	return Entry{}, false
}

// mentions is the result of one lexical pass over a file: its use of the proof language, and the occurrences of certain
// names.
type mentions struct {
	uses   bool
	places []csource.Token // wanted identifiers, outside comments and strings
}

// scanLanguage searches the proof language and identifiers of interest.
func scanLanguage(text []byte, interesting func(string) bool) mentions {
	var l mentions
	used, defined := map[string]bool{}, map[string]bool{}
	directive := "" // the directive of the last token's line: "#", later its name
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Scan()
		if t.Kind == csource.End {
			break
		}
		switch {
		case t.Kind == csource.Operator && text[t.Start] == '#':
			directive = "#"
			continue
		case t.Kind != csource.Ident:
			directive = ""
			continue
		}
		name := text[t.Start:t.End]
		switch directive {
		case "#":
			directive = string(name)
			if directive == "include" && includesUnitproof(text[t.End:]) {
				l.uses = true
			}
			continue
		case "define":
			defined[string(name)] = true
			directive = ""
			continue
		}
		directive = ""
		word := string(name)
		if interesting(word) {
			l.places = append(l.places, t)
		}
		if l.uses {
			continue
		}
		switch entry := language.Lookup(word); {
		case !entry.IsProofLanguage():
		case !entry.Ordinary:
			l.uses = true
		default:
			call := csource.CallBehind(text, t.End)
			switch {
			case call.Body:
				defined[word] = true
			case call.Is && (entry.Role != language.Nondet || call.Empty):
				used[word] = true
			}
		}
	}
	for name := range used {
		if !defined[name] {
			l.uses = true
		}
	}
	return l
}

// includesUnitproof reads what follows "#include".
// It reports whether that is the name of unitproof.h.
func includesUnitproof(rest []byte) bool {
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	rest = bytes.TrimSpace(rest)
	if len(rest) < 2 || rest[0] != '<' && rest[0] != '"' {
		return false
	}
	end := bytes.IndexAny(rest[1:], `>"`)
	if end < 0 {
		return false
	}
	name := string(rest[1 : 1+end])
	return name == "unitproof.h" || strings.HasSuffix(name, "/unitproof.h")
}
