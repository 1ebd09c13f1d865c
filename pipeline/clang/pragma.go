package clang

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// In files for CBMC, `#pragma CPROVER check disable "pointer"` and `enable` switch checks from there to the `pop` of
// the level. They are not followed: a kind is checked in the whole proof or nowhere. That is told where it makes a
// difference.

// pragmaNote is the kind of the notes of a compilation that name such a pragma; Message is what it says, as in `disable
// "pointer"`. Which of them make a difference depends on what the proof checks (ignoredPragmas).
const pragmaNote = "pragma"

var checkPragma = lazyregexp.New(`(?m)^[ \t]*#[ \t]*pragma[ \t]+CPROVER[ \t]+check[ \t]+(enable|disable)[ \t]+"([^"\n]*)"`)

// pragmas finds the pragmas about checks in the files that a unit was read from, the first of each kind in each file.
func (c *compilation) pragmas(files []string) []Note {
	var notes []Note
	for _, f := range files {
		text, err := c.read(f)
		if err != nil || !bytes.Contains(text, []byte("CPROVER")) {
			continue
		}
		seen := map[string]bool{}
		line, counted := 1, 0
		for _, m := range checkPragma.FindAllStringSubmatchIndex(string(text), -1) {
			says := fmt.Sprintf("%s %q", text[m[2]:m[3]], text[m[4]:m[5]])
			line += bytes.Count(text[counted:m[2]], []byte("\n"))
			counted = m[2]
			if !seen[says] {
				seen[says] = true
				notes = append(notes, Note{Kind: pragmaNote, Message: says, File: f, Line: line})
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
func ignoredPragmas(notes []Note, checks map[found.Kind]bool) []Note {
	var out []Note
	told := map[string]bool{}
	for _, n := range notes {
		if n.Kind != pragmaNote {
			out = append(out, n)
			continue
		}
		if told[n.Message] {
			continue
		}
		told[n.Message] = true
		action, quoted, _ := strings.Cut(n.Message, " ")
		kinds := slices.Clone(checksOfCBMC[strings.TrimSuffix(strings.Trim(quoted, `"`), "-check")])
		enable := action == "enable"
		none := len(kinds) == 0
		kinds = slices.DeleteFunc(kinds, func(k found.Kind) bool { return checks[k] == enable })
		n.Kind = "ignored-pragma"
		names := strings.Trim(strings.ReplaceAll(fmt.Sprint(kinds), " ", ", "), "[]")
		switch {
		case enable && none:
			n.Message = fmt.Sprintf("#pragma CPROVER check %s is not followed: there is no such check here", n.Message)
		case len(kinds) == 0:
			continue
		case enable:
			n.Message = fmt.Sprintf("#pragma CPROVER check %s is not followed: %s is not checked (--check %s checks it "+
				"everywhere)", n.Message, names, kinds[0])
		default:
			n.Message = fmt.Sprintf("#pragma CPROVER check %s is not followed: %s is checked there as well", n.Message, names)
		}
		out = append(out, n)
	}
	return out
}
