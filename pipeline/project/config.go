package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/unitproof/unitproof/vcgen/found"
)

// ConfigName is the file that makes a folder the root of a workspace or of a nested one.
const ConfigName = "unitproof.toml"

// Config is one configuration file. Paths in it are absolute.
type Config struct {
	Path string // the file itself
	Dir  string // its folder, which relative paths start from

	Flags           []string // [compile], relative include paths made absolute
	RemoveFlags     []string
	CompileCommands string // "" : found as clangd finds it
	Clang           string // "" : the toolchain's default

	Check  Settings
	Proofs []ProofConfig
	Accept []Accept

	byFile map[string][]*ProofConfig // file -> the tables that list it
}

// ProofConfig is one [[proof]] table.
type ProofConfig struct {
	Name    string // "" : the default
	Pattern string // the key file as written; may be a glob
	Files   []string
	Entry   string // "" : found in the file
	// Sources are further files to link. When the key is absent (and so SourcesGiven false)
	// they are looked up in compile_commands.json.
	Sources      []string
	SourcesGiven bool
	Override     []string
	RemoveBodies []string // functions whose definitions in Sources do not count
	Flags        []string
	Settings     Settings
	Loops        map[string]int
	LoopLines    map[string]int // where they are given
	Expect       found.Verdict  // "" : not given

	Line, Column int // of the table

	isGlob bool
	key    keyPath
}

// Accept is one [[accept]] table: a finding that was looked at and is fine.
type Accept struct {
	Kind     found.Kind
	Function string // "" : every function
	Reason   string
	Line     int
}

// Load reads a configuration strictly. The error is of type [Problems] and names every
// unknown key, wrong type, bad value, duplicate name and missing file with its place. The
// Config is never nil: it holds what could be read, so that an editor can go on.
func Load(path string) (*Config, error) { return load(path, os.ReadFile) }

// LoadText is Load for a text that stands for the file, such as that of an open document.
func LoadText(path string, text []byte) (*Config, error) {
	return load(path, func(string) ([]byte, error) { return text, nil })
}

func load(path string, read func(string) ([]byte, error)) (*Config, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	data, err := read(path)
	if err != nil {
		empty := &Config{Path: path, Dir: filepath.Dir(path)}
		return empty, Problems{{File: path, Message: "cannot be read: " + cause(err)}}
	}
	r := parse(path, data)
	if !r.broken {
		r.resolve()
	}
	if len(r.problems) > 0 {
		return r.config, Problems(sortProblems(r.problems))
	}
	return r.config, nil
}

// cause is an error of the file system without the path, which the Problem names.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// parse reads the text without looking at any other file.
func parse(path string, data []byte) *reader {
	r := &reader{text: string(data), config: &Config{Path: path, Dir: filepath.Dir(path)}}
	if at := invalidUTF8(r.text); at >= 0 {
		r.broken = true
		r.report(at, "", "not valid TOML: invalid UTF-8 byte 0x%02x", r.text[at])
		return r
	}
	var doc map[string]any
	if _, err := toml.Decode(r.text, &doc); err != nil {
		r.broken = true
		r.problems = append(r.problems, syntaxProblem(path, r.text, err))
		return r
	}
	r.places = locate(r.text)
	r.document(doc)
	return r
}

// invalidUTF8 is the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(text string) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func syntaxProblem(path, text string, err error) Problem {
	p := Problem{File: path, Line: 1, Column: 1, Message: "not valid TOML: " + err.Error()}
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return p
	}
	if p.Message = pe.Message; p.Message == "" {
		p.Message = strings.TrimPrefix(pe.Error(), "toml: ")
		if _, after, found := strings.Cut(p.Message, ": "); found && strings.HasPrefix(p.Message, "line ") {
			p.Message = after
		}
	}
	p.Key = pe.LastKey
	p.Message = "not valid TOML: " + p.Message
	p.Line = pe.Position.Line
	p.Column = 1
	if line, column := lineColumn(text, pe.Position.Start); line == p.Line {
		p.Column = column
	}
	if p.Line < 1 { // the library tells no place for some errors at the end of the text
		p.Line, p.Column = lineColumn(text, len(text))
	}
	return p
}

// Keys by table, for "did you mean".
var (
	topKeys     = []string{"accept", "check", "compile", "proof"}
	compileKeys = []string{"clang", "compile-commands", "flags", "remove-flags"}
	settingKeys = []string{"checks", "malloc-may-fail", "max-memory", "missing-body", "nondet-static", "timeout", "unwind", "vacuity"}
	checkKeys   = append([]string{"on"}, settingKeys...)
	proofKeys   = append([]string{"entry", "expect", "file", "flags", "loops", "name", "override", "remove-bodies", "sources"}, settingKeys...)
	acceptKeys  = []string{"function", "kind", "reason"}
)

var tableOfKey = []struct {
	table string
	keys  []string
}{{"[compile]", compileKeys}, {"[check]", checkKeys}, {"[[proof]]", proofKeys}, {"[[accept]]", acceptKeys}}

func (r *reader) document(doc map[string]any) {
	for _, name := range r.keys("", doc, topKeys) {
		p, v := keyPath("").key(name), doc[name]
		switch name {
		case "compile":
			if t, ok := r.table(p, v); ok {
				r.compile(p, t)
			}
		case "check":
			if t, ok := r.table(p, v); ok {
				for _, key := range r.keys(p, t, checkKeys) {
					r.setting(p.key(key), key, t[key], &r.config.Check)
				}
			}
		case "proof":
			r.tables(p, name, v, r.proof)
		case "accept":
			r.tables(p, name, v, r.accept)
		}
	}
}

