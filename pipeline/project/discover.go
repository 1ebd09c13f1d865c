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

// Entry is a function that can be the entry of a unit proof, at its name.
type Entry = csource.Definition

// Source is what the text of a C file says by itself about unit proofs.
type Source struct {
	Entries []Entry // in the order of the file, each name once
	// Contracts are the functions with contracts that the file defines. What calls one of them and does nothing else is no
	// entry.
	Contracts []Entry
	// UsesLanguage: the file includes unitproof.h, calls or declares a function of the proof language, or defines a fuzz
	// target. Without it a file's entries are proofs only if the user names them.
	UsesLanguage bool
	// SavedRun: a counterexample that was saved as a program. It has the proof in it and is none, and what
	// it defines is for itself alone.
	SavedRun bool
	// TooDeep: brackets are nested so deep that the text is not parsed, though there may be an entry.
	TooDeep bool
}

// HoldsProofs tells whether the file's entries are unit proofs without any configuration.
func (s Source) HoldsProofs() bool {
	return s.UsesLanguage && len(s.Entries) > 0 || len(s.Contracts) > 0
}

// IsEntryName tells whether a function of this name is an entry by its name.
func IsEntryName(name string) bool {
	return name == "main" || name == language.FuzzTarget ||
		strings.HasSuffix(name, "_harness") || strings.HasSuffix(name, "_proof") ||
		strings.HasPrefix(name, "proof_")
}

// needle is a text to look for that starts or ends at the end of an identifier.
type needle struct {
	text       []byte
	start, end bool // no letter, digit or underscore before, behind
}

var entryNeedles = []needle{
	{[]byte("main"), true, true}, {[]byte(language.FuzzTarget), true, true},
	{[]byte("_harness"), false, true}, {[]byte("_proof"), false, true},
	{[]byte("proof_"), true, false},
}

// languageNeedles find at least what scanLanguage finds.
var languageNeedles = func() []needle {
	needles := []needle{{[]byte("unitproof.h"), false, true}}
	var prefixes []string
	entries := language.ProofLanguage()
	for _, e := range slices.Backward(entries) { // prefixes stand last
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

// savedRunMark stands in the comment at the beginning of a program that pipeline/replay has saved.
const savedRunMark = "A counterexample of unitproof with its inputs"

// isSavedRun tells whether a file is a counterexample that was saved as a program. A user saves it beside
// the proof as a rule, where it would be found as a proof that does not even compile.
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

// ReadSource finds the entries of a file: definitions of functions with external linkage whose
// name says so. A static function (and a C99 inline one) is none: clang emits no code for it
// unless the file calls it, and then it is a helper. Code under "#if 0" is not looked at; of
// other conditions both branches count.
//
// It needs no well-formed code and no UTF-8.
func ReadSource(text []byte) Source {
	// Most files of a workspace hold no proof: they end here, at the speed of a byte search.
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

// fuzzTargets returns the entries of a file, and whether they are proofs without any configuration. A file that does
// not use the proof language holds no proof but its fuzz target: its main is that of a program.
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

// sourceReader is SourceOf for a file.
func sourceReader(path string) func(text []byte) Source {
	return func(text []byte) Source { return SourceOf(path, text) }
}

// SourceOf is ReadSource for a file that somebody named or opened, which may be no C. What is not C is looked at only
// then.
func SourceOf(path string, text []byte) Source {
	if ir.KindOf(path) == ir.C {
		return ReadSource(text)
	}
	s := Source{UsesLanguage: containsAny(text, languageNeedles)}
	for _, e := range ForeignFunctions(path, text) {
		// A main is that of a program, unless it is written as a proof. Other names of proofs say enough.
		if IsEntryName(e.Name) && (s.UsesLanguage || e.Name != "main") {
			s.Entries = append(s.Entries, e)
		}
	}
	s.UsesLanguage = s.UsesLanguage || len(s.Entries) > 0
	return s
}

// ForeignFunctions are the functions that a file that is no C defines and others can call, in its order.
func ForeignFunctions(path string, text []byte) []Entry {
	var list []Entry
	for _, d := range ir.Definitions(ir.KindOf(path), text) {
		list = append(list, Entry{Name: d.Name, Line: d.Line, Column: d.Column})
	}
	return list
}

// HoldsText tells whether a file is one that people read and edit, and that can hold proofs: C, Rust or LLVM assembly.
func HoldsText(path string) bool {
	return isC(path) || IsForeign(path)
}

// IsForeign tells whether a file that can hold proofs is no C, but a text: what it holds is known when somebody names
// or opens it. A folder is not searched for such files.
func IsForeign(path string) bool {
	kind := ir.KindOf(path)
	return kind == ir.Rust || kind == ir.Assembly
}

// discover is ReadSource for a file of which only its proofs matter: it saves the parse where
// the file does not use the proof language.
func discover(text []byte) Source {
	if bytes.Contains(text, []byte("__CPROVER_")) {
		return ReadSource(text)
	}
	if bytes.Contains(text, []byte(language.FuzzTarget)) {
		return ReadSource(text)
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

// staticEntries are the static functions that would be entries by their names.
func staticEntries(text []byte) []Entry {
	return csource.Definitions(text, scanLanguage(text, IsEntryName).places, true)
}

// findFunction is the definition of one function, found like entries are; static ones count.
func findFunction(text []byte, name string) (Entry, bool) {
	l := scanLanguage(text, func(s string) bool { return s == name })
	for _, e := range csource.Definitions(text, l.places, true) {
		return e, true
	}
	return Entry{}, false
}

// mentions is the result of one lexical pass over a file: what it uses of the proof language, and of the names that
// were asked for.
type mentions struct {
	uses   bool
	places []csource.Token // identifiers that were asked for, outside of comments and strings
}

// scanLanguage looks for the proof language and for identifiers of interest.
func scanLanguage(text []byte, interesting func(string) bool) mentions {
	var l mentions
	used, defined := map[string]bool{}, map[string]bool{}
	directive := "" // of the preprocessor line that the last token was on: "#", then its name
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
