package clang

import (
	"bytes"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// What goto-cc takes and clang refuses, beside types that conflict: `static` on a declaration behind one without it,
// a variable of a function's outermost block that is called like a parameter, and assignments to members that are
// const. What clang is given then has the word left out, or another name for the parameter, which is hidden from there
// on; where it is used before, clang's errors stand.

var (
	staticBehind = lazyregexp.New(`^static declaration of '(\w+)' follows non-static declaration$`)
	hides        = lazyregexp.New(`^redefinition of '(\w+)'(?: with a different type: .*)?$`)
	constMember  = lazyregexp.New(`^cannot assign to (?:non-static data member '\w+' with const-qualified type |` +
		`variable '\w+' with (?:nested )?const-qualified data member )`)
	declaredConst = lazyregexp.New(`(?:^|non-static )data member '(\w+)' declared const here$`)
)

// tolerate changes the texts so that clang takes what it complains of in its first list of errors; false where there is
// nothing that it could. Places stay true: words are overwritten, and behind another name nothing else is done.
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
	// named is the text of a place at which a name stands, and its offset.
	named := func(d Diagnostic, name string) ([]byte, int) {
		text := k.text(c, d.File)
		at, ok := offsetOf(text, d.Line, d.Column)
		if !ok || !bytes.HasPrefix(text[at:], []byte(name)) { // a macro made it
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
				pointer := bytes.LastIndexByte(text[:at], '*') + 1 // what stands before it is the target's
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

// withoutWord is a text with the last such word between an offset and the name at another overwritten by blanks, where
// it belongs to the declaration of that name; nil where there is none.
func withoutWord(text []byte, name int, word string, from int) []byte {
	start := max(from, bytes.LastIndexAny(text[:name], ";{}#\"")+1)
	if strings.Contains(string(text[start:name]), "*/") { // words of comments are none
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

// isParameter tells whether the name at an offset is declared in the parentheses before a function's body.
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
