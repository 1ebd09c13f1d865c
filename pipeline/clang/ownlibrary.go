package clang

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/vcgen/language"
)

// libraryOf returns the functions that an assembly text defines and whose calls clang would evaluate, sorted.
func libraryOf(text []byte) []string {
	var names []string
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if bytes.HasPrefix(line, []byte("define ")) {
			if s, err := asm.FunctionSymbol(line, asm.Strong); err == nil && language.Lookup(s.Name).Evaluated {
				names = append(names, s.Name)
			}
		}
		text = rest
	}
	slices.Sort(names)
	return names
}

// ownLibrary returns options that make clang call the user's definitions of library functions that it would evaluate
// itself. It returns none if there are no such definitions, since the options are harmful: they refuse `static int n =
// strlen("x")`.
func ownLibrary(units []*compiled) []string {
	var options []string
	for _, u := range units {
		if u == nil {
			continue
		}
		for _, name := range u.library {
			options = append(options, "-fno-builtin-"+name)
		}
	}
	slices.Sort(options)
	return slices.Compact(options)
}

// compileForLibrary compiles all units, and again with the options of ownLibrary if there are any: the definitions are
// known only after compiling.
//
// The cached results of units show their definitions without compiling, so an edit of another unit, and the next proof
// with the same sources, compile once. The result is the same as compiling both ways. Whether a name without an option
// is defined does not depend on the other options, except for static and inline functions, which clang drops if they
// have no calls; with the options there are only more calls. So if the units compiled with the options define the
// guessed functions, they define no others without the options, and no fewer as far as the cache shows.
func (c *compilation) compileForLibrary(ctx context.Context, units []Unit) ([]*compiled, error) {
	cached := c.cached(units)
	if guess := ownLibrary(cached); guess != nil {
		c.noBuiltin = guess
		results, err := c.compileAll(ctx, units, nil)
		var e *CompileError
		if err == nil && slices.Equal(ownLibrary(results), guess) || err != nil && !errors.As(err, &e) {
			return results, err
		}
		c.noBuiltin = nil // the options may be the cause
	}
	results, err := c.compileAll(ctx, units, cached)
	if err != nil {
		return nil, err
	}
	if c.noBuiltin = ownLibrary(results); c.noBuiltin == nil {
		return results, nil
	}
	return c.compileAll(ctx, units, nil)
}

// cached returns the cached results of the units, nil for units without one.
func (c *compilation) cached(units []Unit) []*compiled {
	results := make([]*compiled, len(units))
	for i, u := range units {
		user, args, dropped := c.arguments(u)
		results[i] = c.unitCache(u, user, args, dropped).load()
	}
	return results
}
