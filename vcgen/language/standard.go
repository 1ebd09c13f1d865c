package language

import (
	_ "embed"
	"strings"
	"sync"
)

// standardText has the declarations of the functions of C17 and POSIX.1-2008.
//
// There is one on each line, "HEADER: RESULT NAME(TYPES)", in the order of function names.
//
//go:embed standard.txt
var standardText string

// declaration is a line of standard.txt.
type declaration struct{ header, text string }

// standardFunctions maps the names of functions to their declarations.
var standardFunctions = sync.OnceValue(func() map[string]declaration {
	m := map[string]declaration{}
	for line := range strings.Lines(standardText) {
		header, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		m[declaredName(text)] = declaration{header, text}
	}
	return m
})

// declaredName returns the name in a declaration: the first word before an open bracket.
func declaredName(text string) string {
	for at := 0; ; at++ {
		open := strings.IndexByte(text[at:], '(')
		if open < 0 {
			return ""
		}
		at += open
		if name := text[strings.LastIndexAny(text[:at], " *)")+1 : at]; name != "" {
			return name
		}
	}
}

// IsStandard reports whether a name is that of a function of the C library.
//
// Without a body, its behaviour is documented by the library, and thus not arbitrary.
func IsStandard(name string) bool { return standardFunctions()[name].text != "" }

// OfLibrary reports whether an arbitrary result of a function without a body stands for a result of the C library.
//
// A violation that needs a certain value of this result may be impossible with any library.
func OfLibrary(name string, params int) bool {
	e := Function(name, params)
	return e.Library || e.Role == None && (IsStandard(name) || gnuMath[strings.TrimRight(name, "fl")])
}

// otherNames maps the types, constants and variables of headers, and their macros, to these headers.
var otherNames = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for header, names := range map[string]string{
		"assert.h":  "assert",
		"stdbool.h": "bool true false",
		"stddef.h":  "size_t ptrdiff_t NULL offsetof wchar_t",
		"stdint.h": `int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t
			uintmax_t INT8_MAX INT16_MAX INT32_MAX INT64_MAX INT8_MIN INT16_MIN INT32_MIN INT64_MIN UINT8_MAX UINT16_MAX
			UINT32_MAX UINT64_MAX SIZE_MAX INTPTR_MAX UINTPTR_MAX`,
		"limits.h": `INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN ULONG_MAX LLONG_MAX LLONG_MIN ULLONG_MAX CHAR_BIT CHAR_MAX
			CHAR_MIN SCHAR_MAX SCHAR_MIN UCHAR_MAX SHRT_MAX SHRT_MIN USHRT_MAX`,
		"stdlib.h":    "EXIT_SUCCESS EXIT_FAILURE",
		"stdio.h":     "FILE stdout stderr stdin EOF",
		"errno.h":     "errno ENOMEM EINVAL ERANGE EIO",
		"sys/types.h": "ssize_t",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = header
		}
	}
	return m
})

// HeaderOf returns the header that declares a name of unitproof.h or of the C library, such as "<stdio.h>".
//
// It returns "" for other names.
func HeaderOf(name string) string {
	header := standardFunctions()[name].header
	if header == "" {
		header = otherNames()[name]
	}
	if e := Lookup(name); e.IsProofLanguage() && e.Dialect == Unitproof {
		header = "unitproof.h"
	}
	if header == "" {
		return ""
	}
	return "<" + header + ">"
}

// gnuMath are nonstandard functions of GNU's mathematical library, without the suffixes f and l for other types.
var gnuMath = map[string]bool{"exp10": true, "pow10": true, "sincos": true, "gamma": true, "significand": true,
	"scalb": true, "roundeven": true, "fmaxmag": true, "fminmag": true, "tgamma_r": true,
	"__isnan": true, "__finite": true, "__signbit": true, "__issignaling": true,
	"feenableexcept": true, "fedisableexcept": true, "fegetexcept": true, "exp2m1": true, "exp10m1": true,
	"log2p1": true, "log10p1": true, "sinpi": true, "cospi": true, "tanpi": true, "rsqrt": true, "ufromfp": true,
	"fromfp": true, "llogb": true, "fmaximum": true, "fminimum": true}

// Prototype is the declaration of a function of the C library.
type Prototype struct {
	Name, Result string
	Parameters   []string // the types of the parameters
	Variadic     bool
}

// PrototypeOf returns the declaration of a function of the C library.
//
// It returns false if there is none, or if it is not a line of plain types.
func PrototypeOf(name string) (Prototype, bool) {
	line := standardFunctions()[name].text
	head, rest, ok := strings.Cut(line, name+"(")
	if !ok || strings.Contains(rest, "(") || strings.Contains(line, "__") {
		return Prototype{}, false
	}
	p := Prototype{Name: name, Result: strings.TrimSpace(head)}
	for _, t := range strings.Split(strings.TrimSuffix(rest, ")"), ", ") {
		switch t {
		case "void":
		case "...":
			p.Variadic = true
		default:
			p.Parameters = append(p.Parameters, t)
		}
	}
	return p, true
}
