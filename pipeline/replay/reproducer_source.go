package replay

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The sources of a reproducer: the user's text, with uninitialized variables filled at their declarations.

// source returns a file without the text of system headers.
func (w *reproducer) source(u SourceText) string { return Flatten(u, w.line) }

// Flatten writes a file without the text of system headers, which stand as lines that include them. line gets each line
// of the other files and their places, and returns what is written for it.
func Flatten(u SourceText, line func(text, file string, line int) string) string {
	var b strings.Builder
	for _, f := range u.Flags {
		if m := featureMacro.FindStringSubmatch(f); m != nil {
			value := m[2]
			if value == "" {
				value = "1"
			}
			fmt.Fprintf(&b, "#ifndef %s\n#define %s %s\n#endif\n", m[1], m[1], value)
		}
	}
	type open struct {
		file   string
		system bool
	}
	var stack []open
	hidden := func() bool { return len(stack) > 0 && stack[len(stack)-1].system }
	file, number := "", 1
	for _, text := range strings.Split(string(u.Text), "\n") {
		m := lineMarker.FindStringSubmatch(text)
		if m == nil {
			if !hidden() {
				b.WriteString(line(text, file, number) + "\n")
			}
			number++
			continue
		}
		n, _ := strconv.Atoi(m[1]) // digits; a number that is too large is no line
		name, flags := m[2], strings.Fields(m[3])
		switch {
		case slices.Contains(flags, "1"):
			inside := hidden()
			system := inside
			// Headers that only clang's own headers include may be missing in other compilers.
			if slices.Contains(flags, "3") && (!inside || strings.Contains(stack[len(stack)-1].file, "/lib/clang/")) {
				folder := systemFolder.FindString(name)
				if folder != "" && !strings.HasPrefix(name[len(folder):], "__") { // private headers of clang

					fmt.Fprintf(&b, "#include <%s>\n", name[len(folder):])
					system = true
				}
			}
			if !system && !strings.HasPrefix(name, "<") {
				fmt.Fprintf(&b, "/* ---- %s ---- */\n", filepath.Base(name))
			}
			stack = append(stack, open{name, system})
		case slices.Contains(flags, "2"):
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
		file, number = name, n
	}
	return emptyLineRuns.ReplaceAllString(b.String(), "\n\n")
}

// line inserts into a line of the source the initialization of uninitialized variables that it declares, and marks the
// violation.
func (w *reproducer) line(text, file string, line int) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	for _, l := range w.locals {
		if l.placed || l.line != line || !sameFile(l.file, file) {
			continue
		}
		if at := declarationEnd(text, l.name); at > 0 {
			text = fmt.Sprintf("%s unitproof_content((void *)&%s, sizeof %s, \"local %d\");%s", text[:at], l.name, l.name,
				l.number, text[at:])
			l.placed = true
		}
	}
	if line == w.job.Line && sameFile(file, w.job.File) {
		text += " /* <- " + string(w.job.Run.Kind) + " */"
	}
	return text
}

// declarationEnd returns the end of the statement that declares a variable without an initializer; 0 if the line has
// none.
func declarationEnd(text, name string) int {
	var m []int
	uses := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*(\[[^\]]*\]\s*)*[;,]`)
	for _, use := range uses.FindAllStringIndex(text, -1) {
		if behindType.MatchString(text[:use[0]]) && !behindKeyword.MatchString(text[:use[0]]) {
			m = use
			break
		}
	}
	if m == nil {
		return 0
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ';':
			if i >= m[1]-1 && depth == 0 {
				return i + 1
			}
		}
		if i == m[0] && depth != 0 {
			return 0 // the head of a for
		}
	}
	return 0
}
