// Package docs holds the pages of documentation that the program itself shows.
package docs

import (
	_ "embed" // for the pages
	"strings"
)

//go:embed kinds.md
var kinds string

// Kinds is the page on the kinds of findings, in Markdown.
func Kinds() string { return kinds }

// Off tells whether the page says of a kind that it is not checked by default.
func Off(kind string) bool { return strings.Contains(Kind(kind), " Off unless asked for: ") }

// Kind is the section of that page on one kind, with its heading; "" where there is none.
func Kind(name string) string {
	if name == "" {
		return ""
	}
	_, rest, found := strings.Cut(kinds, "\n## "+name+"\n")
	if !found {
		return ""
	}
	section, _, _ := strings.Cut(rest, "\n## ")
	return "# " + name + "\n" + strings.TrimRight(section, "\n") + "\n"
}
