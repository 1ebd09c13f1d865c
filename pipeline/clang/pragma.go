package clang

import (
	"bytes"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// In files for CBMC, `#pragma CPROVER check disable "pointer"` and `enable` switch checks from there to the `pop` of
// the level. They are not followed: a kind is checked in the whole proof or nowhere. That is told where it makes a
// difference.

var checkPragma = lazyregexp.New(`(?m)^[ \t]*#[ \t]*pragma[ \t]+CPROVER[ \t]+check[ \t]+(enable|disable)[ \t]+"([^"\n]*)"`)

// pragmas finds the pragmas about checks in the files that a unit was read from, the first of each kind in each file.
// Which of them make a difference depends on what the proof checks (ignoredPragmas).
func (c *compilation) pragmas(files []string) []found.Assumption {
	var notes []found.Assumption
	for _, f := range files {
		text, err := c.read(f)
		if err != nil || !bytes.Contains(text, []byte("CPROVER")) {
			continue
		}
		seen := map[[2]string]bool{}
		line, counted := 1, 0
		for _, m := range checkPragma.FindAllStringSubmatchIndex(string(text), -1) {
			says := [2]string{string(text[m[2]:m[3]]), string(text[m[4]:m[5]])}
			line += bytes.Count(text[counted:m[2]], []byte("\n"))
			counted = m[2]
			if !seen[says] {
				seen[says] = true
				notes = append(notes, found.Assumption{What: found.Pragma, Names: says[:], At: found.Pos{File: f, Line: line}})
			}
		}
	}
	return notes
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

// ignoredPragmas replaces the notes about pragmas by those that matter to a proof: what is disabled and checked
// nevertheless, and what is enabled and not checked. Of several files that say the same the first is named.
func ignoredPragmas(notes []found.Assumption, checks map[found.Kind]bool) []found.Assumption {
	var out []found.Assumption
	told := map[[2]string]bool{}
	for _, n := range notes {
		if n.What != found.Pragma || len(n.Names) != 2 {
			out = append(out, n)
			continue
		}
		says := [2]string(n.Names)
		if told[says] {
			continue
		}
		told[says] = true
		kinds := slices.Clone(checksOfCBMC[strings.TrimSuffix(says[1], "-check")])
		enable := says[0] == "enable"
		none := len(kinds) == 0
		kinds = slices.DeleteFunc(kinds, func(k found.Kind) bool { return checks[k] == enable })
		if len(kinds) == 0 && !(enable && none) {
			continue
		}
		n.What, n.Kinds = found.IgnoredPragma, kinds
		out = append(out, n)
	}
	return out
}
