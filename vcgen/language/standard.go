package language

import (
	_ "embed"
	"strings"
	"sync"
)

// standardText has the declarations of the functions of C17 and POSIX.1-2008.
//
// There is one on each line, without names of parameters, in the order of function names.
//
//go:embed standard.txt
var standardText string

// standardFunctions maps the names of functions to their lines in the list.
var standardFunctions = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(standardText) {
		head, _, _ := strings.Cut(line, "(")
		m[head[strings.LastIndexAny(head, " *")+1:]] = strings.TrimSpace(line)
	}
	return m
})

// IsStandard reports whether a name is that of a function of the C library.
//
// Without a body, its behaviour is documented by the library, and thus not arbitrary.
func IsStandard(name string) bool { return name != "" && standardFunctions()[name] != "" }

// OfLibrary reports whether an arbitrary result of a function without a body stands for a result of the C library.
//
// A violation that needs a certain value of this result may be impossible with any library.
func OfLibrary(name string, params int) bool {
	e := Function(name, params)
	return e.Library || e.Role == None && (IsStandard(name) || gnuMath[strings.TrimRight(name, "fl")])
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
