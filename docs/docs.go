// Package docs embeds the pages of documentation that the program itself shows.
//
// kinds.md has a section for each kind of finding, words.md one for each verdict, limit and kind of assumption:
//
//	docs.Kind("null-dereference")   // "## null-dereference\n\n..."
//	docs.Word("bounded")            // "## bounded\n\n..."
package docs

import (
	_ "embed" // for the pages
	"strings"
)

//go:embed kinds.md
var kinds string

//go:embed words.md
var words string

//go:embed instructions.md
var instructions string

// Instructions is the manual for programs that write proofs, in Markdown.
func Instructions() string { return instructions }

// Kinds returns the page on the kinds of findings, in Markdown.
func Kinds() string { return kinds }

// Kind returns the section of that page on one kind, with its heading; "" if there is none.
func Kind(name string) string { return section(kinds, name) }

// Word returns the section on a word of a result (a verdict, a limit, a kind of assumption); "" if there is none.
func Word(name string) string { return section(words, name) }

// Words returns the words that have sections, in order.
func Words() []string {
	var names []string
	for line := range strings.Lines(words) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
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
