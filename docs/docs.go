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
