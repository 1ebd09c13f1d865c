package project

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Problem is something wrong in a configuration or in a call, at a place the user can go to.
// Line and Column count from 1, columns in bytes; 0 is unknown. Key is the dotted key it is
// about ("proof[1].checks.signed-overflow", "" for a whole file).
type Problem struct {
	File         string
	Line, Column int
	Key, Message string
}

// Error has the form "file:line:column: key: message" without the parts that are unknown.
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

// Problems is a non-empty list of problems as one error, one on a line.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single problems to errors.As.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// sortProblems orders by place and drops repetitions.
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

// didYouMean is `; did you mean "x"?` for the nearest of the known words, or "" when none is
// near: at most a third of the letters, rounded up, and at most three may differ, or it is the only
// one that contains the word.
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

// editDistance counts insertions, deletions, replacements and swaps of neighbours (optimal
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

// Nearest is the one of the names that looks most like a name, "" when none is near.
func Nearest(name string, known []string) string {
	best, bestDistance := "", min((len(name)+2)/3, 3)
	for _, k := range known {
		if d := editDistance(name, k); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	return best
}

// DidYouMean is `; did you mean "x"?` for the nearest of the names, or "" when none is near.
func DidYouMean(name string, known []string) string {
	if best := Nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
