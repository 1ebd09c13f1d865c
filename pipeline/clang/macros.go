package clang

import (
	"runtime"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// A macro of the command line is unasked in a compilation when its name comes up in nothing that was read: then what
// clang makes is the same with it and without it, whatever it is defined as. Kits of proofs define sizes for each
// proof, and compile the library beside the harness with them, which never heard of them: it is compiled once.
//
// A name comes up where it stands in a file, or where ## makes it of pieces that stand in files, in definitions of the
// command line, or in clang's own. So a name is unasked that cannot be put together of what stands there, ## or not.

// switchable matches the flags about macros that may be unasked. All capitals: neither the language, nor its libraries,
// nor clang's own definitions have such names, so that only what was read can ask for one.
var switchable = lazyregexp.New(`^-[DU]([A-Z][A-Z0-9_]*)(?:[=(].*)?$`)

// macroOf is the name of the macro that a flag of cflags.Filter is about, if that may be unasked.
func macroOf(flag string) (name string, ok bool) {
	m := switchable.FindStringSubmatch(flag)
	if m == nil || m[1] == "NDEBUG" { // which notes speak of
		return "", false
	}
	return m[1], true
}

// plain matches the flags about macros that clang and we read alike: it takes blanks and comments for the end of a
// name, and a comment that begins in one flag ends in another.
var plain = lazyregexp.New(`^-[DU][A-Za-z_$][A-Za-z0-9_$]*(?:[=(].*)?$`)

// withoutMacros are the flags that are not about macros which may be unasked, and those that are.
func withoutMacros(user []string) (others, macros []string) {
	for _, f := range user {
		if about := strings.HasPrefix(f, "-D") || strings.HasPrefix(f, "-U"); about && (!plain.MatchString(f) ||
			strings.Contains(f, "/*")) {
			return user, nil
		}
		if _, ok := macroOf(f); ok {
			macros = append(macros, f)
		} else {
			others = append(others, f)
		}
	}
	// Debug information may tell of all macros, and other targets have macros of their own in clang.
	if runtime.GOOS != "linux" || slices.ContainsFunc(others, func(f string) bool {
		return slices.ContainsFunc([]string{"-g", "-target", "--target", "-arch"}, func(p string) bool {
			return strings.HasPrefix(f, p)
		})
	}) {
		return user, nil
	}
	return others, macros
}

// predefined are the pieces in capitals that clang's own macros give to ##, beside numbers.
var predefined = []string{"L", "LL", "U", "UL", "ULL"}

// pieces are those of some names that stand in texts.
type pieces struct {
	names []string
	all   string // the names, a space between
	found map[string]bool
}

func newPieces(names []string) *pieces {
	p := &pieces{names: names, all: " " + strings.Join(names, " ") + " ", found: map[string]bool{}}
	for _, piece := range predefined {
		p.found[piece] = true
	}
	return p
}

// add takes the pieces that stand in a text. What \ at the end of a line divides are pieces, too.
func (p *pieces) add(text []byte) {
	for i := 0; i < len(text); {
		if !wordByte(text[i]) {
			i++
			continue
		}
		begin, capital, number := i, true, true
		for ; i < len(text) && wordByte(text[i]); i++ {
			capital = capital && (text[i] < 'a' || text[i] > 'z')
			number = number && text[i] >= '0' && text[i] <= '9'
		}
		if word := text[begin:i]; capital && !number && strings.Contains(p.all, string(word)) { // any number may come up
			p.found[string(word)] = true
		}
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// comeUp are the names that can be put together of the pieces.
func (p *pieces) comeUp() (names []string) {
	for _, name := range p.names {
		ends := make([]bool, len(name)+1) // where a row of pieces from the beginning on may end
		ends[0] = true
		for i := range name {
			if !ends[i] {
				continue
			}
			digits := true // a number may be that of a line
			for k := i + 1; k <= len(name); k++ {
				digits = digits && name[k-1] >= '0' && name[k-1] <= '9'
				ends[k] = ends[k] || digits || p.found[name[i:k]]
			}
		}
		if ends[len(name)] {
			names = append(names, name)
		}
	}
	return names
}

// namesOf are the names that flags are about.
func namesOf(macros []string) (names []string) {
	for _, f := range macros {
		if name, ok := macroOf(f); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// flagsAbout are the flags about some macros, in their order.
func flagsAbout(macros, names []string) (flags []string) {
	for _, f := range macros {
		if name, ok := macroOf(f); ok && slices.Contains(names, name) {
			flags = append(flags, f)
		}
	}
	return flags
}

// comeUp are the names of macros that come up in a compilation which read some files. False: that is not known.
func (k *unitCache) comeUp(names []string, inputs []cacheInput) (up []string, known bool) {
	p := newPieces(names)
	for _, in := range inputs {
		text, err := k.c.read(in.path)
		if err != nil || hexHash(hashOf(text)) != in.hash {
			return nil, false
		}
		p.add(text)
	}
	p.add(k.defined)
	p.add(cproverHeader) // where it is written for a compilation, it is none of the files
	return p.comeUp(), true
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"

// definitions are what macros of the command line are defined as, with their parameters.
func definitions(user []string) (text []byte) {
	for _, f := range user {
		if define, ok := strings.CutPrefix(f, "-D"); ok {
			name := len(define) - len(strings.TrimLeft(define, nameBytes))
			text = append(append(text, define[name:]...), '\n')
		}
	}
	return text
}

// sameMacros tells whether the macros that come up in a compilation are defined as they were then. unasked are further
// ones that do not.
func (k *unitCache) sameMacros(m *manifest) (same bool, unasked []string) {
	var open []string
	for _, name := range namesOf(k.macros) {
		if !slices.Contains(m.unasked, name) || k.speaksOf(name) {
			open = append(open, name)
		}
	}
	switch {
	case !slices.Equal(flagsAbout(k.macros, namesOf(m.macros)), m.macros):
		return false, nil
	case slices.Equal(flagsAbout(k.macros, open), m.macros):
		return true, nil
	}
	up, known := k.comeUp(open, m.inputs)
	if !known || !slices.Equal(flagsAbout(k.macros, append(up, namesOf(m.macros)...)), m.macros) {
		return false, nil
	}
	return true, slices.DeleteFunc(open, func(name string) bool {
		return k.speaksOf(name) || slices.Contains(up, name) || slices.Contains(namesOf(m.macros), name)
	})
}

// speaksOf tells whether a definition of the command line has a piece of a name.
func (k *unitCache) speaksOf(name string) bool {
	p := newPieces([]string{name})
	p.add(k.defined)
	return len(p.found) > len(predefined)
}
