// Package lazyregexp has regular expressions that are compiled on first use. Compiling the expressions of package
// variables took a sixth of the start time of the program, and a run uses hardly any of them. The go command has the
// same package as internal/lazyregexp.
//
//	var digits = lazyregexp.New(`[0-9]+`) // in place of regexp.MustCompile
//
// A Regexp has the methods of regexp.Regexp that this module uses. In tests every expression is compiled immediately,
// so that an invalid one is found.
package lazyregexp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression (syntax of package regexp). It may be used by several goroutines.
type Regexp struct {
	expr string
	once sync.Once
	rx   *regexp.Regexp // use compiled
}

// inTest reports whether a test is running: there every expression is compiled immediately, so that an invalid one
// fails before its first use.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), ".test")

// New returns the expression. An invalid expression panics on first use.
func New(expr string) *Regexp {
	r := &Regexp{expr: expr}
	if inTest {
		r.compiled()
	}
	return r
}

func (r *Regexp) compiled() *regexp.Regexp {
	r.once.Do(func() { r.rx = regexp.MustCompile(r.expr) })
	return r.rx
}

// FindAllStringSubmatch is the method of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllSubmatch is the method of regexp.Regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// FindIndex is the method of regexp.Regexp.
func (r *Regexp) FindIndex(b []byte) (loc []int) { return r.compiled().FindIndex(b) }

// FindStringSubmatch is the method of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindSubmatch is the method of regexp.Regexp.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

// Match reports whether b contains a match, like regexp.Regexp.Match.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// MatchString reports whether s contains a match, like regexp.Regexp.MatchString.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindSubmatchIndex is the method of regexp.Regexp.
func (r *Regexp) FindSubmatchIndex(b []byte) []int { return r.compiled().FindSubmatchIndex(b) }

// ReplaceAll is the method of regexp.Regexp.
func (r *Regexp) ReplaceAll(src, repl []byte) []byte { return r.compiled().ReplaceAll(src, repl) }

// ReplaceAllFunc is the method of regexp.Regexp.
func (r *Regexp) ReplaceAllFunc(src []byte, repl func([]byte) []byte) []byte {
	return r.compiled().ReplaceAllFunc(src, repl)
}

// ReplaceAllString is the method of regexp.Regexp.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.compiled().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is the method of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(src, repl)
}

// FindAllStringIndex is the method of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatchIndex is the method of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindString is the method of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }
