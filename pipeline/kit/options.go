package kit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/vcgen/found"
)

// flags adds compiler flags. It makes paths absolute and drops flags that only goto-cc has.
func (r *reading) flags(words []string) {
	words = slices.DeleteFunc(words, func(w string) bool {
		// Static functions are found by these names in any case.
		return w == "--export-file-local-symbols" || w == "--object-bits"
	})
	options, _ := cflags.Parse(words)
	for i := range options {
		o := &options[i]
		switch o.Words[0] {
		case "-ansi", "-std=c89", "-std=c90", "-std=gnu89", "-std=gnu90":
			r.macro("-Drestrict=__restrict") // goto-cc accepts it in any dialect
		}
		accepted, dropped := cflags.Filter(o.Words)
		if len(dropped) > 0 {
			r.note("%s is not for clang", strings.Join(dropped, " "))
		}
		if len(accepted) == 0 {
			continue
		}
		if o.Name() == "-D" || o.Name() == "-U" {
			r.macro(o.Name() + o.Value)
			continue
		}
		flag := o.Words
		if o.IsPath() && o.Value != "" && !(o.Searched() && !strings.ContainsRune(o.Value, '/')) {
			flag = o.With(r.path(o.Value))
		}
		if len(flag) == 1 && slices.Contains(r.proof.Flags, flag[0]) {
			continue
		}
		r.proof.Flags = append(r.proof.Flags, flag...)
	}
}

// macro adds -DNAME=VALUE or -UNAME, and removes an earlier definition of the name.
func (r *reading) macro(word string) {
	name := func(w string) string {
		name, _, _ := strings.Cut(w[2:], "=")
		return name
	}
	p := r.proof
	p.Macros = slices.DeleteFunc(p.Macros, func(m string) bool { return name(m) == name(word) })
	p.Macros = append(p.Macros, word)
}

// option is the counterpart of an option of cbmc or goto-instrument.
type option struct {
	value  bool // the next word is its value
	checks map[found.Kind]bool
	take   func(p *Proof, value string)
	note   string // the part without a counterpart
	// unchecked is the reason why the check that it switches on is not performed.
	unchecked string
}

func switched(on bool, kinds ...found.Kind) map[found.Kind]bool {
	m := map[found.Kind]bool{}
	for _, k := range kinds {
		m[k] = on
	}
	return m
}

// cbmcOptions has the options of CBMC 5 and 6 that kits use. Options without any effect here are about CBMC's
// implementation (bits of objects, solvers, bounds of loops) or describe fixed behaviour.
var cbmcOptions = map[string]option{
	"--unwind":      {value: true, take: func(p *Proof, v string) { p.unwindSet(":" + v) }},
	"--unwindset":   {value: true, take: (*Proof).unwindSet},
	"--depth":       {value: true},
	"--object-bits": {value: true}, "--external-sat-solver": {value: true}, "--sat-solver": {value: true},
	"--verbosity": {value: true}, "--function": {value: true}, "--flush": {}, "--trace": {}, "--slice-formula": {},
	"--no-simplify": {}, "--refine": {}, "--bitwuzla": {}, "--z3": {}, "--smt2": {}, "--cvc5": {},
	"--bounds-check": {}, "--pointer-check": {}, "--div-by-zero-check": {}, "--signed-overflow-check": {},
	"--undefined-shift-check": {}, "--pointer-primitive-check": {}, "--unwinding-assertions": {},
	"--malloc-fail-null": {}, "--malloc-may-fail": {}, "--no-built-in-assertions": {}, "--no-pointer-primitive-check": {},
	"--no-conversion-check": {}, "--no-unsigned-overflow-check": {}, "--no-pointer-overflow-check": {},
	"--arch": {value: true}, "--drop-unused-functions": {}, "--slice-global-inits": {},
	"--restrict-function-pointer": {value: true}, "--add-library": {}, "--dfcc": {value: true},
	"--apply-loop-contracts": {}, "--no-self-loops-to-assumptions": {},

	"--conversion-check":         {unchecked: "the compiler defines the result of a conversion that loses bits"},
	"--pointer-overflow-check":   {unchecked: "a pointer beyond its object is found where it is used"},
	"--float-overflow-check":     {unchecked: "infinity is a value"},
	"--nan-check":                {unchecked: "NaN is a value"},
	"--unsigned-overflow-check":  {checks: switched(true, found.UnsignedOverflow)},
	"--memory-leak-check":        {checks: switched(true, found.MemoryLeak)},
	"--no-bounds-check":          {checks: switched(false, found.ArrayBounds)},
	"--no-div-by-zero-check":     {checks: switched(false, found.DivisionByZero)},
	"--no-signed-overflow-check": {checks: switched(false, found.SignedOverflow)},
	"--no-undefined-shift-check": {checks: switched(false, found.InvalidShift)},
	"--no-unwinding-assertions":  {note: "iterations beyond the bound are checked, or the verdict is bounded"},
	"--no-malloc-may-fail":       {take: func(p *Proof, _ string) { p.MallocCanFail = false }},
	"--nondet-static":            {take: func(p *Proof, _ string) { p.NondetStatic = true }},
	"--nondet-static-exclude": {value: true, take: func(p *Proof, _ string) { p.NondetStatic = true },
		note: "all start with any value"},
	"--remove-function-body": {value: true, take: func(p *Proof,
		v string) {
		p.RemoveBodies = append(p.RemoveBodies, v)
	}},
	"--replace-call-with-contract": {value: true, take: func(p *Proof, v string) {
		p.UseContracts = append(p.UseContracts, contractNames(v)...)
	}},
	"--enforce-contract": {value: true, take: func(p *Proof, v string) { p.Contract = contractNames(v)[0] }},
	"--32":               {take: func(p *Proof, _ string) { p.narrow() }},
	"--LP64":             {}, "--little-endian": {},
}

// narrow adds the flag of 32 bits.
func (p *Proof) narrow() {
	if !slices.Contains(p.Flags, "-m32") {
		p.Flags = append(p.Flags, "-m32")
	}
}

// unwindSet adds bounds of loops, "FUNCTION.K:N" separated by commas. CBMC numbers loops in the order of their ends, so
// only the greatest bound is used.
func (p *Proof) unwindSet(value string) {
	for one := range strings.SplitSeq(value, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(one[strings.LastIndexByte(one, ':')+1:])); err == nil {
			p.MaxUnwind = max(p.MaxUnwind, n)
		}
	}
}

// options adds options of cbmc and goto-instrument.
func (r *reading) options(variable string, words []string) {
	p := r.proof
	for i := 0; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		o, known := cbmcOptions[name]
		if o.value && !joined && i+1 < len(words) {
			i++
			value = words[i]
		}
		for kind, on := range o.checks {
			p.Checks[kind] = on
		}
		if o.unchecked != "" {
			p.Unchecked[name] = true
		}
		if on := strings.Replace(name, "--no-", "--", 1); on != name {
			delete(p.Unchecked, on)
		}
		if o.take != nil && (!o.value || value != "") {
			o.take(p, value)
		}
		switch {
		case !known:
			r.note("%s of %s has no counterpart", strings.TrimSpace(words[i]), variable)
		case o.note != "":
			r.note("%s: %s", name, o.note)
		}
	}
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
