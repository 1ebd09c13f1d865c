package replay

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// report is the report of a violation in a native run.
type report struct {
	// kinds are the kinds of finding that the report is consistent with: for a wild address the processor has less
	// information than the engine. Empty if the report is no violation of the contract.
	kinds []found.Kind
	// what is the name of the violation: "heap-use-after-free", "assertion".
	what string
	// at is the place in the report; without a file the stack determines the place.
	at    place
	stack []uint64 // innermost first
	// address is the address of a refused access if known; access is READ, WRITE or "".
	address uint64
	known   bool
	access  string
}

// reportKinds returns the kinds that a sanitizer's report is consistent with, by the report's name.
var reportKinds = sync.OnceValue(func() map[string][]found.Kind {
	kinds := map[string][]found.Kind{}
	for _, k := range found.Kinds() {
		for _, name := range k.Info().Reports {
			kinds[name] = append(kinds[name], k)
		}
	}
	return kinds
})

var (
	asanLine    = lazyregexp.New(`(?m)^==\d+==ERROR: AddressSanitizer: (.*)$`)
	ubsanLine   = lazyregexp.New(`(?m)^(.*?):(\d+):(\d+): runtime error: (.*)$`)
	summaryLine = lazyregexp.New(`(?m)^SUMMARY: UndefinedBehaviorSanitizer: (\S+)`)
	ourLine     = lazyregexp.New(`(?m)^unitproof: violation ([a-z-]+)(?:: (.*))?$`)
	frameLine   = lazyregexp.New(`^\s+#\d+ 0x([0-9a-f]+) `)
	accessLine  = lazyregexp.New(`(?m)^(READ|WRITE) of size (\d+) at`)
	segvAccess  = lazyregexp.New(`caused by a (READ|WRITE) memory access`)
	segvAddress = lazyregexp.New(`(?:SEGV|BUS) on unknown address (?:0x([0-9a-f]+))?`)
	rssLine     = lazyregexp.New(`hard rss limit exhausted`)
	// On arm64, addresses of some kernels have 39 bits.
	noRoom = lazyregexp.New(`(?m)^==\d+==Error: heap size [0-9a-f]+ exceeds max user virtual address`)
)

// parse returns the reports in a run's stderr in their order. Only reports of undefined behaviour can be followed by
// others.
func parse(stderr string) []*report {
	type found struct {
		at   int
		read func(string) *report
	}
	var all []found
	for _, form := range []struct {
		line *lazyregexp.Regexp
		read func(string) *report
	}{{ourLine, parseOurs}, {ubsanLine, parseUBSan}, {asanLine, parseASan}} {
		for _, loc := range form.line.FindAllStringIndex(stderr, maxReports) {
			all = append(all, found{loc[0], form.read})
		}
	}
	slices.SortFunc(all, func(a, b found) int { return a.at - b.at })
	var out []*report
	for i, f := range all {
		end := len(stderr)
		if i+1 < len(all) {
			end = all[i+1].at
		}
		out = append(out, f.read(stderr[f.at:end]))
	}
	return out
}

// maxReports bounds the number of parsed reports of one sort.
const maxReports = 1000

func parseOurs(text string) *report {
	m := ourLine.FindStringSubmatch(text)
	r := &report{what: m[1], stack: stackOf(text)}
	if m[1] == "none" {
		r.what = m[2]
		return r
	}
	r.kinds = []found.Kind{found.Kind(m[1])}
	if m[2] != "" {
		r.what += " (" + m[2] + ")"
	}
	return r
}

