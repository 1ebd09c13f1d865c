package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/unitproof/unitproof/pipeline/cflags"
)

// Flags is what the command line gave; nil and zero values are what it did not give.
// Relative paths start at the folder that Open was called with.
type Flags struct {
	Settings
	Entry                                         string
	Sources, Overrides, Includes, Defines, CFlags []string
	RemoveBodies                                  []string
	Contract                                      bool // the proof is that of the contract of Entry
	UseContracts                                  []string
	Loops                                         map[string]int
	Input                                         string         // the file with the only input of fuzz targets
	Filter                                        *regexp.Regexp // on the names of proofs
	Shard                                         Shard
	ConfigFile                                    string // read instead of the root's unitproof.toml
	CompileCommands                               string // in the place of all others; a folder: the one in it
}

// compilerFlags are -D, -I and --cflag, in this order.
func (l *listing) compilerFlags() []string {
	if l.given == nil {
		f, base := &l.w.flags, l.w.base
		l.given = []string{}
		for _, d := range f.Defines {
			l.given = append(l.given, "-D"+d)
		}
		for _, dir := range f.Includes {
			l.given = append(l.given, "-I"+absolute(base, dir))
		}
		words, files, err := cflags.Expand(f.CFlags, base)
		l.w.addResponses(files)
		if err != nil {
			l.problem("--cflag", "%s", err)
		}
		l.given = append(l.given, absoluteFlags(words, base)...)
	}
	return l.given
}

// Workspace is the root with its configuration. It is safe for concurrent use.
type Workspace struct {
	Root   string  // absolute
	Config *Config // never nil; of the root or of Flags.ConfigFile; Path is "" when there is none

	// ReadFile is that of the View.
	ReadFile func(path string) ([]byte, error)

	view     View
	flags    Flags
	client   []Settings
	base     string // where relative paths of flags and arguments start
	anchored bool   // the root was found by a configuration or a git work tree

	mu        sync.Mutex // guards what follows: answers that are kept
	configs   map[string]*nestedConfig
	owners    map[string]*nestedConfig // by folder
	databases map[string]*database     // by path
	dbPaths   map[string]string        // folder -> path of its database or ""
	responses []string                 // response files, there or not
	names     []string                 // see Names
}

// nestedConfig is a configuration with what was wrong with it.
type nestedConfig struct {
	config *Config
	err    error
}

// Open finds the root that start (a folder, or a file in it) belongs to and reads the
// configuration there: the nearest parent with a unitproof.toml, else the root of the git
// work tree, else the folder itself. Client settings lose against everything in
// configurations; later ones win over earlier ones.
//
// When the configuration has problems, the error is of type [Problems] and the Workspace is
// not nil: it goes by what could be read, which suits an editor; a check must refuse.
func Open(start string, flags Flags, client ...Settings) (*Workspace, error) {
	return OpenView(start, View{}, flags, client...)
}

// check returns an error if a file that the flags name is not there; base is the folder of relative paths.
func (f *Flags) check(base string) error {
	for _, of := range []struct {
		flag  string
		files []string
	}{{"--source", f.Sources}, {"--override", f.Overrides}} {
		for _, file := range of.files {
			switch info, err := os.Stat(absolute(base, file)); {
			case err != nil:
				return fmt.Errorf("%s %s: cannot be read: %s", of.flag, file, cause(err))
			case !info.Mode().IsRegular():
				return fmt.Errorf("%s %s: is not a file", of.flag, file)
			}
		}
	}
	return nil
}

// OpenView is Open with another view of the files.
func OpenView(start string, view View, flags Flags, client ...Settings) (*Workspace, error) {
	switch {
	case view.ReadFile == nil:
		view.ReadFile, view.Stamp = ReadFile, stampOnDisk
	case view.Stamp == nil:
		view.Stamp = func(string) any { return nil }
	}
	if view.Memory == nil {
		view.Memory = NewMemory()
	}
	base, err := filepath.Abs(start)
	if err != nil {
		return nil, fmt.Errorf("the folder %s: %w", start, err)
	}
	info, err := os.Stat(base)
	if err != nil {
		return nil, fmt.Errorf("the folder to start from: %w", err)
	}
	if !info.IsDir() {
		base = filepath.Dir(base)
	}
	w := &Workspace{
		ReadFile:  view.ReadFile,
		view:      view,
		flags:     flags,
		client:    client,
		base:      base,
		configs:   map[string]*nestedConfig{},
		owners:    map[string]*nestedConfig{},
		databases: map[string]*database{},
		dbPaths:   map[string]string{},
	}
	if err := flags.check(base); err != nil {
		return nil, err
	}
	w.Root, w.anchored = findRoot(base)
	path := filepath.Join(w.Root, ConfigName)
	switch {
	case flags.ConfigFile != "":
		path = absolute(base, flags.ConfigFile)
	case !exists(path):
		w.Config = &Config{Dir: w.Root}
		w.configs[w.Root] = &nestedConfig{config: w.Config}
		return w, nil
	}
	if flags.ConfigFile != "" {
		w.Config, err = load(path, view.ReadFile)
	} else {
		w.Config, err = loadFound(path, view.ReadFile)
	}
	w.configs[w.Root] = &nestedConfig{config: w.Config} // its problems are reported here, once
	return w, err
}

