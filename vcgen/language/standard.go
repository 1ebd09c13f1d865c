package language

import (
	_ "embed"
	"strings"
	"sync"
)

// standardText are the functions of C17 and POSIX.1-2008 as they are declared, one a line, without names of parameters
// and in the order of their names.
//
//go:embed standard.txt
var standardText string

// standardFunctions are the lines of that list by the names of the functions.
var standardFunctions = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(standardText) {
		head, _, _ := strings.Cut(line, "(")
		m[head[strings.LastIndexAny(head, " *")+1:]] = strings.TrimSpace(line)
	}
	return m
})

// IsStandard tells whether a name is that of a function of the C library: what it does where it has no body is known to
// the library's documentation, and not arbitrary.
func IsStandard(name string) bool { return name != "" && standardFunctions()[name] != "" }

// OfLibrary tells whether an arbitrary result of a function without a body stands for one that the C library has: what
// needs that result to have a certain value, may be what no library does.
func OfLibrary(name string, params int) bool {
	e := Function(name, params)
	return e.Library || e.Role == None && (IsStandard(name) || gnuMath[strings.TrimRight(name, "fl")])
}

// gnuMath are functions of the mathematical library of GNU that are not in the standards, without the f and l of their
// other types.
var gnuMath = map[string]bool{"exp10": true, "pow10": true, "sincos": true, "gamma": true, "significand": true,
	"scalb": true, "roundeven": true, "fmaxmag": true, "fminmag": true, "tgamma_r": true,
	"__isnan": true, "__finite": true, "__signbit": true, "__issignaling": true,
	"feenableexcept": true, "fedisableexcept": true, "fegetexcept": true, "exp2m1": true, "exp10m1": true,
	"log2p1": true, "log10p1": true, "sinpi": true, "cospi": true, "tanpi": true, "rsqrt": true, "ufromfp": true,
	"fromfp": true, "llogb": true, "fmaximum": true, "fminimum": true}

// Prototype is a declaration of a function of the C library.
type Prototype struct {
	Name, Result string
	Parameters   []string // their types
	Variadic     bool
}

// PrototypeOf gives the declaration of a function of the C library; false where there is none or one that is not
// written down in a line of plain types.
func PrototypeOf(name string) (Prototype, bool) {
	line := standardFunctions()[name]
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
