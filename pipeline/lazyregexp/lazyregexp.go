// Package lazyregexp has regular expressions that are compiled when they are used first: those of package variables
// made up a sixth of what it cost to start the program, which uses hardly any of them in a run. It is what
// internal/lazyregexp is in the go command.
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
	rx   *regexp.Regexp // see compiled
}

// inTest is whether a test runs: there every expression is compiled at once, so that a wrong one cannot wait for its
// first use.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), ".test")

// New returns an expression that panics when it is used first if it is none.
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

// FindAllStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// FindIndex is that of regexp.Regexp.
func (r *Regexp) FindIndex(b []byte) (loc []int) { return r.compiled().FindIndex(b) }

// FindStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindSubmatch is that of regexp.Regexp.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

// Match is that of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// MatchString is that of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// ReplaceAllString is that of regexp.Regexp.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.compiled().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is that of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(src, repl)
}

// FindAllStringIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindString is that of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }
