// Package cflags filters command lines of C compilers, based on clang's own table of options. It keeps the options that
// the front end needs, and reports the others. Every flag that another program or user wrote passes through this
// package before clang is started. Only options in the list of kept options pass, so no flag loads code, starts a
// program or writes a file.
//
// For example, Filter splits
//
//	-Iinclude -DN=3 -O2 -fplugin=x.so -o a.out
//
// into the kept flags -Iinclude -DN=3 and the dropped flag -fplugin=x.so, which is reported to the user. The others
// have no effect on a proof.
//
// Parse splits words into options, Filter selects them, Inputs returns the input files, Expand replaces response files
// by their content. Reading order: cflags.go, table.go, response.go.
package cflags

import (
	"slices"
	"strings"
)

// Option is one option of a command line.
type Option struct {
	Words []string // as written; one or two
	Value string   // value of an option that has one
	rule  rule
	ok    bool // its argument is present
}

// Name returns the name of the option without its value; for an unknown option, its first word.
func (o *Option) Name() string {
	if o.rule.name == "" {
		return o.Words[0]
	}
	return o.rule.name
}

// IsPath reports whether the value is a path, relative to the folder that the compiler runs in.
func (o *Option) IsPath() bool { return o.rule.path }

// Searched reports whether the option is -include or -imacros, whose value is searched like a file of #include "".
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

// Parse splits a command line without the compiler into options and positional arguments. All words after "--" are
// positional.
func Parse(words []string) (options []Option, positional []string) {
	each(words, func(o Option) { options = append(options, o) }, func(i int) { positional = append(positional, words[i]) })
	return options, positional
}

// each calls option for the options of a command line, and positional for the indices of its other words, in order.
func each(words []string, option func(Option), positional func(int)) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			for i++; i < len(words); i++ {
				positional(i)
			}
			return
		}
		if len(w) < 2 || w[0] != '-' {
			positional(i)
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
		option(o)
	}
}

// Input is a file that a command line compiles or links.
type Input struct {
	Name     string
	Index    int    // among the words
	Language string // the value of the last -x in front of it; "" if its suffix decides
}

// Inputs returns the input files of a command line without the compiler.
func Inputs(words []string) (inputs []Input) {
	language := ""
	each(words, func(o Option) {
		if o.rule.canonical == "-x" && o.ok {
			if language = o.Value; language == "none" {
				language = ""
			}
		}
	}, func(i int) { inputs = append(inputs, Input{Name: words[i], Index: i, Language: language}) })
	return inputs
}

// Filter returns the flags to start clang with, each as one word: a separate word that begins with @ would be read as a
// response file. dropped are the options whose loss a user should know about, since they may have had a meaning.
// Optimisation levels and output names are dropped silently.
func Filter(flags []string) (accepted, dropped []string) {
	return filter(flags, 0)
}

// maxNested limits the nesting of -Wp, in -Wp,.
const maxNested = 8

func filter(flags []string, depth int) (accepted, dropped []string) {
	options, positional := Parse(flags)
	for i := range options {
		o := &options[i]
		written := strings.Join(o.Words, " ")
		switch {
		case o.rule.effect == preprocessor && depth < maxNested: // the kernel's -Wp,-MMD,FILE
			k, d := filter(strings.Split(o.Value, ","), depth+1)
			accepted, dropped = append(accepted, k...), append(dropped, d...)
		case o.rule.effect == silent && o.ok:
		case o.rule.effect != keep || !o.ok || o.rule.form != flag && !o.rule.accepts(o.Value):
			dropped = append(dropped, written)
		case o.rule.form == flag:
			accepted = append(accepted, o.rule.canonical)
		default:
			// The concatenation may be another option: -include -pch.
			word := o.rule.canonical + o.Value
			if r, value, next := find(word); next || r.canonical != o.rule.canonical || value != o.Value {
				dropped = append(dropped, written)
				continue
			}
			accepted = append(accepted, word)
		}
	}
	for _, p := range positional { // inputs of the original command: the file itself, an object, a library
		if strings.HasPrefix(p, "@") { // a response file that could not be read
			dropped = append(dropped, p)
		}
	}
	return accepted, dropped
}

// Notable returns the kept words that the user should allow before clang is started with them for an untrusted folder.
// All other kept options choose macros, a language or a target, or refer to paths inside the folder, according to
// within: they do not let clang read anything more.
func Notable(accepted []string, within func(path string) bool) (notable []string) {
	options, _ := Parse(accepted)
	moved := slices.ContainsFunc(options, func(o Option) bool { return o.rule.canonical == "-working-directory=" })
	for _, o := range options {
		switch {
		case !o.rule.path && !unusual[o.rule.canonical]:
		case searched[o.rule.canonical] && !moved && !strings.HasPrefix(o.Value, "=") && !strings.HasPrefix(o.Value, "$") &&
			within(o.Value): // = and $SYSROOT denote the system's folder
		default:
			notable = append(notable, strings.Join(o.Words, " "))
		}
	}
	return notable
}

// searched has the options whose values are folders of headers, or headers.
var searched = map[string]bool{"-I": true, "-isystem": true, "-iquote": true, "-idirafter": true,
	"-isystem-after": true, "-include": true, "-imacros": true}

// unusual has options without a path that relax clang's limits.
var unusual = map[string]bool{"-fbracket-depth=": true, "-enable-trivial-auto-var-init-zero-knowing-it-will-be-" +
	"removed-from-clang": true}

// find returns the option that a word denotes, as in clang: the longest matching name. next reports whether its value
// is the next word.
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
	return rule{effect: reported}, "", false
}

// TakesValue reports whether an option with this name has a value: in the word, in the next one, or in either.
func TakesValue(name string) bool {
	all, _ := table()
	for _, r := range all[name] {
		if r.form != flag {
			return true
		}
	}
	return false
}
