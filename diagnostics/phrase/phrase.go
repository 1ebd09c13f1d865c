// Package phrase puts into words what package found has as data: reasons, assumptions, steps. It also has what all
// sentences are made of: text that is fit for a line and a terminal, quotes, numbers with their nouns, places as they
// are seen from a file.
//
// It knows nothing of findings and of sources, and names files as its callers do.
package phrase

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// MaxQuote limits quoted source text in a sentence, in runes.
const MaxQuote = 80

// Quote is source text inside a sentence, in backticks, cut off where it is long.
func Quote(text string) string { return "`" + Shorten(text, MaxQuote) + "`" }

// Where names a place as seen from another file: "line 12", or "list.c:12" elsewhere.
func Where(from, file string, line int) string {
	if file == from || file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Count writes "1 iteration", "4 iterations".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OneLine makes text fit for a message: valid UTF-8, runs of space and control characters as one
// space, none at the ends.
func OneLine(s string) string {
	s = Printable(s)
	return strings.Join(strings.Fields(s), " ")
}

// Name is the name of a file, a function or a proof as it is shown: on one line, whatever the file system or the
// user allows in it.
func Name(s string) string {
	if strings.ContainsAny(s, "\n\t\r") {
		s = strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s)
	}
	return Printable(s)
}

// Printable replaces what is no UTF-8 and what would steer a terminal. Line ends and tabs stay.
func Printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == '\r' {
			return ' '
		}
		// C0, DEL, C1, the marks that reorder text (CVE-2021-42574), and what XML cannot hold.
		if r == 0xfffe || r == 0xffff || r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 &&
			r <= 0x2069 {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Shorten cuts text to at most n runes.
func Shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// AfterColon is what a colon sets apart from the text before it: ": " and the text, "" for none.
func AfterColon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// Step is what a step says: the engine's text, else one made from its parts.
func Step(s *found.Step) string {
	if text := OneLine(s.Text); text != "" {
		return text
	}
	switch {
	case s.LValue != "" && s.Old != "":
		return OneLine(fmt.Sprintf("%s = %s (was %s)", s.LValue, s.Value, s.Old))
	case s.LValue != "":
		return OneLine(fmt.Sprintf("%s = %s", s.LValue, s.Value))
	case s.Value != "":
		return OneLine(s.Event + " " + s.Value)
	}
	return s.Event
}