func parseUBSan(text string) *report {
	m := ubsanLine.FindStringSubmatch(text)
	line, _ := strconv.Atoi(m[2]) // digits; a number that is too large is no place
	column, _ := strconv.Atoi(m[3])
	r := &report{what: m[4], at: place{File: m[1], Line: line, Column: column}, stack: stackOf(text)}
	if s := summaryLine.FindStringSubmatch(text); s != nil {
		r.kinds = slices.Clone(reportKinds()[s[1]]) // some are refined by the message below
	}
	message := m[4]
	switch {
	case strings.HasPrefix(message, "division by zero"):
		r.kinds = []found.Kind{found.DivisionByZero}
	case strings.HasPrefix(message, "division of ") && strings.Contains(message, "cannot be represented"):
		r.kinds = []found.Kind{found.SignedOverflow}
	case strings.HasPrefix(message, "shift exponent"):
		r.kinds = []found.Kind{found.InvalidShift}
	case strings.HasPrefix(message, "left shift of"):
		r.kinds = []found.Kind{found.ShiftOverflow}
		if strings.Contains(message, "_BitInt(") { // the sanitizer uses the width of its storage
			r.kinds = append(r.kinds, found.InvalidShift)
		}
	case strings.HasPrefix(message, "execution reached"):
		r.kinds = []found.Kind{found.Unreachable}
	case strings.HasPrefix(message, "signed integer overflow"), strings.HasPrefix(message, "negation of"):
		r.kinds = []found.Kind{found.SignedOverflow}
		if strings.Contains(message, "type 'unsigned") || strings.Contains(message, "unsigned long") {
			r.kinds = []found.Kind{found.UnsignedOverflow}
		}
	case strings.HasPrefix(message, "unsigned integer overflow"):
		r.kinds = []found.Kind{found.UnsignedOverflow}
	case strings.HasPrefix(message, "index "):
		r.kinds = []found.Kind{found.ArrayBounds}
	case strings.Contains(message, "outside the range of representable values"):
		r.kinds = []found.Kind{found.FloatToIntOverflow}
	case strings.HasPrefix(message, "variable length array bound"):
		r.kinds = []found.Kind{found.InvalidSize}
	case strings.HasPrefix(message, "passing zero to"):
		r.kinds = []found.Kind{found.InvalidBuiltin}
	case strings.Contains(message, "misaligned address"):
		r.kinds = []found.Kind{found.Misaligned}
	}
	return r
}

func parseASan(text string) *report {
	head := asanLine.FindStringSubmatch(text)[1]
	r := &report{stack: stackOf(text)}
	name, _, _ := strings.Cut(head, " ")
	name = strings.TrimSuffix(name, ":")
	if strings.HasPrefix(head, "attempting double-free") {
		name = "attempting double-free"
	} else if strings.HasPrefix(head, "attempting free") {
		name = "attempting free"
	}
	r.what = strings.TrimPrefix(name, "attempting ")
	if name == "attempting free" {
		r.what = "free of what was not allocated"
	}
	switch name {
	case "SEGV", "BUS":
		r.wild(text)
		return r
	}
	r.kinds = slices.Clone(reportKinds()[name])
	if m := accessLine.FindStringSubmatch(text); m != nil {
		r.what += ": " + strings.ToLower(m[1]) + " of " + m[2] + " bytes"
		r.direct(m[1])
	}
	return r
}

// direct drops the kinds of the other direction.
func (r *report) direct(access string) {
	other := found.OutOfBoundsWrite
	if access == "WRITE" {
		other = found.OutOfBoundsRead
	}
	r.kinds = slices.DeleteFunc(r.kinds, func(k found.Kind) bool { return k == other })
}

// nullPages is the size of the unmapped memory at address 0 (vm.mmap_min_addr of common systems).
const nullPages = 65536

// The shadow memory of AddressSanitizer on x86-64.
const (
	shadowStart = 0x7fff8000
	shadowEnd   = 0x100080000000
)

// wild sets the kinds of an access that the processor refused.
func (r *report) wild(text string) {
	if m := segvAccess.FindStringSubmatch(text); m != nil {
		r.access = m[1]
	}
	if m := segvAddress.FindStringSubmatch(text); m != nil && m[1] != "" {
		if n, err := strconv.ParseUint(m[1], 16, 64); err == nil {
			r.address, r.known = n, !strings.Contains(text, "general protection")
		}
	}
	if !r.known || shadowStart <= r.address && r.address < shadowEnd {
		r.access = "" // may be the sanitizer's own read of its shadow memory
	}
	access := r.access
	r.what = "invalid memory access"
	if access != "" {
		r.what = strings.ToLower(access) + " at an invalid address"
	}
	switch {
	case r.known && r.address < nullPages:
		r.kinds = []found.Kind{found.NullDereference, found.InvalidPointer}
		r.what = "access near address 0"
		if access != "" {
			r.what = strings.ToLower(access) + " near address 0"
		}
	default:
		// Far outside an object, through an invalid pointer, or through NULL with a large offset.
		r.kinds = []found.Kind{found.InvalidPointer, found.OutOfBoundsRead, found.OutOfBoundsWrite, found.NullDereference}
		if access != "" {
			r.direct(access)
		}
	}
}

// constant makes a report of a write one of a write to constant memory.
func (r *report) constant() {
	r.what = "write to constant memory"
	r.kinds = []found.Kind{found.ReadOnlyWrite}
}

// stackOf parses the first stack trace of a report.
func stackOf(text string) []uint64 {
	var out []uint64
	for line := range strings.Lines(text) {
		m := frameLine.FindStringSubmatch(line)
		if m == nil {
			if len(out) > 0 {
				break
			}
			continue
		}
		if pc, err := strconv.ParseUint(m[1], 16, 64); err == nil {
			out = append(out, pc)
		}
	}
	return out
}
