package project

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Problem is an error in a configuration or in a call, with a position. Line and Column count from 1, columns in bytes;
// 0 is unknown. Key is the dotted key of the error ("proof[1].checks.signed-overflow", "" for a whole file).
type Problem struct {
	File         string
	Line, Column int
	Key, Message string
}

// Error returns "file:line:column: key: message" without unknown parts.
func (p Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
			if p.Column > 0 {
				fmt.Fprintf(&b, ":%d", p.Column)
			}
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// Problems is a non-empty list of problems as one error, one per line.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single problems for errors.As.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// sortProblems sorts by position and removes duplicates.
func sortProblems(ps []Problem) []Problem {
	sort.SliceStable(ps, func(i, j int) bool {
		a, b := ps[i], ps[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Column != b.Column {
			return a.Column < b.Column
		}
		if a.Key != b.Key {
			return a.Key < b.Key
		}
		return a.Message < b.Message
	})
	var out []Problem
	for i, p := range ps {
		if i == 0 || p != ps[i-1] {
			out = append(out, p)
		}
	}
	return out
}

// didYouMean returns `; did you mean "x"?` for the closest of the known words, or "" if none is close. A word is close
// if at most a third of the letters, rounded up, and at most three differ, or if it is the only one that contains the
// given word.
func didYouMean(word string, known []string) string {
	best, bestDistance := "", min((len(word)+2)/3, 3)
	norm := strings.ToLower(strings.ReplaceAll(word, "_", "-"))
	for _, k := range known {
		if d := editDistance(norm, strings.ToLower(k)); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	if best == "" && len(norm) >= 4 {
		containing := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.Contains(k, norm) })
		if len(containing) == 1 {
			best = containing[0]
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance returns the minimal number of insertions, deletions, replacements and swaps of neighbours (optimal
// string alignment) that turn a into b, in bytes.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 { // no key is that long
		return 64
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// Nearest returns the known name that is most similar to name, or "" if none is close.
func Nearest(name string, known []string) string {
	best, bestDistance := "", min((len(name)+2)/3, 3)
	for _, k := range known {
		if d := editDistance(name, k); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	return best
}

// DidYouMean returns `; did you mean "x"?` for the closest of the names, or "" if none is close.
func DidYouMean(name string, known []string) string {
	if best := Nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