// findRoot gives the root and whether anything marks it as one.
func findRoot(dir string) (root string, marked bool) {
	for d := dir; ; d = filepath.Dir(d) {
		if exists(filepath.Join(d, ConfigName)) {
			return d, true
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	for d := dir; ; d = filepath.Dir(d) {
		if exists(filepath.Join(d, ".git")) { // a folder, or a file in a linked work tree
			return d, true
		}
		if d == filepath.Dir(d) {
			return dir, false
		}
	}
}

// On tells when an editor should check.
func (w *Workspace) On() On {
	on := OnSave
	for _, s := range append(slices.Clip(w.client), w.Config.Check) {
		if s.On != nil {
			on = *s.On
		}
	}
	return on
}

// ConfigFiles are the configurations that took part in what was asked so far.
func (w *Workspace) ConfigFiles() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var files []string
	for _, c := range w.configs {
		if c.config.Path != "" {
			files = append(files, c.config.Path)
		}
	}
	slices.Sort(files)
	return files
}

// ResponseFiles are the response files that flags named so far, whether they are there or not.
func (w *Workspace) ResponseFiles() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	files := slices.Clone(w.responses)
	for _, c := range w.configs {
		files = append(files, c.config.responses...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func (w *Workspace) addResponses(files []string) {
	if len(files) > 0 {
		w.mu.Lock()
		w.responses = append(w.responses, files...)
		w.mu.Unlock()
	}
}

// configIn reads the configuration of a folder that has one, once.
func (w *Workspace) configIn(dir string) *nestedConfig {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c, known := w.configs[dir]; known {
		return c
	}
	c := &nestedConfig{}
	c.config, c.err = loadFound(filepath.Join(dir, ConfigName), w.ReadFile)
	w.configs[dir] = c
	return c
}

// owner is the configuration that governs a file: the nearest in its parents up to the root,
// for a file elsewhere the nearest in all its parents, else the root's.
func (w *Workspace) owner(file string) *nestedConfig {
	return w.ownerOf(filepath.Dir(file))
}

func (w *Workspace) ownerOf(dir string) *nestedConfig {
	w.mu.Lock()
	c, known := w.owners[dir]
	w.mu.Unlock()
	if known {
		return c
	}
	switch parent := filepath.Dir(dir); {
	case dir == w.Root:
		return w.configIn(w.Root)
	case exists(filepath.Join(dir, ConfigName)):
		c = w.configIn(dir)
	case parent == dir:
		c = w.configIn(w.Root)
	default:
		c = w.ownerOf(parent)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.owners[dir] = c
	return c
}

// databaseFor finds the compilation database of a file as clangd does, or the one that the
// configuration names. nil when there is none.
func (w *Workspace) databaseFor(c *Config, file string) *database {
	path := c.CompileCommands
	if given := w.flags.CompileCommands; given != "" {
		if path = absolute(w.base, given); isFolder(path) {
			path = filepath.Join(path, databaseFiles[0])
		}
	}
	if path == "" {
		path = w.findDatabase(filepath.Dir(file))
	}
	if path == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if db, known := w.databases[path]; known {
		return db
	}
	db, _ := ask(w, path, "database", func([]byte) *database { return readDatabase(path) })
	if db == nil { // it cannot be read, which is its problem
		db = readDatabase(path)
	}
	w.databases[path] = db
	return db
}

func (w *Workspace) findDatabase(dir string) string {
	w.mu.Lock()
	path, known := w.dbPaths[dir]
	w.mu.Unlock()
	if known {
		return path
	}
	for _, name := range databaseFiles {
		if p := filepath.Join(dir, name); exists(p) {
			path = p
			break
		}
	}
	if parent := filepath.Dir(dir); path == "" && parent != dir {
		path = w.findDatabase(parent)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dbPaths[dir] = path
	return path
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
