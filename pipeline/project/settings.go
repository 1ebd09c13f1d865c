package project

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// What holds where nothing else is said.
const (
	DefaultTimeout   = 60 * time.Second
	DefaultMaxMemory = int64(4) << 30 // bytes
)

// Settings are the choices that can be made at several levels: by a client (an editor), in
// [check], in a [[proof]]. nil and absent kinds mean: not said here.
type Settings struct {
	Unwind        *int
	Timeout       *time.Duration
	MaxMemory     *int64 // bytes
	MallocMayFail *bool
	MissingBody   *vcgen.MissingBody
	NondetStatic  *bool // variables start with any value
	Vacuity       *vcgen.VacuityMode
	Checks        map[found.Kind]bool
	On            string // "save", "idle", "manual" or "": when an editor checks; not for a [[proof]]
}

// apply lets what s says win over what stands in p.
func (s Settings) apply(p *Proof) {
	set(&p.Options.Unwind, s.Unwind)
	set(&p.Timeout, s.Timeout)
	set(&p.MaxMemory, s.MaxMemory)
	set(&p.Options.MallocMayFail, s.MallocMayFail)
	set(&p.Options.MissingBody, s.MissingBody)
	set(&p.NondetStatic, s.NondetStatic)
	set(&p.Options.Vacuity, s.Vacuity)
	for k, on := range s.Checks {
		p.Options.Checks[k] = on
	}
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// maxUnwind bounds unwind counts; the engine unrolls, so more is a typing mistake.
const maxUnwind = math.MaxInt32

var sizeSuffixes = map[string]uint{"": 0, "B": 0, "K": 10, "KB": 10, "KIB": 10, "M": 20, "MB": 20, "MIB": 20,
	"G": 30, "GB": 30, "GIB": 30, "T": 40, "TB": 40, "TIB": 40}

var sizeForm = lazyregexp.New(`^([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)$`)

// ParseSize reads a size of memory: a number of bytes or "512M", "4G", "1.5GiB" (powers of
// 1024). The result is positive.
func ParseSize(s string) (int64, error) {
	m := sizeForm.FindStringSubmatch(strings.TrimSpace(s))
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

// ParseTimeout reads a positive duration like "60s" or "2m30s".
func ParseTimeout(s string) (time.Duration, error) {
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

var loopForm = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*#[1-9][0-9]{0,8}$`)

// checkLoop tells whether name is FUNCTION#K, the K-th loop of a function from 1.
func checkLoop(name string) error {
	if !loopForm.MatchString(name) {
		return fmt.Errorf("%q is not of the form \"FUNCTION#K\" (the K-th loop of the function, from 1)", name)
	}
	return nil
}

// ParseUnwind reads the value of --unwind: "N" gives loop "" and the bound, "FUNCTION#K=N"
// the loop and its bound.
func ParseUnwind(s string) (loop string, bound int, err error) {
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

// ParseKind reads the name of a kind of obligation.
func ParseKind(s string) (found.Kind, error) {
	if k := found.Kind(s); k.Known() {
		return k, nil
	}
	var names []string
	for _, k := range found.Kinds() {
		names = append(names, string(k))
	}
	return "", fmt.Errorf("unknown kind %q%s; \"unitproof explain\" lists the kinds", s, didYouMean(s, names))
}

// ParseVacuity reads the value of vacuity.
func ParseVacuity(s string) (vcgen.VacuityMode, error) {
	return oneOf(s, vcgen.VacuityEntry, vcgen.VacuityAll, vcgen.VacuityOff)
}

// ParseMissingBody reads the value of missing-body.
func ParseMissingBody(s string) (vcgen.MissingBody, error) {
	return oneOf(s, vcgen.MissingHavoc, vcgen.MissingPure, vcgen.MissingError)
}

// ParseProofVerdict reads a verdict that a whole proof can have.
func ParseProofVerdict(s string) (found.Verdict, error) {
	return oneOf(s, found.Proved, found.Failed, found.Unknown, found.Bounded, found.Vacuous, found.Error)
}

// oneOf finds s among the allowed values of a string type.
func oneOf[T ~string](s string, allowed ...T) (T, error) {
	names := make([]string, len(allowed))
	for i, a := range allowed {
		if string(a) == s {
			return a, nil
		}
		names[i] = string(a)
	}
	return "", fmt.Errorf("%q is none of %s%s", s, strings.Join(names, ", "), didYouMean(s, names))
}

func itoa(i int) string { return strconv.Itoa(i) }
