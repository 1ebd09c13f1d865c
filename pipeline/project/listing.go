package project

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Input is an input of a fuzz target, from a file.
type Input struct {
	Name string // as the user wrote it
	Data []byte
}

// maxInput limits the size of --input. It is libFuzzer's default limit, 1 MB.
const maxInput = 1 << 20

// input sets the input of a proof from --input, and reports whether the proof can be checked.
func (l *listing) input(p *Proof) bool {
	name := l.w.flags.Input
	if name == "" {
		return true
	}
	if !p.IsFuzzTarget() {
		l.problem(p.File, "%s is not a fuzz target: --input is an input of %s", p.Entry, language.FuzzTarget)
		return false
	}
	data, err := regular.ReadFile(absolute(l.w.base, name), maxInput)
	if err != nil {
		l.problem(name, "the input cannot be read: %s", cause(err))
		return false
	}
	p.Input = &Input{Name: name, Data: data}
	return true
}

// item is a proof before its settings are determined.
type item struct {
	file   string
	entry  Entry
	config *Config
	proof  *ProofConfig // nil: discovered
	name   string       // given by the configuration, or ""
	final  string
	// contract reports whether it is the proof of the entry's contract.
	contract bool
	ghost    bool // only used to make names unique
}

// listing is the state of one call of Proofs.
type listing struct {
	w          *Workspace
	items      []*item
	problems   []Problem
	files      map[string]bool // files whose proofs are listed
	tables     map[*ProofConfig]map[string]bool
	reported   map[*nestedConfig]bool
	candidates map[string][]Unit
	given      []string // see compilerFlags
}

// Proofs lists the unit proofs of files and folders, sorted by file and name; without arguments, of the whole
// workspace. It applies the filter, shard and entry of the flags.
//
// The problems describe proofs that are missing from the list or may be wrong: an argument that does not exist or
// contains no proof, or an invalid nested configuration or compilation database. Open returns the problems of the
// root's configuration.
func (w *Workspace) Proofs(args []string) ([]Proof, []Problem) {
	l := &listing{w: w, files: map[string]bool{}, tables: map[*ProofConfig]map[string]bool{},
		reported: map[*nestedConfig]bool{}, candidates: map[string][]Unit{}}
	if len(args) == 0 {
		l.folder(w.Root, true)
	}
	for _, arg := range args {
		if arg == "" { // an unset variable of a script
			l.problem("''", "an empty argument names no file or folder")
			continue
		}
		path := absolute(w.base, arg)
		info, err := os.Stat(path)
		switch {
		case isNotExist(err):
			l.problem(path, "no such file or folder")
		case err != nil:
			l.problem(path, "cannot be read: %s", cause(err))
		case info.IsDir():
			l.folder(path, path == w.Root)
		case !info.Mode().IsRegular():
			l.problem(path, "is not a file")
		default:
			l.file(path, true)
		}
	}
	l.name()
	l.chooseEntry()
	l.items = slices.DeleteFunc(l.items, func(it *item) bool {
		return it.ghost || w.flags.Filter != nil && !w.flags.Filter.MatchString(it.final)
	})
	sort.Slice(l.items, func(i, j int) bool {
		a, b := l.items[i], l.items[j]
		if a.file != b.file {
			return a.file < b.file
		}
		return a.final < b.final
	})
	shard := w.flags.Shard
	part := shard.parts()
	var proofs []Proof
	var names []string
	for _, it := range l.items {
		names = append(names, it.final)
		if !shard.Whole() && part(it.final) != shard.Index-1 {
			continue
		}
		if !utf8.ValidString(it.file) { // nor could results, editors or other processes name it
			l.problem(it.file, "the name of the file is not valid UTF-8, which results cannot hold: give it another one")
			continue
		}
		p := l.settle(it)
		if !l.input(&p) {
			continue
		}
		proofs = append(proofs, p.forTargets()...)
	}
	w.mu.Lock()
	w.names = names
	w.mu.Unlock()
	return proofs, sortProblems(l.problems)
}

