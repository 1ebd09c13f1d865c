package kit

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// comment is the prefix of the comments that import writes. Each of its tables begins with a comment with the table's
// key and a checksum of the text that import wrote: if the checksum of the current text differs, the user has changed
// the table.
const comment = "# cbmc: "

// head is the beginning of a file that import creates.
const head = `# Made by "unitproof import cbmc". Give it again when the kit has changed: what you add here stays, and so does what you
# change; keys that you add to a table are best put below its own.
`

// segment is a part of the file: a table with the comments before it, or the text before the first table.
type segment struct {
	table // a table of import has a key, and lines without the marker
	sum   string
	own   bool
}

// Report has the changes of a configuration.
type Report struct {
	Added, Changed, Removed int      // proofs
	Common                  bool     // the settings that all proofs share changed
	Kept                    []string // unchanged proofs: both the user and the kit changed them
}

var (
	markerLine = lazyregexp.New(`^# cbmc: (.*) \[([0-9a-f]{8})\]$`)
	headerLine = lazyregexp.New(`^\s*\[{1,2}\s*([A-Za-z]+)\s*\]{1,2}`)
	keyLine    = lazyregexp.New(`^\s*([A-Za-z0-9_-]+)\s*=`)
)

// Merge writes the proofs to a configuration, which is empty if there was none.
func (k *Kits) Merge(old string) (string, Report) {
	var report Report
	segments := split(old)
	byHand := map[string]bool{}
	for _, s := range segments {
		if m := firstHeader(s.lines); !s.own && m != "" {
			byHand[m] = true
		}
	}
	fresh := k.tables(byHand)
	if old == "" {
		segments = []segment{{table: table{lines: strings.Split(head, "\n")}}}
	}
	var out []string
	seen := map[string]bool{}
	for _, s := range segments {
		if !s.own {
			out = append(out, s.lines...)
			continue
		}
		own, hand := s.parts()
		i := slices.IndexFunc(fresh, func(t table) bool { return t.key == s.key })
		seen[s.key] = true
		isProof := s.key != compileKey && s.key != checkKey
		touched := sum(own) != s.sum
		switch {
		case i >= 0 && (sum(fresh[i].lines) == s.sum || sum(fresh[i].lines) == sum(own)): // the kit is unchanged
			out = append(out, s.marked(s.sum)...)
		case i >= 0 && !touched:
			out = append(out, fresh[i].marked()...)
			out = append(out, hand...)
			if isProof {
				report.Changed++
			} else {
				report.Common = true
			}
		case i < 0 && !touched && !hasKeys(hand):
			out = append(out, comments(hand)...)
			if isProof {
				report.Removed++
			} else {
				report.Common = true
			}
		default:
			report.Kept = append(report.Kept, s.key)
			out = append(out, s.marked(s.sum)...)
		}
	}
	for _, t := range fresh {
		if seen[t.key] {
			continue
		}
		if len(out) > 0 && strings.TrimSpace(out[len(out)-1]) != "" {
			out = append(out, "")
		}
		out = append(out, t.marked()...)
		if t.key != compileKey && t.key != checkKey {
			report.Added++
		} else if old != "" {
			report.Common = true
		}
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n", report
}

func (t *table) marked() []string {
	return append([]string{fmt.Sprintf("%s%s [%s]", comment, t.key, sum(t.lines))}, t.lines...)
}

func (s *segment) marked(sum string) []string {
	return append([]string{fmt.Sprintf("%s%s [%s]", comment, s.key, sum)}, s.lines...)
}

// split returns the tables of a configuration.
func split(text string) (list []segment) {
	if text == "" {
		return nil
	}
	now := segment{}
	headed := false // the current segment has its table
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		marker := markerLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		header := headerLine.MatchString(line)
		switch {
		case marker != nil:
			list = append(list, now)
			now, headed = segment{table: table{key: marker[1]}, sum: marker[2], own: true}, false
			continue
		case header && (!now.own || headed):
			list = append(list, now)
			now, headed = segment{}, true
		case header:
			headed = true
		}
		now.lines = append(now.lines, line)
	}
	return append(list, now)
}

func firstHeader(lines []string) string {
	for _, line := range lines {
		if m := headerLine.FindStringSubmatch(line); m != nil {
			return "[" + m[1] + "]"
		}
	}
	return ""
}

// parts separates the lines that import wrote from added ones: other keys and other comments.
func (s *segment) parts() (own, hand []string) {
	to := &own
	depth := 0 // of the brackets of an unfinished value
	for _, line := range s.lines {
		if depth == 0 {
			trimmed := strings.TrimSpace(line)
			key := keyLine.FindStringSubmatch(line)
			switch {
			case strings.HasPrefix(trimmed, comment), headerLine.MatchString(line),
				key != nil && slices.Contains(ownKeys, key[1]):
				to = &own
			default:
				to = &hand
			}
			depth = brackets(line)
		} else {
			depth += brackets(line)
		}
		*to = append(*to, line)
	}
	return own, hand
}

// brackets returns the number of brackets and braces that a line opens and does not close, outside strings and
// comments.
func brackets(line string) (n int) {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return n
		case c == '[' || c == '{':
			n++
		case c == ']' || c == '}':
			n--
		}
	}
	return n
}

// sum returns the checksum of lines, which ignores blank lines and surrounding space.
func sum(lines []string) string {
	h := sha256.New()
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintln(h, line)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:4])
}

// hasKeys reports whether there are lines other than comments.
func hasKeys(lines []string) bool { return len(comments(lines)) < len(lines) }

// comments returns the lines without a key.
func comments(lines []string) (list []string) {
	for _, line := range lines {
		if t := strings.TrimSpace(line); t == "" || strings.HasPrefix(t, "#") {
			list = append(list, line)
		}
	}
	return list
}
