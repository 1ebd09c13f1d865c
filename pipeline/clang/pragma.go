package clang

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// In files for CBMC, `#pragma CPROVER check disable "pointer"` and `enable` switch checks from that line to the `pop`
// of the level or the end of the unit. A disabled check is still performed, and its violations in that range are
// accepted. `enable` is ignored: a kind that is off is checked nowhere, and the result has a note about it.

// Unchecked is a range of lines in which a kind is disabled.
type Unchecked struct {
	Kind  found.Kind
	Lines found.Lines
	Why   string // the pragma
}

var (
	checkPragma = lazyregexp.New(`(?m)^[ \t]*#[ \t]*pragma[ \t]+CPROVER[ \t]+check[ \t]+` +
		`(?:(enable|disable)[ \t]+"([^"\n]*)"|(push|pop)\b)`)
	lineMarker = lazyregexp.New(`^# (\d+) "((?:[^"\\]|\\.)*)"`)
)

// pragmas returns the pragmas about checks in the files of a unit. followPragmas decides which of them matter for the
// checks of the proof. If conditional compilation affects them, the preprocessor decides.
func (c *compilation) pragmas(ctx context.Context, u Unit, flags []string, file string, files []string) (
	notes []found.Assumption, err error) {
	for _, f := range files {
		text, err := c.read(f)
		if err != nil || !bytes.Contains(text, []byte("CPROVER")) || !checkPragma.Match(text) {
			continue
		}
		plain, ok := plainPragmas(text, f)
		if !ok {
			out, stderr, err := c.Run(ctx, u.Dir, c.Clang, slices.Concat(flags, []string{"-E", "-o", "-", file}), nil)
			if err != nil {
				return nil, processError(ctx, "compile", err, stderr)
			}
			return pragmasIn(out, u.Dir), nil
		}
		notes = append(notes, plain...)
	}
	return notes, nil
}

// plainPragmas returns the pragmas of a file if they are the same for each unit that reads the file. ok is false if one
// of them
//
//   - is in a condition other than one around the whole file,
//   - is not between a push and its pop, or
//   - is in a level with an include directive.
func plainPragmas(text []byte, file string) (notes []found.Assumption, ok bool) {
	s := newSwitches()
	s.at = sourceLine{file, 1}
	conditions, guard := 0, 0 // number of open ones; 1: the first one encloses the whole file
	before, first := 0, true  // start of the last token; only comments so far
	end, begins := 0, true    // end of the last token; whether a line begins behind it
	for scan := (csource.Scanner{Text: text}); ; {
		t := scan.Scan()
		s.at.line += bytes.Count(text[before:t.Start], []byte("\n"))
		for l := range bytes.Lines(text[end:t.Start]) {
			begins = begins || bytes.HasSuffix(l, []byte("\n")) &&
				!bytes.HasSuffix(bytes.TrimRight(l, " \t\r\n\v\f"), []byte("\\"))
		}
		before, end = t.Start, t.End
		directive := begins && t.Is(text, "#")
		switch {
		case t.Kind == csource.Comment:
			continue
		case t.Kind == csource.End:
			return s.notes, conditions == 0 && len(s.stack) == 0
		case guard == 1 && conditions == 0: // more text follows behind the condition around the file
			return nil, false
		}
		beforeAll := first
		first, begins = false, false
		if !directive {
			continue
		}
		ahead := scan
		switch name := ahead.Code().Of(text); name {
		case "if", "ifdef", "ifndef":
			if conditions++; beforeAll && name == "ifndef" {
				guard = 1
			}
		case "else", "elif", "elifdef", "elifndef":
			if conditions == guard {
				return nil, false
			}
		case "endif":
			conditions--
		case "include", "include_next", "import":
			if len(s.stack) > 0 {
				return nil, false
			}
		case "pragma":
			if ahead.Code().Of(text) != "CPROVER" {
				continue
			}
			rest, _, _ := bytes.Cut(text[t.Start:], []byte("\n"))
			m := checkPragma.FindSubmatch(rest)
			if m == nil || conditions != guard || len(s.stack) == 0 && string(m[3]) != "push" {
				return nil, false
			}
			s.pragma(m)
		}
	}
}

// sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

// switches has the checks that are off at a position of a preprocessed text, with the position of each pragma. Only
// lines in the file of the pragma count: a file that is included in between may also be included elsewhere, with the
// check on.
type switches struct {
	at    sourceLine
	off   map[string]sourceLine
	own   map[string]string // the file of the pragma, by check
	stack []map[string]sourceLine
	notes []found.Assumption

	enabled map[[2]string]bool // by file and name, with a note already
}

func newSwitches() *switches {
	return &switches{off: map[string]sourceLine{}, own: map[string]string{}, enabled: map[[2]string]bool{}}
}

// pragmasIn returns the pragmas of a preprocessed text: disabled checks with their lines, file by file, and enabled
// checks, once per file.
func pragmasIn(text []byte, dir string) []found.Assumption {
	s := newSwitches()
	for l := range bytes.Lines(text) {
		if m := lineMarker.FindSubmatch(l); m != nil {
			n, _ := strconv.Atoi(string(m[1]))
			name, err := strconv.Unquote(`"` + string(m[2]) + `"`)
			if err != nil {
				name = string(m[2])
			}
			s.move(sourceLine{absolute(name, dir), n})
			continue
		}
		if m := checkPragma.FindSubmatch(l); m != nil {
			s.pragma(m)
		}
		s.at.line++
	}
	s.change(nil)
	return s.notes
}

