package clang

import (
	"bytes"
	"fmt"
	"strings"
)

// assembly is the text of one module cut into its top-level entities. LLVM prints each on one line,
// a function body up to a line that is just "}"; nothing here relies on more of the grammar than
// that and the sigils: @ globals, % types and locals, ! metadata, # attribute groups, $ comdats.
type assembly struct {
	file    string // the C file, for messages
	text    []byte
	header  []span // source_filename, target …, module asm
	symbols map[string]*symbol
	order   []*symbol
	types   map[string]span // "%struct.s"
	comdats map[string]span // "$f"
	groups  map[string]span // "#0"
	nodes   map[int]span    // numbered metadata
	named   []span          // named metadata
	triple  string
}

type span struct{ start, end int }

// symbol is one global name of a module: a variable, function, alias or ifunc. Names are kept as
// LLVM prints them, with quotes where it uses them: the same name always gets the same print.
type symbol struct {
	name string // without the @
	kind symbolKind
	link linkage
	span
}

type symbolKind int

const (
	function symbolKind = iota
	variable
	alias // or ifunc: another name for something that must be defined in the same module
)

type linkage int

const (
	declared            linkage = iota // no definition here
	weaklyDeclared                     // extern_weak: NULL when nobody defines it
	availableExternally                // a C99 inline body: only for want of a better one
	weak                               // weak, linkonce and their odr forms
	common                             // a tentative definition under -fcommon
	strong
	appending // llvm.global_ctors and the like
	local     // internal, private
)

var linkages = map[string]linkage{
	"private": local, "internal": local, "available_externally": availableExternally, "linkonce": weak,
	"linkonce_odr": weak,
	"weak":         weak, "weak_odr": weak, "common": common, "appending": appending, "extern_weak": weaklyDeclared,
	"external": declared,
}

// cut splits the text. An entity it does not know is an error: dropping it could change the program.
func cut(file string, text []byte) (*assembly, error) {
	a := &assembly{
		file: file, text: text,
		symbols: map[string]*symbol{}, types: map[string]span{}, comdats: map[string]span{}, groups: map[string]span{},
		nodes: map[int]span{},
	}
	for pos := 0; pos < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[pos:], '\n'); n >= 0 {
			end = pos + n + 1
		}
		line := text[pos:end]
		at := span{pos, end}
		switch {
		case line[0] == '\n' || line[0] == ';' || line[0] == '\r':
		case line[0] == '!':
			i := 1
			for i < len(line) && isDigit(line[i]) {
				i++
			}
			if i > 1 {
				a.nodes[atoi(line[1:i])] = at
			} else {
				a.named = append(a.named, at)
			}
		case line[0] == '@':
			name := globalName(line[1:])
			rest := line[1+len(name):]
			s := &symbol{name: string(name), kind: variable, link: strong, span: at}
		words:
			for word := range bytes.FieldsSeq(rest) {
				switch w := string(word); w {
				case "global", "constant":
					break words
				case "alias", "ifunc":
					s.kind = alias
					break words
				default:
					if l, ok := linkages[w]; ok {
						s.link = l
					}
				}
			}
			a.add(s)
		case bytes.HasPrefix(line, []byte("define ")):
			n := bytes.Index(text[end:], []byte("\n}\n"))
			if n < 0 {
				return nil, fmt.Errorf("assembly of %s: a function without an end at byte %d", file, pos)
			}
			s, err := functionSymbol(line, strong)
			if err != nil {
				return nil, fmt.Errorf("assembly of %s: %w", file, err)
			}
			end += n + len("\n}\n")
			s.span = span{pos, end}
			a.add(s)
		case bytes.HasPrefix(line, []byte("declare ")):
			s, err := functionSymbol(line, declared)
			if err != nil {
				return nil, fmt.Errorf("assembly of %s: %w", file, err)
			}
			s.span = at
			a.add(s)
		case line[0] == '%':
			a.types[string(line[:1+len(globalName(line[1:]))])] = at
		case line[0] == '$':
			a.comdats[string(line[:1+len(globalName(line[1:]))])] = at
		case bytes.HasPrefix(line, []byte("attributes #")):
			word := line[len("attributes "):]
			a.groups[string(word[:bytes.IndexByte(word, ' ')])] = at
		case bytes.HasPrefix(line, []byte("source_filename")), bytes.HasPrefix(line, []byte("target ")),
			bytes.HasPrefix(line, []byte("module asm ")):
			a.header = append(a.header, at)
			if t, ok := bytes.CutPrefix(line, []byte(`target triple = "`)); ok {
				a.triple = strings.TrimSuffix(strings.TrimSpace(string(t)), `"`)
			}
		case bytes.HasPrefix(line, []byte("uselistorder")):
		default:
			return nil, fmt.Errorf("assembly of %s: what is %q?", file, bytes.TrimSpace(line))
		}
		pos = end
	}
	return a, nil
}

func (a *assembly) add(s *symbol) {
	a.symbols[s.name] = s
	a.order = append(a.order, s)
}

func (a *assembly) bytes(s span) []byte { return a.text[s.start:s.end] }

// functionSymbol reads the name and the linkage from the first line of a function.
func functionSymbol(line []byte, link linkage) (*symbol, error) {
	at := nameStart(line)
	if at < 0 {
		return nil, fmt.Errorf("no name in %q", bytes.TrimSpace(line))
	}
	s := &symbol{name: string(globalName(line[at+1:])), kind: function, link: link}
	for word := range bytes.FieldsSeq(line[:at]) {
		if l, ok := linkages[string(word)]; ok {
			s.link = l
			break
		}
	}
	return s, nil
}

// nameStart is the place of the @ that starts a function's name: the first one outside of strings,
// since neither attributes nor types of a result mention a global.
func nameStart(line []byte) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			i += 1 + bytes.IndexByte(line[i+1:], '"')
		case '@':
			return i
		}
	}
	return -1
}

// globalName is the name at the start of the text, after its sigil, quotes included.
func globalName(text []byte) []byte {
	if len(text) > 0 && text[0] == '"' {
		return text[:bytes.IndexByte(text[1:], '"')+2]
	}
	i := 0
	for i < len(text) && nameByte[text[i]] {
		i++
	}
	return text[:i]
}

var nameByte = func() (t [256]bool) {
	for c := range t {
		b := byte(c)
		t[c] = isDigit(b) || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '-' || b == '$' || b == '.' || b == '_'
	}
	return
}()

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func atoi(digits []byte) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

// references calls f for every reference in the text: with its sigil, and the name without it.
// Strings and comments are not looked into.
func references(text []byte, f func(sigil byte, name []byte, at int)) {
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '"':
			n := bytes.IndexByte(text[i+1:], '"')
			if n < 0 {
				return
			}
			i += n + 2
		case ';':
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return
			}
			i += n
		case '@', '%', '!', '#', '$':
			name := globalName(text[i+1:])
			if len(name) > 0 && !(c == '!' && !isDigit(name[0])) && !(c == '#' && !isDigit(name[0])) {
				f(c, name, i)
			}
			i += 1 + len(name)
		default:
			i++
		}
	}
}
