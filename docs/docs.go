// Package docs holds the pages of documentation that the program itself shows.
package docs

import (
	_ "embed" // for the pages
	"strings"
)

//go:embed kinds.md
var kinds string

//go:embed words.md
var words string

// Kinds is the page on the kinds of findings, in Markdown.
func Kinds() string { return kinds }

// Kind is the section of that page on one kind, with its heading; "" where there is none.
func Kind(name string) string { return section(kinds, name) }

// Word is the section of the page on the words of an answer (verdicts, limits, kinds of assumptions); "" where there is
// none.
func Word(name string) string { return section(words, name) }

// Words are those that the page has sections on, in their order.
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
