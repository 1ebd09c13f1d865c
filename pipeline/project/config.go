package project

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/vcgen/found"
)

// ConfigName is the name of the file that makes a folder the root of a workspace or of a nested one.
const ConfigName = "unitproof.toml"

// Config is one configuration file. Paths in it are absolute.
type Config struct {
	Path string // the file itself
	Dir  string // its folder, the base of relative paths

	Flags           []string // [compile], relative include paths made absolute
	RemoveFlags     []string
	CompileCommands string // "" : found as in clangd
	Clang           string // "" : the toolchain's default

	Check           Settings
	Proofs          []ProofConfig
	Accept          []Accept
	AcceptSurvivors []AcceptSurvivor
	AcceptAudits    []AcceptAudit
	Remote          remote.Config  // of the root: the cache that machines share; writing is not configured in a file
	Cluster         remote.Cluster // of the root: machines that execute checks

	byFile    map[string][]*ProofConfig // file -> the tables that list it
	responses []string                  // response files that flags name, existing or not
}

// ProofConfig is one [[proof]] table.
type ProofConfig struct {
	Name    string // "" : default name
	Pattern string // the key file as written; may be a glob
	Files   []string
	Entry   string // "" : found in the file
	// Contract reports whether the proof is the proof of the entry's contract.
	Contract     bool
	UseContracts []string
	// Sources are further files to link. If the key is absent (SourcesGiven is false), they are found in
	// compile_commands.json.
	Sources      []string
	SourcesGiven bool
	Override     []string
	RemoveBodies []string // functions whose definitions in Sources are ignored
	Flags        []string
	Settings     Settings
	Loops        map[string]int
	LoopLines    map[string]int // lines of the settings
	Expect       found.Verdict  // "" : not given

	Line, Column int // of the table

	isGlob bool
	key    keyPath
}

// Accept is one [[accept]] table: a finding that the user has reviewed and accepted. Other rules come from the source
// (Proof.Accept).
type Accept struct {
	Kind     found.Kind
	Function string      // "" : every function
	Lines    found.Lines // of the finding, unless any line is accepted
	Reason   string
	Line     int
}

// AcceptSurvivor is one [[accept]] table with the key survivor: a mutation that no proof has to detect (strength).
type AcceptSurvivor struct {
	Change   string // as in the report, "`<` becomes `<=`"; "*": any
	Function string // "" : every function
	Reason   string
	Line     int
}

// AcceptAudit is one [[accept]] table with the key audit: something that the audit of the project need not report.
type AcceptAudit struct {
	Kind     found.AuditKind
	Function string // "" : every function
	Reason   string
	Line     int
}

// Load reads a configuration strictly. The error is of type [Problems] and contains every unknown key, wrong type, bad
// value, duplicate name and missing file with its position. The Config is never nil: it has the valid parts, so that an
// editor can work with it.
func Load(path string) (*Config, error) { return load(path, ReadFile, nil) }

// LoadText is like Load for a text in place of the file's content, such as that of an open document.
func LoadText(path string, text []byte) (*Config, error) {
	return load(path, func(string) ([]byte, error) { return text, nil }, nil)
}

// load reads a configuration; the files of extra count as being there (View.Extra).
func load(path string, read func(string) ([]byte, error), extra []string) (*Config, error) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	data, err := read(path)
	if err != nil {
		empty := &Config{Path: path, Dir: filepath.Dir(path)}
		return empty, Problems{{File: path, Message: "cannot be read: " + cause(err)}}
	}
	r := parse(path, data)
	r.extra = extra
	if !r.broken {
		r.resolve()
	}
	if len(r.problems) > 0 {
		return r.config, Problems(sortProblems(r.problems))
	}
	return r.config, nil
}

