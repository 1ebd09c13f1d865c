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

// In files for CBMC, `#pragma CPROVER check disable "pointer"` and `enable` switch checks, from there to the `pop` of
// the level or to the end of the unit. What is disabled is checked nevertheless, and accepted there. What is enabled is
// not followed: a kind that is off is checked nowhere, which is told.

// Unchecked is a part of the sources where a kind is not to be checked.
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

// pragmas finds the pragmas about checks in what a unit was read from. Which of them make a difference depends on what
// the proof checks (followPragmas). Where conditions have a part in which of them count, the preprocessor says it.
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

// plainPragmas are the pragmas of a file as pragmasIn has them of each unit that it is read for; not ok where that
// depends on the unit: where one of them stands in a condition that is not around the whole file, where what is
// switched off stays so at the end, or where another file is included meanwhile.
func plainPragmas(text []byte, file string) (notes []found.Assumption, ok bool) {
	s := newSwitches()
	s.at = sourceLine{file, 1}
	conditions, guard := 0, 0 // that are open; 1: the first one is around the whole file
	before, first := 0, true  // where the last token begins; there was none but comments
	end, begins := 0, true    // of the last token; a line begins behind it
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
		case guard == 1 && conditions == 0: // there is more behind what should be the whole file
			return nil, false
		}
		whole := first
		first, begins = false, false
		if !directive {
			continue
		}
		ahead := scan
		switch name := ahead.Code().Of(text); name {
		case "if", "ifdef", "ifndef":
			if conditions++; whole && name == "ifndef" {
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

// switches are the checks that are off at a place of a preprocessed text, each with where it came to be off there.
// Lines count only in the file of the pragma: what is included between may be included elsewhere, where it is checked.
type switches struct {
	at    sourceLine
	off   map[string]sourceLine
	own   map[string]string // the file of the pragma, by check
	stack []map[string]sourceLine
	notes []found.Assumption

	enabled map[[2]string]bool // by file and name, of which a note tells
}

func newSwitches() *switches {
	return &switches{off: map[string]sourceLine{}, own: map[string]string{}, enabled: map[[2]string]bool{}}
}

// pragmasIn are the pragmas of a preprocessed text: what is switched off with its lines, file by file, and what is
// enabled, once a file.
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

// pragma follows one that checkPragma has matched.
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

// move goes to another line: in another file, or before the present one, what is off begins anew.
func (s *switches) move(to sourceLine) {
	if to.file != s.at.file || to.line < s.at.line {
		for _, name := range slices.Sorted(maps.Keys(s.off)) {
			s.end(name)
			s.off[name] = to
		}
	}
	s.at = to
}

// change has only these checks off from here on.
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

// end notes the lines where a check was off.
func (s *switches) end(name string) {
	if from := s.off[name]; from.file == s.at.file && from.file == s.own[name] && from.line <= s.at.line {
		s.notes = append(s.notes, found.Assumption{What: found.Pragma, Names: []string{"disable", name},
			At: found.Pos{File: from.file, Line: from.line}, Through: s.at.line})
	}
}

// checksOfCBMC are CBMC's names of checks with the kinds that they are here.
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

// followPragmas replaces the notes about pragmas by those about what is enabled and not checked, and gives the lines
// where what the proof checks is disabled. Of several files that say the same the first is named, and units that read
// the same header say it once.
func followPragmas(notes []found.Assumption, checks map[found.Kind]bool) (out []found.Assumption, list []Unchecked) {
	told := map[string]bool{}
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
		if told[n.Names[1]] {
			continue
		}
		told[n.Names[1]] = true
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

// saidByAll tells whether all units that read a file have a pragma of it: macros decide which count, and the lines that
// one of them wants checked are checked.
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
