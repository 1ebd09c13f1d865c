package project

import (
	"bytes"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
)

// Entry is a function that can be the entry of a unit proof, at its name. Lines and columns
// count from 1, columns in bytes.
type Entry struct {
	Name         string
	Line, Column int
	EndLine      int // of the function's last line
}

// Source is what the text of a C file says by itself about unit proofs.
type Source struct {
	Entries []Entry // in the order of the file, each name once
	// UsesLanguage: the file includes unitproof.h, or calls or declares a function of the proof
	// language. Without it a file's entries are proofs only if somebody says so.
	UsesLanguage bool
	// SavedRun: a counterexample that was saved as a program. It has the proof in it and is none, and what
	// it defines is for itself alone.
	SavedRun bool
}

// HoldsProofs tells whether the file's entries are unit proofs without any configuration.
func (s Source) HoldsProofs() bool { return s.UsesLanguage && len(s.Entries) > 0 }

// IsEntryName tells whether a function of this name is an entry by its name.
func IsEntryName(name string) bool {
	return name == "main" || strings.HasSuffix(name, "_harness") || strings.HasSuffix(name, "_proof") ||
		strings.HasPrefix(name, "proof_")
}

// needle is a text to look for that starts or ends at the end of an identifier.
type needle struct {
	text       []byte
	start, end bool // no letter, digit or underscore before, behind
}

var entryNeedles = []needle{
	{[]byte("main"), true, true}, {[]byte("_harness"), false, true}, {[]byte("_proof"), false, true}, {[]byte("proof_"), true, false},
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
			if !(n.start && start > 0 && isIdentByte(text[start-1])) && !(n.end && i < len(text) && isIdentByte(text[i])) {
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
	if !containsAny(text, entryNeedles) {
		return Source{}
	}
	if isSavedRun(text) {
		return Source{SavedRun: true}
	}
	l := scanLanguage(text, IsEntryName)
	if len(l.places) == 0 {
		return Source{UsesLanguage: l.uses}
	}
	return Source{Entries: definitionsAt(text, l.places), UsesLanguage: l.uses}
}

// discover is ReadSource for a file of which only its proofs matter: it saves the parse where
// the file does not use the proof language.
func discover(text []byte) Source {
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
	return Source{Entries: definitionsAt(text, l.places), UsesLanguage: true}
}

// staticEntries are the static functions that would be entries by their names.
func staticEntries(text []byte) []Entry {
	return definitionsOf(text, scanLanguage(text, IsEntryName).places, true)
}

// findFunction is the definition of one function, found like entries are; static ones count.
func findFunction(text []byte, name string) (Entry, bool) {
	l := scanLanguage(text, func(s string) bool { return s == name })
	for _, e := range definitionsOf(text, l.places, true) {
		return e, true
	}
	return Entry{}, false
}

// mentions is the result of one lexical pass over a file: what it uses of the proof language, and of the names that were asked for.
type mentions struct {
	uses   bool
	places []token // identifiers that were asked for, outside of comments and strings
}

// scanLanguage looks for the proof language and for identifiers of interest.
func scanLanguage(text []byte, interesting func(string) bool) mentions {
	var l mentions
	used, defined := map[string]bool{}, map[string]bool{}
	directive := "" // of the preprocessor line that the last token was on: "#", then its name
	for s := (scanner{text: text}); ; {
		t := s.next()
		if t.kind == tokenEnd {
			break
		}
		switch {
		case t.kind == tokenByte && text[t.start] == '#':
			directive = "#"
			continue
		case t.kind != tokenIdent:
			directive = ""
			continue
		}
		name := text[t.start:t.end]
		switch directive {
		case "#":
			directive = string(name)
			if directive == "include" && includesUnitproof(text[t.end:]) {
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
			call := readCall(text, t.end)
			switch {
			case call.body:
				defined[word] = true
			case call.is && (entry.Role != language.Nondet || call.empty):
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

// call is what follows an identifier, judged by its tokens.
type call struct {
	is    bool // an opening parenthesis follows
	empty bool // () or (void)
	body  bool // (...) and then a brace, with only words and further (...) between
}

// maxNesting bounds the parentheses that readCall follows; f(f(f(… would take quadratic time.
const maxNesting = 64

func readCall(text []byte, at int) call {
	s := scanner{text: text, i: at}
	next := func() token {
		for {
			if t := s.next(); t.kind != tokenComment {
				return t
			}
		}
	}
	t := next()
	if t.kind != tokenByte || text[t.start] != '(' {
		return call{}
	}
	c := call{is: true}
	inside, first := 0, token{}
	for depth := 1; depth > 0; {
		if t = next(); t.kind == tokenEnd {
			return c
		}
		if t.kind == tokenByte {
			switch text[t.start] {
			case '(':
				if depth++; depth > maxNesting {
					return c
				}
			case ')':
				depth--
			case '{', '}', ';':
				return c
			}
		}
		if depth > 0 {
			if inside++; inside == 1 {
				first = t
			}
		}
	}
	c.empty = inside == 0 || inside == 1 && string(text[first.start:first.end]) == "void"
	for depth := 0; ; {
		switch t = next(); {
		case t.kind == tokenIdent || t.kind == tokenString && depth > 0 || t.kind == tokenNumber && depth > 0:
		case t.kind != tokenByte:
			return c
		case text[t.start] == '(':
			depth++
		case text[t.start] == ')' && depth > 0:
			depth--
		case text[t.start] == ',' && depth > 0:
		case text[t.start] == '{' && depth == 0:
			c.body = true
			return c
		default:
			return c
		}
	}
}