// cause returns an error of the file system without the path, which the Problem contains.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// parse reads the text and no other file.
func parse(path string, data []byte) *reader {
	r := &reader{text: string(data), config: &Config{Path: path, Dir: filepath.Dir(path)}}
	if at := invalidUTF8(r.text); at >= 0 {
		r.broken = true
		r.report(at, "", "not valid TOML: invalid UTF-8 byte 0x%02x", r.text[at])
		return r
	}
	if at := nestedTooDeep(r.text); at >= 0 {
		r.broken = true
		r.report(at, "", "keys and values are nested more than %d deep", maxDepth)
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

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
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
	if p.Line < 1 { // for some errors at the end of the text the library has no position
		p.Line, p.Column = lineColumn(text, len(text))
	}
	return p
}

func (r *reader) document(doc map[string]any) {
	for _, name := range r.keys("", doc, []string{"accept", "check", "compile", "proof", "remote"}) {
		p, v := keyPath("").key(name), doc[name]
		switch name {
		case "compile":
			if t, ok := r.table(p, v); ok {
				r.read(compileTable(), nil, p, t, target{config: r.config})
			}
		case "check":
			if t, ok := r.table(p, v); ok {
				r.read(checkTable(), nil, p, t, target{config: r.config, settings: &r.config.Check})
			}
		case "proof":
			r.tables(p, name, v, r.proof)
		case "accept":
			r.tables(p, name, v, r.accept)
		case "remote":
			if t, ok := r.table(p, v); ok {
				r.read(remoteTable(), nil, p, t, target{config: r.config})
			}
		}
	}
}

func (r *reader) proof(p keyPath, t map[string]any) {
	pc := ProofConfig{key: p, Loops: map[string]int{}, LoopLines: map[string]int{}}
	if at := r.keyAt(p); at >= 0 {
		pc.Line, pc.Column = lineColumn(r.text, at)
	}
	r.read(proofTable(), checkTable(), p, t, target{config: r.config, proof: &pc, settings: &pc.Settings})
	r.config.Proofs = append(r.config.Proofs, pc)
}

func (r *reader) accept(p keyPath, t map[string]any) {
	var a Accept
	if at := r.keyAt(p); at >= 0 {
		a.Line, _ = lineColumn(r.text, at)
	}
	var change string
	var audit found.AuditKind
	r.read(acceptTable(), nil, p, t, target{config: r.config, accept: &a, survivor: &change, audit: &audit})
	var given []string
	for _, key := range []string{"kind", "survivor", "audit"} {
		if _, is := t[key]; is {
			given = append(given, key)
		}
	}
	switch {
	case len(given) > 1:
		r.badKey(p, "%s and %s cannot be combined", given[0], given[1])
	case len(given) == 0:
		r.badKey(p, "the key kind is missing, or survivor, or audit")
	case audit != "":
		r.config.AcceptAudits = append(r.config.AcceptAudits, AcceptAudit{audit, a.Function, a.Reason, a.Line})
	case change != "":
		r.config.AcceptSurvivors = append(r.config.AcceptSurvivors, AcceptSurvivor{change, a.Function, a.Reason, a.Line})
	case a.Kind != "": // an invalid rule accepts nothing
		r.config.Accept = append(r.config.Accept, a)
	}
}

// read reads a table with its own keys and with those keys of settings that belong to a proof.
func (r *reader) read(own, settings *Table, p keyPath, t map[string]any, to target) {
	all := *own
	if settings != nil {
		all.Keys = slices.Clip(all.Keys)
		for _, k := range settings.Keys {
			if k.apply != nil {
				all.Keys = append(all.Keys, k)
			}
		}
	}
	for _, name := range r.keys(p, t, all.names()) {
		all.key(name).read(r, p.key(name), t[name], to)
	}
	for _, k := range own.Keys {
		if _, given := t[k.Name]; k.required && !given {
			r.badKey(p, "the key %s is missing", k.Name)
		}
	}
}

// isFunction reports whether name is a valid name of a function, and adds a problem if it is not.
func (r *reader) isFunction(at keyPath, name string) bool {
	if !isCName(name) {
		r.badValue(at, "%q is not the name of a C function", name)
		return false
	}
	return true
}

func isCName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !csource.IsIdentByte(c) || i == 0 && c >= '0' && c <= '9' {
			return false
		}
	}
	return s != ""
}

// absolute joins a path that is written in a file of dir. Slashes are separators on every system.
func absolute(dir, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}
