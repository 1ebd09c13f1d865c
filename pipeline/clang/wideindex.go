package clang

import (
	"context"
	"math/big"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

var (
	narrowAddress = lazyregexp.New(`(?m)^target datalayout = "[^"]*-p:(16|32):`)
	warnedIndex   = lazyregexp.New(`^(?:array index|the pointer (?:inc|dec)remented by) (-?\d+)`)
)

// wideIndices notes each constant index that has more bits than an address of the target.
//
// Clang reduces a constant index to the width of an address, so that the assembly has p[0] for p[1LL << 32]. Only its
// warnings have the number, and not for each form: see docs/targets.md. Other indices are handled by clangir.Extent.
func (c *compilation) wideIndices(ctx context.Context, u Unit, flags []string, result *compiled) error {
	m := narrowAddress.FindSubmatch(result.text[:min(len(result.text), 1<<12)])
	if m == nil {
		return nil
	}
	bits, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return err
	}
	file, err := c.input(u)
	if err != nil {
		return err
	}
	overlay, err := c.overlay.flags()
	if err != nil {
		return err
	}
	flags = slices.DeleteFunc(flags, func(f string) bool { return f == "-w" })
	_, stderr, err := c.Run(ctx, u.Dir, c.Clang, slices.Concat(flags, overlay, []string{"-fsyntax-only", "-U__UNITPROOF__",
		"-Wno-everything", "-Warray-bounds", "-Wno-error", file}), nil)
	if err != nil && (ctx.Err() != nil || !Exited(err)) {
		return processError(ctx, "compile", err, nil)
	}
	for _, d := range parseDiagnostics(string(stderr), u.path(), u.Dir) {
		if m := warnedIndex.FindStringSubmatch(d.Message); m != nil {
			n, ok := new(big.Int).SetString(m[1], 10)
			if ok && (n.BitLen() > bits || n.Sign() < 0 && new(big.Int).Not(n).BitLen() >= bits) {
				result.notes = append(result.notes, found.Assumption{What: found.CutIndex, Name: m[1], Count: int64(bits),
					At: found.Pos{File: d.File, Line: d.Line, Column: d.Column}})
			}
		}
	}
	return nil
}
