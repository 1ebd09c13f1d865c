// Package cflags reads command lines of C compilers by clang's own table of options, keeps what the front end needs and
// names the rest. It is the one way from flags that somebody else wrote to a clang that we start: what is not in the
// list of kept options does not get there, so no flag loads code, starts a program or writes a file.
//
// Parse splits words into options, Filter decides on them, Expand replaces response files by what they hold.
package cflags

import (
	"slices"
	"strings"
)

// Option is one option of a command line.
type Option struct {
	Words []string // as they were written; one or two
	Value string   // of an option that has one
	rule  rule
	ok    bool // it has its argument
}

// Name is the option's without its value; that of an option that is not known is its first word.
func (o *Option) Name() string {
	if o.rule.name == "" {
		return o.Words[0]
	}
	return o.rule.name
}

// IsPath says that the value is a path, relative to the folder that the compiler runs in.
func (o *Option) IsPath() bool { return o.rule.path }

// Searched says that the value is a file which is looked for as #include "" does.
func (o *Option) Searched() bool {
	return o.rule.canonical == "-include" || o.rule.canonical == "-imacros"
}

// With returns the words of the option with another value.
func (o *Option) With(value string) []string {
	if len(o.Words) == 2 {
		return []string{o.Words[0], value}
	}
	return []string{strings.TrimSuffix(o.Words[0], o.Value) + value}
}

// Parse splits a command line without the compiler into options and positional arguments. After "--" everything is
// positional.
func Parse(words []string) (options []Option, positional []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			return options, append(positional, words[i+1:]...)
		}
		if len(w) < 2 || w[0] != '-' {
			positional = append(positional, w)
			continue
		}
		r, value, next := find(w)
		o := Option{Words: words[i : i+1 : i+1], Value: value, rule: r, ok: true}
		if next {
			if o.ok = i+1 < len(words); o.ok {
				o.Words, o.Value = words[i:i+2:i+2], words[i+1]
				i++
			}
		}
		options = append(options, o)
	}
	return options, positional
}

// Filter gives the flags that clang is started with, each as one word: a word of its own that begins with @ would be
// read as a response file. The second result are the options whose loss a user should know of: they may have meant
// something. An optimisation level or an output name did not.
func Filter(flags []string) (kept, dropped []string) {
	return filter(flags, 0)
}

// maxNested bounds how deep -Wp, stands in -Wp,.
const maxNested = 8

func filter(flags []string, depth int) (kept, dropped []string) {
	options, positional := Parse(flags)
	for i := range options {
		o := &options[i]
		written := strings.Join(o.Words, " ")
		switch {
		case o.rule.effect == preprocessor && depth < maxNested: // the kernel's -Wp,-MMD,FILE
			k, d := filter(strings.Split(o.Value, ","), depth+1)
			kept, dropped = append(kept, k...), append(dropped, d...)
		case o.rule.effect == silent && o.ok:
		case o.rule.effect != keep || !o.ok || o.rule.form != flag && !o.rule.accepts(o.Value):
			dropped = append(dropped, written)
		case o.rule.form == flag:
			kept = append(kept, o.rule.canonical)
		default:
			// The two as one word may be another option: -include -pch.
			word := o.rule.canonical + o.Value
			if r, value, next := find(word); next || r.canonical != o.rule.canonical || value != o.Value {
				dropped = append(dropped, written)
				continue
			}
			kept = append(kept, word)
		}
	}
	for _, p := range positional { // inputs of the original command: the file itself, an object, a library
		if strings.HasPrefix(p, "@") { // a response file that could not be read
			dropped = append(dropped, p)
		}
	}
	return kept, dropped
}

// Notable are those of the words that Filter keeps which somebody should allow before a folder that nobody knows has
// clang started with them. The others choose macros, a language or a machine, or name what lies within the folder, by
// the report of within: with them, clang reads nothing that it would not read without them.
func Notable(kept []string, within func(path string) bool) (notable []string) {
	options, _ := Parse(kept)
	moved := slices.ContainsFunc(options, func(o Option) bool { return o.rule.canonical == "-working-directory=" })
	for _, o := range options {
		switch {
		case !o.rule.path && !unusual[o.rule.canonical]:
		case searched[o.rule.canonical] && !moved && !strings.HasPrefix(o.Value, "=") && !strings.HasPrefix(o.Value, "$") &&
			within(o.Value): // = and $SYSROOT stand for the system's folder
		default:
			notable = append(notable, strings.Join(o.Words, " "))
		}
	}
	return notable
}

// searched are the options whose values are folders of headers, or headers.
var searched = map[string]bool{"-I": true, "-isystem": true, "-iquote": true, "-idirafter": true,
	"-isystem-after": true, "-include": true, "-imacros": true}

// unusual are options without a path that loosen what clang is bounded by.
var unusual = map[string]bool{"-fbracket-depth=": true, "-enable-trivial-auto-var-init-zero-knowing-it-will-be-" +
	"removed-from-clang": true}

// find is the option that a word is, as clang finds it: the longest name that fits. next says that its value is the
// next word.
func find(w string) (r rule, value string, next bool) {
	all, longest := table()
	for n := min(len(w), longest); n > 0; n-- {
		for _, r := range all[w[:n]] {
			switch {
			case n == len(w) && r.form == flag:
				return r, "", false
			case n == len(w) && (r.form == separate || r.form == both):
				return r, "", true
			case r.form == joined || r.form == both && n < len(w):
				return r, w[n:], false
			}
		}
	}
	return rule{effect: told}, "", false
}

// TakesValue says that an option of this name has a value: in the word, in the next one, or in either.
func TakesValue(name string) bool {
	all, _ := table()
	for _, r := range all[name] {
		if r.form != flag {
			return true
		}
	}
	return false
}