// pragma applies a pragma that checkPragma matched.
func (s *switches) pragma(m [][]byte) {
	switch name := string(m[2]); {
	case string(m[3]) == "push":
		s.stack = append(s.stack, maps.Clone(s.off))
	case string(m[3]) == "pop":
		if n := len(s.stack); n > 0 {
			s.change(s.stack[n-1])
			s.stack = s.stack[:n-1]
		}
	case string(m[1]) == "disable":
		if _, already := s.off[name]; !already {
			s.off[name], s.own[name] = s.at, s.at.file
		}
	default:
		now := maps.Clone(s.off)
		delete(now, name)
		s.change(now)
		if key := [2]string{s.at.file, name}; !s.enabled[key] {
			s.enabled[key] = true
			s.notes = append(s.notes, found.Assumption{What: found.Pragma, Names: []string{"enable", name},
				At: found.Pos{File: s.at.file, Line: s.at.line}})
		}
	}
}

// move moves to another line: in another file, or before the current line, the ranges of disabled checks start again.
func (s *switches) move(to sourceLine) {
	if to.file != s.at.file || to.line < s.at.line {
		for _, name := range slices.Sorted(maps.Keys(s.off)) {
			s.end(name)
			s.off[name] = to
		}
	}
	s.at = to
}

// change switches off exactly these checks from here on.
func (s *switches) change(off map[string]sourceLine) {
	for _, name := range slices.Sorted(maps.Keys(s.off)) {
		if _, still := off[name]; !still {
			s.end(name)
			delete(s.off, name)
		}
	}
	for name := range off {
		if _, already := s.off[name]; !already { // enabled since the push
			s.off[name] = s.at
		}
	}
}

// end adds a note about the lines in which a check was off.
func (s *switches) end(name string) {
	if from := s.off[name]; from.file == s.at.file && from.file == s.own[name] && from.line <= s.at.line {
		s.notes = append(s.notes, found.Assumption{What: found.Pragma, Names: []string{"disable", name},
			At: found.Pos{File: from.file, Line: from.line}, Through: s.at.line})
	}
}

// checksOfCBMC maps CBMC's names of checks to kinds.
var checksOfCBMC = map[string][]found.Kind{
	"bounds": {found.ArrayBounds, found.OutOfBoundsRead, found.OutOfBoundsWrite},
	"pointer": {found.NullDereference, found.InvalidPointer, found.UseAfterFree, found.UseAfterScope,
		found.OutOfBoundsRead, found.OutOfBoundsWrite},
	"memory_leak":    {found.MemoryLeak},
	"memory-leak":    {found.MemoryLeak},
	"memory-cleanup": {found.MemoryLeak},
	"div-by-zero":    {found.DivisionByZero}, "float-div-by-zero": nil,
	"signed-overflow": {found.SignedOverflow}, "unsigned-overflow": {found.UnsignedOverflow},
	"undefined-shift": {found.InvalidShift}, "pointer-overflow": nil, "pointer-primitive": nil, "enum-range": nil,
	"conversion": {found.FloatToIntOverflow}, "float-overflow": nil, "nan": nil,
}

// followPragmas replaces the notes about pragmas by notes about checks that are enabled and off. It also returns the
// lines with disabled checks that the proof performs. If several files have the same pragma, the first is named; a
// header is named once for all its units.
func followPragmas(notes []found.Assumption, checks map[found.Kind]bool) (out []found.Assumption, list []Unchecked) {
	noted := map[string]bool{}
	for _, n := range notes {
		if n.What != found.Pragma || len(n.Names) != 2 {
			out = append(out, n)
			continue
		}
		kinds := slices.Clone(checksOfCBMC[strings.TrimSuffix(n.Names[1], "-check")])
		if n.Names[0] == "disable" {
			for _, k := range kinds {
				u := Unchecked{k, found.Lines{File: n.At.File, From: n.At.Line, To: n.Through},
					`#pragma CPROVER check disable "` + n.Names[1] + `"`}
				if checks[k] && !slices.Contains(list, u) {
					list = append(list, u)
				}
			}
			continue
		}
		if noted[n.Names[1]] {
			continue
		}
		noted[n.Names[1]] = true
		none := len(kinds) == 0
		kinds = slices.DeleteFunc(kinds, func(k found.Kind) bool { return checks[k] })
		if len(kinds) == 0 && !none {
			continue
		}
		n.What, n.Kinds = found.IgnoredPragma, kinds
		out = append(out, n)
	}
	return out, list
}

// saidByAll reports whether all units that read a file have one of its pragmas. Macros decide which pragmas are active,
// and a line that is active in one unit with the check on is checked.
func saidByAll(results []*compiled, n found.Assumption) bool {
	for _, r := range results {
		if slices.Contains(r.files, n.At.File) && !slices.ContainsFunc(r.notes, func(o found.Assumption) bool {
			return o.What == n.What && slices.Equal(o.Names, n.Names) && o.At == n.At && o.Through == n.Through
		}) {
			return false
		}
	}
	return true
}
