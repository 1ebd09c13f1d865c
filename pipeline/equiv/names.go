package equiv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// named returns the compared function of a module. Models of the C library, and other files of the program, may have
// functions of the same name.
func (b *builder) named(m *llvmir.Module) (*llvmir.Func, error) {
	var all, own []*llvmir.Func
	for _, f := range m.Funcs {
		if f.SourceName != b.Function || len(f.Blocks) == 0 || f.Loc != nil && language.IsModelFile(f.Loc.File) {
			continue
		}
		if all = append(all, f); f.Loc != nil && f.Loc.File == b.File {
			own = append(own, f)
		}
	}
	if len(own) > 0 {
		all = own
	}
	switch len(all) {
	case 0:
		return nil, fmt.Errorf("one version does not define %s", b.Function)
	case 1:
		return all[0], nil
	}
	return nil, fmt.Errorf("several functions are called %s", b.Function)
}

// file returns the file of a definition.
func (s *side) file(sym *asm.Symbol) string {
	p := s.m.Place(sym)
	if strings.HasPrefix(p.File, "/") || language.IsModelFile(p.File) || p.Dir == "" {
		return p.File
	}
	return p.Dir + "/" + p.File
}

// newName returns the name of a symbol in the product.
func (b *builder) newName(s *side, name string, dropped map[string]bool, inHarness bool) string {
	if to := b.sharing.newName(s, name); to != "" {
		return to
	}
	target := s.m.Symbols[name]
	switch {
	case target == nil:
		return name
	case !dropped[name] && target.Link != asm.Declared && target.Link != asm.WeaklyDeclared: // a definition
		if s.before && target.Link != asm.Appending {
			return withSuffix(name)
		}
		return name
	case target.Kind != asm.Function:
		return name
	}
	role := language.Lookup(unquoted(name)).Role
	if to := replacements[role]; to != "" {
		return to
	}
	if role == language.Exit || role == language.Abort || b.isOutside(name, inHarness) {
		return b.call(s, name, "").symbol
	}
	return name
}

// RuntimePrefix begins the names of the functions of the runtime.
const RuntimePrefix = "compare__"

// replacements maps each function that allocates memory to the runtime's function.
var replacements = map[language.Role]string{language.Malloc: "compare__malloc", language.Calloc: "compare__calloc",
	language.Realloc: "compare__realloc", language.Reallocarray: "compare__reallocarray", language.Free: "compare__free"}

func unquoted(name string) string { return strings.Trim(name, `"`) }

// withSuffix returns the name of a definition of the version before.
func withSuffix(name string) string {
	if inner, ok := strings.CutSuffix(name, `"`); ok {
		return inner + harness.BeforeSuffix + `"`
	}
	return name + harness.BeforeSuffix
}

// exported gives the definition of a function external linkage.
func exported(text []byte) []byte {
	head, rest, _ := bytes.Cut(text, []byte("@"))
	return slices.Concat(linkageWord.ReplaceAll(head, nil), []byte("@"), rest)
}

// rename replaces the names of symbols in a text. called reports whether the name is that of a called function.
func (b *builder) rename(s *side, text []byte, to func(name string, called bool) string) ([]byte, error) {
	out := asm.Rename(text, func(name string, end int) string { return to(name, end < len(text) && text[end] == '(') })
	return out, b.err()
}

// moveFiles replaces the names of the user's files of the version before.
func (b *builder) moveFiles(text []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		before, rest, ok := bytes.Cut(line, []byte(`!DIFile(filename: "`))
		name, rest, ended := bytes.Cut(rest, []byte(`"`))
		if !ok || !ended || line[0] != '!' || language.IsModelFile(string(name)) || bytes.Contains(name, []byte(`\`)) {
			out.Write(line)
			continue
		}
		path := string(name)
		if _, dir, ok := bytes.Cut(rest, []byte(`directory: "`)); ok && !strings.HasPrefix(path, "/") {
			dir, _, _ := bytes.Cut(dir, []byte(`"`))
			path = string(dir) + "/" + path
		}
		out.Write(before)
		fmt.Fprintf(&out, `!DIFile(filename: "%s"`, b.Moved(path))
		out.Write(rest)
	}
	return out.Bytes()
}