// Names returns the names of the proofs that the last call of Proofs found, including other shards.
func (w *Workspace) Names() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names
}

func (l *listing) problem(file, format string, args ...any) {
	l.problems = append(l.problems, Problem{File: file, Message: fmt.Sprintf(format, args...)})
}

func (l *listing) at(c *Config, pc *ProofConfig, key, format string, args ...any) {
	l.problems = append(l.problems, Problem{File: c.Path, Line: pc.Line, Column: pc.Column, Key: pc.key.key(key).String(),
		Message: fmt.Sprintf(format, args...)})
}

// use returns a nested configuration, and adds its problems on first use.
func (l *listing) use(n *nestedConfig) *Config {
	if n.err != nil && !l.reported[n] {
		l.reported[n] = true
		if ps, ok := n.err.(Problems); ok {
			l.problems = append(l.problems, ps...)
		} else {
			l.problem(n.config.Path, "%s", n.err)
		}
	}
	return n.config
}

// folder lists the proofs below a folder; for the whole workspace also proofs elsewhere that the root's configuration
// lists.
func (l *listing) folder(dir string, workspace bool) {
	w := l.w
	t := w.walked(dir)
	if t.cut {
		l.problem(dir, "has more than %d folders or %d files: only some of them are searched for proofs; open a smaller "+
			"folder", maxFolders, maxFiles)
	}
	configs := []*Config{w.Config}
	if !workspace {
		if c := l.use(w.owner(filepath.Join(dir, "x.c"))); c != w.Config {
			configs = append(configs, c)
		}
	}
	for _, d := range w.view.configsBelow(dir, t.configs) {
		configs = append(configs, l.use(w.configIn(d)))
	}
	named := map[string]bool{}
	for _, c := range configs {
		for i := range c.Proofs {
			pc := &c.Proofs[i]
			for _, f := range pc.Files {
				named[f] = true
				if workspace || paths.Within(dir, f) {
					l.files[f] = true
					l.configured(c, pc, f)
				}
			}
		}
	}
	files := slices.Clone(t.files)
	for _, f := range w.view.Extra {
		if paths.Within(dir, f) && isC(f) && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	files = slices.DeleteFunc(files, func(f string) bool { return named[f] || l.files[f] })
	found := make([]Source, len(files))
	errs := make([]error, len(files))
	eachFile(len(files), func(i int) {
		found[i], errs[i] = ask(w, files[i], "discover", discover)
	})
	for i, f := range files {
		switch {
		case errs[i] != nil && !isNotExist(errs[i]):
			l.problem(f, "cannot be read: %s", cause(errs[i]))
		case found[i].TooDeep:
			l.tooDeep(f)
		case found[i].HoldsProofs():
			l.files[f] = true
			for _, e := range found[i].Entries {
				l.items = append(l.items, &item{file: f, entry: e, config: l.use(w.owner(f))})
			}
			for _, e := range found[i].Contracts {
				l.items = append(l.items, &item{file: f, entry: e, config: l.use(w.owner(f)), contract: true})
			}
		}
	}
	l.open(dir)
}

// open lists the proofs in files of other languages below a folder that an editor has opened.
func (l *listing) open(dir string) {
	for _, f := range l.w.view.Open {
		if paths.Within(dir, f) {
			l.file(f, false)
		}
	}
}

func (l *listing) tooDeep(file string) {
	l.problem(file, "brackets are nested more than %d deep: it is not searched for proofs", csource.MaxNesting)
}

// namedBy returns the tables that list a file.
func (l *listing) namedBy(file string) (list []tableOf) {
	configs := []*Config{l.use(l.w.owner(file))}
	if configs[0] != l.w.Config {
		configs = append(configs, l.w.Config)
	}
	for _, c := range configs {
		for _, pc := range c.byFile[file] {
			list = append(list, tableOf{c, pc})
		}
	}
	return list
}

type tableOf struct {
	config *Config
	proof  *ProofConfig
}

// file lists the proofs of one file. If asked, the user named the file, and a missing proof is a problem.
func (l *listing) file(path string, asked bool) {
	if l.files[path] {
		return
	}
	l.files[path] = true
	if tables := l.namedBy(path); len(tables) > 0 {
		for _, t := range tables {
			l.configured(t.config, t.proof, path)
		}
		entry := l.w.flags.Entry
		if asked && entry != "" && !slices.ContainsFunc(l.items, func(it *item) bool {
			return it.file == path &&
				it.entry.Name == entry
		}) {
			// No table has the entry; it gets the settings of the file's first table.
			if e, err := l.w.entryNamed(path, entry); err == nil {
				first := tables[0]
				l.items = append(l.items, &item{file: path, entry: e, config: first.config, proof: first.proof,
					name: first.proof.Name})
			}
		}
		return
	}
	src, err := ask(l.w, path, "source", sourceReader(path))
	if err != nil {
		if asked {
			l.problem(path, "cannot be read: %s", cause(err))
		}
		return
	}
	if isCPlusPlus(path) && slices.ContainsFunc(src.Entries, isFuzzTarget) {
		l.problem(path, "is C++: fuzz targets are checked if they are written in C")
		return
	}
	chosen := asked && l.w.flags.Entry != ""
	if src.HoldsProofs() || chosen {
		config := l.use(l.w.owner(path))
		for _, e := range src.Entries {
			l.items = append(l.items, &item{file: path, entry: e, config: config})
		}
		named := func(e Entry) bool { return e.Name == l.w.flags.Entry }
		for _, e := range src.Contracts {
			if !chosen || l.w.flags.Contract || !named(e) { // --entry F is a proof that begins with F
				l.items = append(l.items, &item{file: path, entry: e, config: config, contract: true})
			}
		}
		if chosen && !slices.ContainsFunc(src.Entries, named) &&
			!(l.w.flags.Contract && slices.ContainsFunc(src.Contracts, named)) {
			if e, err := l.w.entryNamed(path, l.w.flags.Entry); err == nil {
				l.items = append(l.items, &item{file: path, entry: e, config: config})
			}
		}
		return
	}
	if !asked {
		return
	}
	switch kind := ir.KindOf(path); {
	case src.TooDeep:
		l.tooDeep(path)
		return
	case kind == ir.Bitcode:
		l.problem(path, "holds no unit proof that can be listed: functions of bitcode have no lines; name one with "+
			"--entry, "+
			"or give the assembly that llvm-dis makes of it")
		return
	case kind != ir.C && len(src.Entries) == 0:
		l.problem(path, "holds no unit proof: it defines no function that others can call (in Rust: #[no_mangle] pub extern "+
			"\"C\" fn) and whose name ends in _harness or _proof, or starts with proof_; --entry names another one")
		return
	}
	switch {
	case len(src.Entries) > 0:
		l.problem(path, "holds no unit proof: %s uses no name of the proof language (#include <unitproof.h>); --entry %s "+
			"checks it all the same",
			src.Entries[0].Name, src.Entries[0].Name)
	default:
		if statics, err := ask(l.w, path, "static entries", staticEntries); err == nil && len(statics) > 0 {
			l.problem(path, "holds no unit proof: %s is static, so it is not taken for a proof; without static, or with "+
				"--entry "+
				"%s, it is one", statics[0].Name, statics[0].Name)
			return
		}
		l.problem(path, "holds no unit proof: it defines no function that is named main, ends in _harness or _proof, starts "+
			"with proof_ or has a contract; --entry names another one")
	}
}

// entryNamed returns a function that the user chose. It may come from a macro or not exist, which only the compiler can
// determine.
func (w *Workspace) entryNamed(path, name string) (Entry, error) {
	return ask(w, path, "entry "+name, func(text []byte) Entry {
		if ir.KindOf(path) != ir.C {
			for _, e := range ForeignFunctions(path, text) {
				if e.Name == name {
					return e
				}
			}
			return Entry{Name: name}
		}
		if e, ok := findFunction(text, name); ok {
			return e
		}
		return Entry{Name: name}
	})
}

// configured lists the proofs that a table makes of one of its files.
func (l *listing) configured(c *Config, pc *ProofConfig, file string) {
	if l.tables[pc] == nil {
		l.tables[pc] = map[string]bool{}
	}
	if l.tables[pc][file] {
		return
	}
	l.tables[pc][file] = true
	src, err := ask(l.w, file, "source", sourceReader(file))
	if err != nil {
		l.at(c, pc, "file", "%s cannot be read: %s", file, cause(err))
		return
	}
	add := func(e Entry, contract bool) {
		l.items = append(l.items, &item{file: file, entry: e, config: c, proof: pc, name: pc.Name, contract: contract})
	}
	if pc.Entry != "" {
		if e, err := l.w.entryNamed(file, pc.Entry); err == nil {
			add(e, pc.Contract)
		}
		return
	}
	for _, e := range src.Entries {
		add(e, false)
	}
	for _, e := range src.Contracts {
		add(e, true)
	}
	if len(src.Entries)+len(src.Contracts) == 0 && !pc.isGlob && l.w.flags.Entry == "" {
		l.at(c, pc, "file", "%s defines no function that is named main, ends in _harness or _proof, starts with proof_ or "+
			"has a contract; name one with entry", file)
	}
}

// chooseEntry drops all items but the entry of the command line. For a file that the user named, the configuration need
// not list the entry.
func (l *listing) chooseEntry() {
	entry := l.w.flags.Entry
	if entry == "" {
		return
	}
	if l.w.flags.Contract {
		for _, it := range l.items {
			it.contract = it.contract || it.entry.Name == entry
		}
	}
	l.items = slices.DeleteFunc(l.items, func(it *item) bool { return it.entry.Name != entry })
}

// settle determines all settings of a proof. The precedence is: flags, the proof's own keys, [check], the client's
// settings, defaults.
func (l *listing) settle(it *item) Proof {
	w, c := l.w, it.config
	p := Proof{
		Name: it.final, File: it.file, Entry: it.entry.Name, Line: it.entry.Line, Column: it.entry.Column,
		Clang: c.Clang, Config: c.Path, RemoveFlags: c.RemoveFlags,
		AcceptSurvivors: c.AcceptSurvivors,
	}
	p.Options = vcgen.Options{Loops: map[string]int{}, EntryFile: it.file}
	p.reset()
	for _, s := range w.client {
		s.apply(&p)
	}
	c.Check.apply(&p)
	var own ProofConfig
	if it.proof != nil {
		own = *it.proof
		own.Settings.apply(&p)
		maps.Copy(p.Options.Loops, own.Loops)
		if !own.isGlob {
			p.LoopLines = maps.Clone(own.LoopLines)
		}
	}
	w.flags.Settings.apply(&p)
	maps.Copy(p.Options.Loops, w.flags.Loops)
	if len(l.items) == 1 && len(w.flags.Loops) > 0 {
		if p.LoopLines == nil {
			p.LoopLines = map[string]int{}
		}
		for loop := range w.flags.Loops {
			p.LoopLines[loop] = 0
		}
	}
	p.Expect = own.Expect
	p.Accept(c.Accept)

	p.EntryUnit = l.unit(c, own.Flags, it.file)
	p.Sources = l.units(c, own.Flags, own.Sources, w.flags.Sources, it.file)
	p.Overrides = l.units(c, own.Flags, own.Override, w.flags.Overrides, "")
	p.Contract = it.contract
	// A contract is used in any state: its proof must not depend on initial values of variables.
	p.NondetStatic = p.NondetStatic || p.Contract
	p.UseContracts = slices.Concat(own.UseContracts, w.flags.UseContracts)
	p.RemoveBodies = slices.Concat(own.RemoveBodies, w.flags.RemoveBodies)
	if !own.SourcesGiven {
		p.SourceCandidates = l.candidatesFor(c, own.Flags, it.file)
	}
	return p
}
