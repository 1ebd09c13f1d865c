package clang

import (
	"runtime"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// A macro of the command line is unasked in a compilation if its name occurs in no text that was read: the result is
// the same with and without the macro. Kits define sizes for each proof and compile the library with them, although the
// library does not use them; that way the library is compiled once.
//
// A name occurs if it is in a file, or if ## may build it from pieces in files, in definitions of the command line, or
// in clang's own macros. So a name is unasked if no sequence of pieces in these texts forms it, whether or not ## is
// used.

// switchable matches flags about macros that may be unasked. All letters are capitals: neither the language, nor its
// libraries, nor clang's own definitions have such names, so only the texts that were read can use them.
var switchable = lazyregexp.New(`^-[DU]([A-Z][A-Z0-9_]*)(?:[=(].*)?$`)

// macroOf returns the name of the macro that a flag of cflags.Filter defines or undefines, if the macro may be unasked.
func macroOf(flag string) (name string, ok bool) {
	m := switchable.FindStringSubmatch(flag)
	if m == nil || m[1] == "NDEBUG" { // notes mention it
		return "", false
	}
	return m[1], true
}

// plain matches flags about macros that clang and this package parse alike. clang ends a name at blanks and comments,
// and a comment that begins in one flag can end in another.
var plain = lazyregexp.New(`^-[DU][A-Za-z_$][A-Za-z0-9_$]*(?:[=(].*)?$`)

// withoutMacros splits flags into flags about macros that may be unasked, and the others.
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
	// Debug information may list all macros, and other targets have further macros in clang.
	if runtime.GOOS != "linux" || slices.ContainsFunc(others, func(f string) bool {
		return slices.ContainsFunc([]string{"-g", "-target", "--target", "-arch"}, func(p string) bool {
			return strings.HasPrefix(f, p)
		})
	}) {
		return user, nil
	}
	return others, macros
}

// predefined are the pieces in capitals that clang's own macros contribute to ##, besides numbers.
var predefined = []string{"L", "LL", "U", "UL", "ULL"}

// pieces has the pieces of some names that occur in texts.
type pieces struct {
	names []string
	all   string // the names, separated by spaces
	found map[string]bool
}

func newPieces(names []string) *pieces {
	p := &pieces{names: names, all: " " + strings.Join(names, " ") + " ", found: map[string]bool{}}
	for _, piece := range predefined {
		p.found[piece] = true
	}
	return p
}

// add adds the pieces in a text. Pieces may be divided by a \ at the end of a line.
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
		if word := text[begin:i]; capital && !number && strings.Contains(p.all, string(word)) { // any number may occur
			p.found[string(word)] = true
		}
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// comeUp returns the names that the pieces can form.
func (p *pieces) comeUp() (names []string) {
	for _, name := range p.names {
		ends := make([]bool, len(name)+1) // possible ends of a sequence of pieces from the start
		ends[0] = true
		for i := range name {
			if !ends[i] {
				continue
			}
			digits := true // a number may be a line number
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

// namesOf returns the names of the macros in flags.
func namesOf(macros []string) (names []string) {
	for _, f := range macros {
		if name, ok := macroOf(f); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// flagsAbout returns the flags about some macros, in their order.
func flagsAbout(macros, names []string) (flags []string) {
	for _, f := range macros {
		if name, ok := macroOf(f); ok && slices.Contains(names, name) {
			flags = append(flags, f)
		}
	}
	return flags
}

// comeUp returns the names of macros that occur in a compilation with these files; false if that is unknown.
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
	p.add(cproverHeader) // not among the files if it was written for a compilation
	return p.comeUp(), true
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"

// definitions returns the definitions of macros on the command line, with their parameters.
func definitions(user []string) (text []byte) {
	for _, f := range user {
		if define, ok := strings.CutPrefix(f, "-D"); ok {
			name := len(define) - len(strings.TrimLeft(define, nameBytes))
			text = append(append(text, define[name:]...), '\n')
		}
	}
	return text
}

// sameMacros reports whether the macros that occur in a compilation have the definitions that they had then. unasked
// are further macros that do not occur.
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

// speaksOf reports whether a definition of the command line contains a piece of a name.
func (k *unitCache) speaksOf(name string) bool {
	p := newPieces([]string{name})
	p.add(k.defined)
	return len(p.found) > len(predefined)
}
