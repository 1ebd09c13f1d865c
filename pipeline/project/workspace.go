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

// Flags has the flags of the command line; nil and zero values are absent flags. Relative paths start at the folder
// that was passed to Open.
type Flags struct {
	Settings
	Entry                                         string
	Sources, Overrides, Includes, Defines, CFlags []string
	RemoveBodies                                  []string
	Contract                                      bool // the proof is the proof of Entry's contract
	UseContracts                                  []string
	Loops                                         map[string]int
	Input                                         string         // file with the only input of fuzz targets
	Filter                                        *regexp.Regexp // on the names of proofs
	Shard                                         Shard
	ConfigFile                                    string // replaces the root's unitproof.toml
	CompileCommands                               string // replaces all others; for a folder: the one in it
}

// Compiling returns the flags that say how files are compiled, without those that choose proofs and their settings.
func (f *Flags) Compiling() Flags {
	return Flags{Sources: f.Sources, Includes: f.Includes, Defines: f.Defines, CFlags: f.CFlags,
		ConfigFile: f.ConfigFile, CompileCommands: f.CompileCommands}
}

// compilerFlags returns -D, -I and --cflag, in this order.
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
	Config *Config // never nil; of the root or of Flags.ConfigFile; Path is "" without a file

	// ReadFile is the function of the View.
	ReadFile func(path string) ([]byte, error)

	view     View
	flags    Flags
	client   []Settings
	base     string // base of relative paths in flags and arguments
	anchored bool   // the root was found by a configuration or a git work tree

	mu        sync.Mutex // guards the following caches
	configs   map[string]*nestedConfig
	owners    map[string]*nestedConfig // by folder
	databases map[string]*database     // by path
	dbPaths   map[string]string        // folder -> path of its database or ""
	responses []string                 // response files, existing or not
	names     []string                 // see Names
}

// nestedConfig is a configuration with its error.
type nestedConfig struct {
	config *Config
	err    error
}

// Open finds the root of start (a folder, or a file in it) and reads the configuration there. The root is the closest
// parent with a unitproof.toml, otherwise the root of the git work tree, otherwise the folder itself. Client settings
// are overridden by all configurations; later ones override earlier ones.
//
// If the configuration has problems, the error is of type [Problems] and the Workspace is not nil: it has the valid
// parts, which suits an editor; a check must refuse it.
func Open(start string, flags Flags, client ...Settings) (*Workspace, error) {
	return OpenView(start, View{}, flags, client...)
}

// check returns an error if a file that the flags name does not exist; base is the folder of relative paths.
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

// OpenView is like Open with another view of the files.
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
	w.Root, w.anchored = view.findRoot(base)
	path := filepath.Join(w.Root, ConfigName)
	switch {
	case flags.ConfigFile != "":
		path = absolute(base, flags.ConfigFile)
	case !view.holds(path):
		w.Config = &Config{Dir: w.Root}
		w.configs[w.Root] = &nestedConfig{config: w.Config}
		return w, nil
	}
	if flags.ConfigFile != "" {
		w.Config, err = load(path, view.ReadFile, view.Extra)
	} else {
		w.Config, err = loadFound(path, view.ReadFile, view.Extra)
	}
	w.configs[w.Root] = &nestedConfig{config: w.Config} // its problems are reported here, once
	return w, err
}

// findRoot returns the root, and whether a file marks it as one.
func (v *View) findRoot(dir string) (root string, marked bool) {
	for d := dir; ; d = filepath.Dir(d) {
		if v.holds(filepath.Join(d, ConfigName)) {
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

// On returns the event after which an editor should check.
func (w *Workspace) On() On {
	on := OnSave
	for _, s := range append(slices.Clip(w.client), w.Config.Check) {
		if s.On != nil {
			on = *s.On
		}
	}
	return on
}

// ConfigFiles returns the configurations that the queries so far have used.
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

// ResponseFiles returns the response files that flags have named so far, existing or not.
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
	c.config, c.err = loadFound(filepath.Join(dir, ConfigName), w.ReadFile, w.view.Extra)
	w.configs[dir] = c
	return c
}

// owner returns the configuration of a file: the closest one in its parents up to the root; for a file outside, the
// closest one in all its parents, otherwise the root's.
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
	case w.view.holds(filepath.Join(dir, ConfigName)):
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

// databaseFor returns the compilation database of a file, found as in clangd or named by the configuration; nil if
// there is none.
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
	if db == nil { // it cannot be read; the database has the problem
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
