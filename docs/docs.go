// Package docs embeds the pages of documentation that the program itself shows.
//
// kinds.md has a section for each kind of finding, glossary.md one for each term: verdicts, reasons, kinds of
// assumptions and others, some with synonyms.
//
//	docs.Kind("null-dereference")   // "# null-dereference\n\n..."
//	docs.Word("bounded")            // "# bounded\n\n..."
//	docs.Word("havoc")              // "# input\n\nAlso: nondet, havoc, ..."
package docs

import (
	_ "embed" // for the pages
	"slices"
	"strings"
)

//go:embed kinds.md
var kinds string

//go:embed glossary.md
var glossary string

//go:embed instructions.md
var instructions string

// Instructions is the manual for programs that write proofs, in Markdown.
func Instructions() string { return instructions }

// Kinds returns the page on the kinds of findings, in Markdown.
func Kinds() string { return kinds }

// Kind returns the section of that page on one kind, with its heading; "" if there is none.
func Kind(name string) string { return section(kinds, name) }

// Word returns the section of the glossary on a term, given by itself or by a synonym; "" if there is none.
func Word(name string) string {
	for _, names := range terms() {
		if slices.Contains(names, name) {
			return section(glossary, names[0])
		}
	}
	return ""
}

// Words returns the terms of the glossary in order, each followed by its synonyms.
func Words() []string { return slices.Concat(terms()...) }

// terms returns the terms of the glossary, each with the synonyms in its line "Also: …".
func terms() [][]string {
	var all [][]string
	for line := range strings.Lines(glossary) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			all = append(all, []string{name})
		} else if synonyms, ok := strings.CutPrefix(line, "Also: "); ok {
			last := len(all) - 1
			all[last] = append(all[last], strings.Split(strings.TrimSuffix(synonyms, "."), ", ")...)
		}
	}
	return all
}

func section(page, name string) string {
	if name == "" {
		return ""
	}
	_, rest, found := strings.Cut(page, "\n## "+name+"\n")
	if !found {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return "# " + name + "\n" + strings.TrimRight(text, "\n") + "\n"
}
