package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/cflags"
)

// The translation units of a proof: its own file, the linked files, and the candidates for linking.

// Unit is a C file with the user's flags for it. Relative paths in Flags are relative to Dir.
type Unit struct {
	File, Dir string // absolute
	// Flags are in this order: [compile] flags; the flags of compile_commands.json without compiler, inputs and
	// outputs, and without remove-flags; the proof's flags; -D, -I and --cflag of the command line.
	Flags []string
}

// units returns the files of the configuration, followed by the files of the command line, without duplicates and
// without the entry's file.
func (l *listing) units(c *Config, flags, files, further []string, without string) []Unit {
	var out []Unit
	seen := map[string]bool{without: true}
	for i, f := range slices.Concat(files, further) {
		if i >= len(files) {
			f = absolute(l.w.base, f)
		}
		if !seen[f] {
			seen[f] = true
			out = append(out, l.unit(c, flags, f))
		}
	}
	return out
}

func (l *listing) unit(c *Config, own []string, file string) Unit {
	u := Unit{File: file, Dir: c.Dir}
	db := l.database(c, file)
	var flags []string
	switch {
	case db == nil:
	case db.isFixed:
		u.Dir = filepath.Dir(db.path)
		flags = l.expand(db, db.fixed, u.Dir)
	default:
		if e := db.entryFor(file); e != nil {
			u.Dir, flags = e.dir, l.entryFlags(db, e)
		}
	}
	u.Flags = l.merge(c, flags, own)
	return u
}

func (l *listing) database(c *Config, file string) *database {
	db := l.w.databaseFor(c, file)
	if db != nil && db.problem != nil {
		l.problems = append(l.problems, *db.problem)
	}
	return db
}

func (l *listing) entryFlags(db *database, e *dbEntry) []string {
	words, err := e.words()
	if err != nil {
		l.problem(db.path, "%s", err)
	}
	return l.expand(db, words, e.dir)
}

// expand returns the flags of a command line in a database.
func (l *listing) expand(db *database, words []string, dir string) []string {
	words, files, err := cflags.Expand(words, dir)
	l.w.addResponses(files)
	if err != nil && !slices.ContainsFunc(l.problems, func(p Problem) bool { return p.Message == err.Error() }) {
		l.problem(db.path, "%s", err)
	}
	return databaseFlags(words)
}

func (l *listing) merge(c *Config, fromDatabase, own []string) []string {
	return slices.Concat(c.Flags, removeFlags(fromDatabase, c.RemoveFlags), own, l.compilerFlags())
}

// candidatesFor returns all files of the proof's database. Proofs with the same flags share the slice, so it may
// contain the entry's own file.
func (l *listing) candidatesFor(c *Config, own []string, file string) []Unit {
	db := l.database(c, file)
	if db == nil || len(db.entries) == 0 {
		return nil
	}
	key := db.path + "\x00" + c.Path + "\x00" + c.Dir + "\x00" + strings.Join(own, "\x00")
	if units, known := l.candidates[key]; known {
		return units
	}
	units := make([]Unit, len(db.entries))
	for i := range db.entries {
		e := &db.entries[i]
		units[i] = Unit{File: e.file, Dir: e.dir, Flags: l.merge(c, l.entryFlags(db, e), own)}
	}
	l.candidates[key] = units
	return units
}
