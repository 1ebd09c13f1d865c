package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/targets"
)

// database is a compile_commands.json or a compile_flags.txt (isFixed).
type database struct {
	path    string
	entries []dbEntry
	byFile  map[string]int // absolute file -> index of its first entry
	fixed   []string
	isFixed bool
	problem *Problem
}

// dbEntry is one C file. Its flags are computed on demand: a database is large and few of its entries are used.
type dbEntry struct {
	file, dir string
	arguments []string
	command   string
}

// databaseFiles are searched in each parent of a file, in clangd's order.
var databaseFiles = []string{"compile_commands.json", filepath.Join("build", "compile_commands.json"),
	"compile_flags.txt"}

// readDatabase never fails: errors are stored as the problem of the database, and the entries before the error are
// valid.
func readDatabase(path string) *database {
	db := &database{path: path, byFile: map[string]int{}}
	flags := filepath.Base(path) == "compile_flags.txt"
	limit := int64(regular.MaxDatabase)
	if flags {
		limit = regular.MaxConfig
	}
	data, err := regular.ReadFile(path, limit)
	if err != nil {
		db.problem = &Problem{File: path, Message: "cannot be read: " + cause(err)}
		return db
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if flags {
		db.isFixed = true
		for _, line := range strings.Split(string(data), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				db.fixed = append(db.fixed, line)
			}
		}
		return db
	}
	db.problem = db.read(data)
	return db
}

func (db *database) read(data []byte) *Problem {
	fail := func(offset int64, key, format string, args ...any) *Problem {
		line, column := lineColumn(string(data), int(offset))
		return &Problem{File: db.path, Line: line, Column: column, Key: key, Message: fmt.Sprintf(format, args...)}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return fail(0, "", "is not a compilation database: an array is expected")
	}
	for n := 0; dec.More(); n++ {
		var raw struct {
			Directory, File, Command string
			Arguments                []string
		}
		start := dec.InputOffset()
		for int(start) < len(data) && strings.IndexByte(" \t\r\n,", data[start]) >= 0 {
			start++
		}
		if err := dec.Decode(&raw); err != nil {
			at := start
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				at = syntax.Offset
			}
			return fail(at, fmt.Sprintf("[%d]", n), "is not a compilation database: %s", err)
		}
		if raw.File == "" {
			return fail(start, fmt.Sprintf("[%d]", n), "is not a compilation database: the entry names no file")
		}
		dir := absolute(filepath.Dir(db.path), raw.Directory)
		e := dbEntry{file: absolute(dir, raw.File), dir: dir, arguments: raw.Arguments, command: raw.Command}
		if !isC(e.file) {
			continue
		}
		if _, known := db.byFile[e.file]; !known {
			db.byFile[e.file] = len(db.entries)
			db.entries = append(db.entries, e)
		}
	}
	if _, err := dec.Token(); err != nil {
		return fail(dec.InputOffset(), "", "is not a compilation database: its array does not end: %s", err)
	}
	return nil
}

func isC(file string) bool { return strings.EqualFold(filepath.Ext(file), ".c") }

// words returns the entry's command line without the compiler. The machine of a cross gcc becomes a flag.
func (e *dbEntry) words() ([]string, error) {
	words := e.arguments
	if len(words) == 0 {
		var err error
		if words, err = SplitShell(e.command); err != nil {
			return nil, fmt.Errorf("the command of %s: %w", e.file, err)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	return append(targets.OfCompiler(words[0]), words[1:]...), nil
}

// databaseFlags returns the options of a command line without inputs, outputs, the compilation mode, and the language,
// which this program chooses.
func databaseFlags(words []string) []string {
	options, positional := cflags.Parse(words)
	var out []string
	for i := range options {
		switch o := &options[i]; o.Name() {
		case "-c", "-S", "-E", "-fsyntax-only", "-o", "-pipe", "-x", "--language", "--language=":
		default:
			out = append(out, o.Words...)
		}
	}
	for _, p := range positional {
		if strings.HasPrefix(p, "@") { // a missing response file, which is reported later
			out = append(out, p)
		}
	}
	return out
}

// entryFor returns the entry of a file or, without one, of the closest file. That file shares the longest path of
// folders with it; ties are broken by the least deep folder, the longest common prefix of the names, and the alphabet.
// The result is nil if the database is empty.
func (db *database) entryFor(file string) *dbEntry {
	if i, ok := db.byFile[file]; ok {
		return &db.entries[i]
	}
	var best *dbEntry
	var bestScore [3]int
	dir, base := filepath.Dir(file)+"/", filepath.Base(file)
	for i := range db.entries {
		e := &db.entries[i]
		eDir := filepath.Dir(e.file) + "/"
		score := [3]int{commonFolders(dir, eDir), -strings.Count(eDir, "/"), commonPrefix(base, filepath.Base(e.file))}
		if best == nil || better(score, bestScore) || score == bestScore && e.file < best.file {
			best, bestScore = e, score
		}
	}
	return best
}

func better(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonFolders returns the number of folders that two paths share. Both end with a slash.
func commonFolders(a, b string) int {
	return strings.Count(a[:commonPrefix(a, b)], "/")
}
