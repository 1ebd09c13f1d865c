package clang

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
)

// lowered are library functions whose calls clang's front end computes or turns into instructions by
// their name alone, even at places where the program defines a function of that name.
var lowered = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`strlen strcmp strncmp memcmp bcmp memchr strchr wcslen wcscmp wcsncmp wmemcmp wmemchr wcschr ffs ffsl ffsll`) {
		set[name] = true
	}
	for _, name := range strings.Fields(`ceil copysign cos exp exp2 fabs floor fma fmax fmin fmod log log10 log2 llrint llround lrint lround
		nearbyint pow rint round roundeven sin sqrt trunc`) {
		set[name], set[name+"f"], set[name+"l"] = true, true, true
	}
	return set
})

// libraryOf are the functions of lowered that an assembly text defines, sorted.
func libraryOf(text []byte) []string {
	var names []string
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if bytes.HasPrefix(line, []byte("define ")) {
			if s, err := asm.FunctionSymbol(line, asm.Strong); err == nil && lowered()[s.Name] {
				names = append(names, s.Name)
			}
		}
		text = rest
	}
	slices.Sort(names)
	return names
}

// ownLibrary lists options that make clang call the user's own functions where they have the names of
// library functions that it would rather compute itself. For programs without any the options would do
// harm: they refuse `static int n = strlen("x")`.
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

// compileForLibrary compiles all units, and again with the options of ownLibrary if it has any: who
// defines what is known only after compiling.
//
// What units were compiled to before tells it of them without compiling, so that an edit of another unit, and the next
// proof with the same sources, compile once. That is the same result as going both ways: a definition of a name without
// an option is there or not whatever the other options are, but for static and inline functions, which clang leaves out
// when nobody calls them; there are only more calls with the options. So if the units define with them what they were
// guessed to define, they define neither more nor, as far as was known before, less without them.
func (c *compilation) compileForLibrary(ctx context.Context, units []Unit) ([]*compiled, error) {
	kept := c.kept(units)
	if guess := ownLibrary(kept); guess != nil {
		c.noBuiltin = guess
		results, err := c.compileAll(ctx, units, nil)
		var e *CompileError
		if err == nil && slices.Equal(ownLibrary(results), guess) || err != nil && !errors.As(err, &e) {
			return results, err
		}
		c.noBuiltin = nil // the options can be what was wrong
	}
	results, err := c.compileAll(ctx, units, kept)
	if err != nil {
		return nil, err
	}
	if c.noBuiltin = ownLibrary(results); c.noBuiltin == nil {
		return results, nil
	}
	return c.compileAll(ctx, units, nil)
}

// kept is what the units were compiled to before, nil for those of which it is not known.
func (c *compilation) kept(units []Unit) []*compiled {
	results := make([]*compiled, len(units))
	for i, u := range units {
		user, args, dropped := c.arguments(u)
		results[i] = c.unitCache(u, user, args, dropped).load()
	}
	return results
}
