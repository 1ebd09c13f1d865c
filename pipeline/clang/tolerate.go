package clang

import (
	"bytes"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Further code that goto-cc accepts and clang refuses, besides conflicting types:
//
//   - `static` on a declaration after one without it: the word is removed;
//   - a variable of a function's outermost block with the name of a parameter: the parameter, which is hidden from
//     there on, gets another name; if it is used before, clang's errors are final;
//   - assignments to const members: the word is removed.

var (
	staticBehind = lazyregexp.New(`^static declaration of '(\w+)' follows non-static declaration$`)
	hides        = lazyregexp.New(`^redefinition of '(\w+)'(?: with a different type: .*)?$`)
	constMember  = lazyregexp.New(`^cannot assign to (?:non-static data member '\w+' with const-qualified type |` +
		`variable '\w+' with (?:nested )?const-qualified data member )`)
	declaredConst = lazyregexp.New(`(?:^|non-static )data member '(\w+)' declared const here$`)
)

// tolerate changes the texts so that clang accepts the code in its first list of errors, and reports whether it changed
// any. Positions stay valid: words are overwritten by blanks, and a new name is the only change of its round.
func (k *conflicts) tolerate(c *compilation, places []Diagnostic) bool {
	patched := false
	note := func(what found.Assumed, name string, d Diagnostic) {
		n := found.Assumption{What: what, Name: name, At: found.Pos{File: d.File, Line: d.Line}}
		if !slices.ContainsFunc(k.notes, func(o found.Assumption) bool {
			return o.What == n.What && o.Name == n.Name && o.At == n.At
		}) {
			k.notes = append(k.notes, n)
		}
	}
	// named returns the text and offset of a diagnostic's position if the name is there.
	named := func(d Diagnostic, name string) ([]byte, int) {
		text := k.text(c, d.File)
		at, ok := offsetOf(text, d.Line, d.Column)
		if !ok || !bytes.HasPrefix(text[at:], []byte(name)) { // it comes from a macro
			return nil, 0
		}
		return text, at
	}
	for i, d := range places {
		if d.Severity != "error" || d.File == "" {
			continue
		}
		notes := places[i+1:]
		if n := slices.IndexFunc(notes, func(d Diagnostic) bool { return d.Severity != "note" }); n >= 0 {
			notes = notes[:n]
		}
		if m := staticBehind.FindStringSubmatch(d.Message); m != nil {
			if text, at := named(d, m[1]); text != nil {
				if text := withoutWord(text, at, "static", 0); text != nil {
					k.texts[d.File] = text
					note(found.StaticBehind, m[1], d)
					patched = true
				}
			}
		}
		if constMember.MatchString(d.Message) {
			for _, n := range notes {
				m := declaredConst.FindStringSubmatch(n.Message)
				if m == nil {
					continue
				}
				text, at := named(n, m[1])
				if text == nil {
					continue
				}
				pointer := bytes.LastIndexByte(text[:at], '*') + 1 // a const before it belongs to the target
				if text := withoutWord(text, at, "const", pointer); text != nil {
					k.texts[n.File] = text
					note(found.ConstMember, m[1], d)
					patched = true
				}
			}
		}
	}
	for i, d := range places {
		m := hides.FindStringSubmatch(d.Message)
		if patched || m == nil || d.Severity != "error" || i+1 == len(places) ||
			places[i+1].Message != "previous definition is here" || places[i+1].File != d.File {
			continue
		}
		text, at := named(places[i+1], m[1])
		if text == nil || !isParameter(text, at) {
			continue
		}
		k.texts[d.File] = slices.Concat(text[:at], []byte(conflictPrefix), text[at:])
		note(found.HiddenParameter, m[1], d)
		patched = true
	}
	return patched
}

// withoutWord returns a text without a word that belongs to the declaration of the name at an offset. It overwrites the
// last occurrence of the word between from and the name by blanks, and returns nil if there is none.
func withoutWord(text []byte, name int, word string, from int) []byte {
	start := max(from, bytes.LastIndexAny(text[:name], ";{}#\"")+1)
	if strings.Contains(string(text[start:name]), "*/") { // words in comments do not count
		start += bytes.LastIndex(text[start:name], []byte("*/")) + len("*/")
	}
	at := bytes.LastIndex(text[start:name], []byte(word))
	if at < 0 {
		return nil
	}
	at += start
	end := at + len(word)
	if at > 0 && asm.InName(text[at-1]) || asm.InName(text[end]) {
		return nil
	}
	return slices.Concat(text[:at], bytes.Repeat([]byte(" "), len(word)), text[end:])
}

// isParameter reports whether the name at an offset is declared in the parentheses before a function's body.
func isParameter(text []byte, at int) bool {
	depth := 0
	for open := at - 1; open >= 0; open-- {
		switch text[open] {
		case ')':
			depth++
		case ';', '{', '}':
			return false
		case '(':
			if depth--; depth < 0 {
				end := asm.Closing(text, open)
				return end > at && bytes.HasPrefix(bytes.TrimSpace(text[end+1:]), []byte("{"))
			}
		}
	}
	return false
}
