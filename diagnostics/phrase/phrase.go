// Package phrase converts the data of package found to English: reasons, assumptions, steps of a trace. For example
//
//	found.Reason{Why: found.StepBudget}
//
// becomes "the budget of solver steps (--solver-steps) ended". It also has the elements of all sentences: text that
// is safe for one line and for a terminal, quotes, numbers with their nouns, places relative to a file.
//
// Reason (reason.go), Assumption (assumption.go) and Step (phrase.go) are the entry points. The package depends
// neither on findings nor on source text, and prints file names as given.
package phrase

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// MaxQuote limits quoted source text in a sentence, in runes.
const MaxQuote = 80

// Quote returns source text in backticks for a sentence, shortened to MaxQuote.
func Quote(text string) string { return "`" + Shorten(text, MaxQuote) + "`" }

// Where names a place as seen from a file: "line 12", or "list.c:12" in another file.
func Where(from, file string, line int) string {
	if file == from || file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Count returns "1 iteration", "4 iterations".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OneLine makes text safe for a message: valid UTF-8, with runs of space and control characters as one space, and
// without space at both ends.
func OneLine(s string) string {
	s = Printable(s)
	return strings.Join(strings.Fields(s), " ")
}

// Name returns the displayed name of a file, a function or a proof, on one line. File systems and users allow any
// characters.
func Name(s string) string {
	if strings.ContainsAny(s, "\n\t\r") {
		s = strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s)
	}
	return Printable(s)
}

// Printable replaces invalid UTF-8 and characters that control a terminal. Line ends and tabs stay.
func Printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == '\r' {
			return ' '
		}
		// C0, DEL, C1, the marks that reorder text (CVE-2021-42574), and characters that XML excludes.
		if r == 0xfffe || r == 0xffff || r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 &&
			r <= 0x2069 {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Shorten crops text to at most n runes.
func Shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// AfterColon returns ": " and the text, or "" for an empty text.
func AfterColon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// Step returns the text of a step: the engine's text, or one made from the step's fields.
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
		return OneLine(string(s.Event) + " " + s.Value)
	}
	return string(s.Event)
}
