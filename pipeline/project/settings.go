package project

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// form describes how values of a type are written: as TOML, as JSON in a client's settings, as text of a flag.
type form[T any] struct {
	value    string // in Markdown
	flagType string
	names    []string // names of all values, if there are few
	quoted   bool     // it is a string in TOML
	// integer is the description of the expected value if an integer is found instead; "": "a string".
	integer string
	literal func(r *reader, at keyPath, v any) (T, bool) // reads TOML that is not a string
	parse   func(string) (T, error)
	print   func(T) string // inverse of parse
}

// read reads a decoded TOML value. It returns nil for a value of the wrong form, which it reports.
func (f *form[T]) read(r *reader, at keyPath, v any) *T {
	if f.literal != nil {
		if x, ok := f.literal(r, at, v); ok {
			return &x
		}
		return nil
	}
	s, ok := v.(string)
	if !ok {
		want := "a string"
		if _, is := v.(int64); is && f.integer != "" {
			want = f.integer
		}
		r.wrongType(at, want, v)
		return nil
	}
	x, err := f.parse(s)
	if err != nil {
		r.badValue(at, "%s", err)
		return nil
	}
	return &x
}

var (
	boolForm = &form[bool]{value: "boolean", flagType: "BOOL", names: []string{"true", "false"},
		literal: (*reader).boolean, print: strconv.FormatBool,
		parse: func(s string) (bool, error) {
			b, err := strconv.ParseBool(s)
			if err != nil {
				return false, fmt.Errorf("%q is neither true nor false", s)
			}
			return b, nil
		}}
	boundForm    = &form[int]{value: "number", literal: (*reader).bound, print: strconv.Itoa}
	positiveForm = &form[int]{value: "number", literal: (*reader).positive, print: strconv.Itoa}
	durationForm = &form[time.Duration]{flagType: "DUR", quoted: true, integer: `a string with a unit, like "60s"`,
		parse: parseTimeout, print: printDuration}
	sizeForm = &form[int64]{flagType: "SIZE", quoted: true, parse: parseSize, print: Size}
	kindForm = &form[found.Kind]{parse: ParseKind}

	auditForm = oneOf(found.AuditKinds()...)
)

// proofVerdict returns the form of a verdict of a whole proof.
func proofVerdict() *form[found.Verdict] {
	return oneOf(found.Proved, found.Failed, found.Unknown, found.Bounded, found.Vacuous, found.Error)
}

// oneOf returns the form of a type with few values.
func oneOf[T ~string](allowed ...T) *form[T] {
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	return &form[T]{
		value: "`\"" + strings.Join(names, "\"`, `\"") + "\"`", flagType: strings.Join(names, "|"), quoted: true,
		names: names,
		parse: func(s string) (T, error) {
			for i, name := range names {
				if name == s {
					return allowed[i], nil
				}
			}
			return "", fmt.Errorf("%q is not one of %s%s", s, strings.Join(names, ", "), didYouMean(s, names))
		},
		print: func(x T) string { return string(x) },
	}
}

// printDuration omits the parts that are zero: "60s", "2m".
func printDuration(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0 && d > time.Minute:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d%time.Second == 0:
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return d.String()
}

// Size formats a number of bytes with the largest unit that divides it.
func Size(bytes int64) string {
	for i, unit := range []string{"T", "G", "M", "K"} {
		if shift := 40 - 10*i; bytes>>shift<<shift == bytes && bytes>>shift > 0 {
			return fmt.Sprintf("%d%s", bytes>>shift, unit)
		}
	}
	return strconv.FormatInt(bytes, 10)
}

// maxUnwind limits unwind counts; the engine unrolls, so a larger one is a typing error.
const maxUnwind = math.MaxInt32

var sizeSuffixes = map[string]uint{"": 0, "B": 0, "K": 10, "KB": 10, "KIB": 10, "M": 20, "MB": 20, "MIB": 20,
	"G": 30, "GB": 30, "GIB": 30, "T": 40, "TB": 40, "TIB": 40}

var sizeSyntax = lazyregexp.New(`^([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)$`)

// parseSize parses a size of memory: a number of bytes or "512M", "4G", "1.5GiB" (powers of 1024). The result is
// positive.
func parseSize(s string) (int64, error) {
	m := sizeSyntax.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, fmt.Errorf("%q is not a size; write it like \"4G\" or \"512M\"", s)
	}
	shift, ok := sizeSuffixes[strings.ToUpper(m[2])]
	if !ok {
		return 0, fmt.Errorf("%q has an unknown unit %q; write it like \"4G\" or \"512M\"", s, m[2])
	}
	f, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size: %w", s, err)
	}
	bytes := math.Ldexp(f, int(shift))
	if bytes < 1 || bytes >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is out of range", s)
	}
	return int64(bytes), nil
}

// parseTimeout parses a positive duration such as "60s" or "2m30s".
func parseTimeout(s string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil {
		if _, e := strconv.ParseFloat(s, 64); e == nil {
			return 0, fmt.Errorf("%q has no unit; did you mean %q?", s, s+"s")
		}
		return 0, fmt.Errorf("%q is not a duration; write it like \"60s\" or \"2m\"", s)
	}
	if d <= 0 {
		return 0, fmt.Errorf("%q is not a positive duration", s)
	}
	return d, nil
}

var loopSyntax = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*#[1-9][0-9]{0,8}$`)

// checkLoop returns an error unless name is FUNCTION#K, the K-th loop of a function from 1.
func checkLoop(name string) error {
	if !loopSyntax.MatchString(name) {
		return fmt.Errorf("%q is not of the form \"FUNCTION#K\" (the K-th loop of the function, from 1)", name)
	}
	return nil
}

// parseUnwind parses the value of --unwind: "N" yields loop "" and the bound, "FUNCTION#K=N" the loop and its bound.
func parseUnwind(s string) (loop string, bound int, err error) {
	number := s
	if name, n, found := strings.Cut(s, "="); found {
		if err := checkLoop(name); err != nil {
			return "", 0, err
		}
		loop, number = name, n
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not a bound; write N or FUNCTION#K=N with N from 0 to %d", s, maxUnwind)
	}
	return loop, int(n), nil
}

// ParseKind parses the name of a kind of obligation.
func ParseKind(s string) (found.Kind, error) {
	if k := found.Kind(s); k.Known() {
		return k, nil
	}
	return "", fmt.Errorf("unknown kind %q%s; \"unitproof explain\" lists the kinds", s, didYouMean(s, KindNames()))
}

// KindNames returns the kinds that ParseKind accepts.
func KindNames() []string {
	var names []string
	for _, k := range found.Kinds() {
		names = append(names, string(k))
	}
	return names
}

func itoa(i int) string { return strconv.Itoa(i) }