func (r *reader) compile(p keyPath, t map[string]any) {
	c := r.config
	for _, name := range r.keys(p, t, compileKeys) {
		at, v := p.key(name), t[name]
		switch name {
		case "flags":
			c.Flags = absoluteFlags(r.texts(at, v), c.Dir)
		case "remove-flags":
			c.RemoveFlags = r.texts(at, v)
		case "compile-commands":
			if s, ok := r.text1(at, v); ok {
				c.CompileCommands = absolute(c.Dir, s)
			}
		case "clang":
			if s, ok := r.text1(at, v); ok {
				if strings.ContainsRune(s, '/') {
					s = absolute(c.Dir, s)
				}
				c.Clang = s
			}
		}
	}
}

func (r *reader) setting(p keyPath, name string, v any, s *Settings) {
	switch name {
	case "unwind":
		if n, ok := r.bound(p, v); ok {
			s.Unwind = &n
		}
	case "timeout":
		s.Timeout = parsed(r, p, v, ParseTimeout)
	case "max-memory":
		s.MaxMemory = parsed(r, p, v, ParseSize)
	case "malloc-may-fail":
		s.MallocMayFail, _ = r.boolean(p, v)
	case "nondet-static":
		s.NondetStatic, _ = r.boolean(p, v)
	case "missing-body":
		s.MissingBody = parsed(r, p, v, ParseMissingBody)
	case "vacuity":
		s.Vacuity = parsed(r, p, v, ParseVacuity)
	case "on":
		if on := parsed(r, p, v, ParseOn); on != nil {
			s.On = *on
		}
	case "checks":
		t, ok := r.table(p, v)
		if !ok {
			return
		}
		s.Checks = map[found.Kind]bool{}
		for kind, v := range t {
			at := p.key(kind)
			k, err := ParseKind(kind)
			if err != nil {
				r.badKey(at, "%s", err)
			} else if b, ok := r.boolean(at, v); ok {
				s.Checks[k] = *b
			}
		}
	}
}

// ParseOn reads when an editor checks: "save", "idle" or "manual".
func ParseOn(s string) (string, error) { return oneOf(s, "save", "idle", "manual") }

func (r *reader) proof(p keyPath, t map[string]any) {
	c := r.config
	pc := ProofConfig{key: p, Loops: map[string]int{}, LoopLines: map[string]int{}}
	if at := r.keyAt(p); at >= 0 {
		pc.Line, pc.Column = lineColumn(r.text, at)
	}
	for _, name := range r.keys(p, t, proofKeys) {
		at, v := p.key(name), t[name]
		switch name {
		case "name":
			pc.Name, _ = r.text1(at, v)
		case "file":
			if s, ok := r.text1(at, v); ok {
				pc.Pattern = s
				pc.isGlob = strings.ContainsAny(s, "*?[")
			}
		case "entry":
			if s, ok := r.text1(at, v); ok {
				if !isCName(s) {
					r.badValue(at, "%q is not the name of a C function", s)
					break
				}
				pc.Entry = s
			}
		case "sources":
			pc.SourcesGiven = true
			pc.Sources = r.texts(at, v)
		case "override":
			pc.Override = r.texts(at, v)
		case "remove-bodies":
			pc.RemoveBodies = r.texts(at, v)
			for _, name := range pc.RemoveBodies {
				if !isCName(name) {
					r.badValue(at, "%q is not the name of a C function", name)
				}
			}
		case "flags":
			pc.Flags = absoluteFlags(r.texts(at, v), c.Dir)
		case "loops":
			loops, ok := r.table(at, v)
			if !ok {
				break
			}
			for loop, v := range loops {
				if err := checkLoop(loop); err != nil {
					r.badKey(at.key(loop), "%s", err)
				} else if n, ok := r.bound(at.key(loop), v); ok {
					pc.Loops[loop] = n
					if at := r.keyAt(at.key(loop)); at >= 0 {
						pc.LoopLines[loop], _ = lineColumn(r.text, at)
					}
				}
			}
		case "expect":
			if e := parsed(r, at, v, ParseProofVerdict); e != nil {
				pc.Expect = *e
			}
		default:
			r.setting(at, name, v, &pc.Settings)
		}
	}
	if _, given := t["file"]; !given {
		r.badKey(p, "the key file is missing")
	}
	c.Proofs = append(c.Proofs, pc)
}

func (r *reader) accept(p keyPath, t map[string]any) {
	var a Accept
	if at := r.keyAt(p); at >= 0 {
		a.Line, _ = lineColumn(r.text, at)
	}
	for _, name := range r.keys(p, t, acceptKeys) {
		at, v := p.key(name), t[name]
		switch name {
		case "kind":
			if k := parsed(r, at, v, ParseKind); k != nil {
				a.Kind = *k
			}
		case "function":
			a.Function, _ = r.text1(at, v)
		case "reason":
			a.Reason, _ = r.text1(at, v)
		}
	}
	if _, given := t["kind"]; !given {
		r.badKey(p, "the key kind is missing")
	}
	if a.Kind != "" { // a rule that could not be read accepts nothing
		r.config.Accept = append(r.config.Accept, a)
	}
}

func isCName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !isIdentByte(c) || i == 0 && c >= '0' && c <= '9' {
			return false
		}
	}
	return s != ""
}

// absolute joins a path as written in a file of dir. Slashes separate on every system.
func absolute(dir, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}
