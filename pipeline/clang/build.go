package clang

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Request has the inputs of a build.
type Request struct {
	Entry     string // name of the proof's function
	EntryUnit Unit   // the file that defines it
	Sources   []Unit // further files to link
	Overrides []Unit // files whose definitions replace those of the others

	// RemoveBodies lists functions whose definitions in Sources are ignored: plain names, also of static functions, or
	// exported names of static functions (see filelocal.go).
	RemoveBodies []string

	// Calls of functions with contracts are replaced by the contracts: all of them or, with InlineContracts, only the
	// functions in UseContracts and functions without a definition. An Entry that is the proof of a contract has the
	// name [contract.Enforce].
	InlineContracts bool
	UseContracts    []string

	MaxLen int // maximal size of an input, if Entry is a fuzz target
	// Input is the only input of a fuzz target; nil for all inputs up to MaxLen.
	Input        *Input
	NondetStatic bool // non-constant variables start with arbitrary values, see ArbitraryStatics

	Checks map[found.Kind]bool // enabled kinds of obligations (CONTRACT.md, section 3)
	Keep   []string            // further symbols to keep, with their references

	Virtual map[string][]byte // contents that replace files, by absolute path: unsaved buffers
	Store   *cache.Store      // stores compiled files and linked programs; nil for no store
	// OnlyKept takes everything from Store and starts no process. The error is [ErrNotKept] if an entry is missing.
	OnlyKept bool
	// PassedOver requests Absent and Present of the Module or the CompileError.
	PassedOver bool
	Jobs       int // number of parallel compilations; 0 is the number of processors
	// Stage, if not nil, is called when linking begins; its result is called when linking ends.
	Stage func(name string) (leave func())
}

// Input is the input of a fuzz target, such as a file of a corpus.
type Input struct {
	Name string // name of the file, for display
	Data []byte
}

// ErrNotKept is the error of a Build with OnlyKept that would have to start a process.
var ErrNotKept = errors.New("the program of an earlier build is no longer complete in the cache")

// Module is the linked program of one unit proof.
type Module struct {
	Text []byte // LLVM assembly of everything that the entry and constructors reach

	Assumptions []found.Assumption // without duplicates

	Unchecked []Unchecked // parts of the sources with disabled checks

	// Missing has the reachable functions without a definition, sorted, except those that the engine implements (see
	// Builtin). MissingVariables has the variables.
	Missing          []string
	MissingVariables []string

	// Defined has the functions that each unit defines for others, by its absolute path, whether or not the entry reaches
	// them: functions that #if excludes are left out.
	Defined map[string][]string

	Files []string // every file that clang read, absolute, sorted
	// Absent lists paths without a file at which a new file could be read instead of one of Files. Present lists
	// existing files that lose against one of Files. Both are absolute and sorted, and empty unless requested.
	Absent, Present []string

	CompileMS, LinkMS int64 // wall-clock
}

// Build compiles the files of a request and links the part that the entry reaches into one module. Errors of the user's
// program are a [*CompileError].
func (t *Toolchain) Build(ctx context.Context, r Request) (_ *Module, err error) {
	begin := time.Now()
	headers, err := Headers()
	if err != nil {
		return nil, err
	}
	dir := ""
	if !r.OnlyKept {
		if dir, err = scratch.Mkdir("clang-*"); err != nil {
			return nil, fmt.Errorf("temporary files: %w", err)
		}
		defer func() {
			if _, gone := os.Lstat(dir); err != nil && ctx.Err() == nil && errors.Is(gone, fs.ErrNotExist) {
				err = &RemovedError{dir}
			}
			os.RemoveAll(dir)
		}()
		if dir, err = filepath.Abs(dir); err != nil { // clang may run in another folder
			return nil, fmt.Errorf("temporary files: %w", err)
		}
	}

	units := slices.Concat(r.Overrides, []Unit{r.EntryUnit})
	entry := len(r.Overrides)
	seen := map[string]bool{}
	for i := range units {
		seen[units[i].path()] = true
	}
	for _, u := range r.Sources { // the entry's file and overrides keep their role
		if path := u.path(); !seen[path] {
			seen[path] = true
			units = append(units, u)
		}
	}
	c := &compilation{Toolchain: t, request: &r, headers: headers, dir: dir, overlay: newOverlay(r.Virtual, dir)}
	defer func() { err = c.rest(err, units) }()
	results, err := c.compileForLibrary(ctx, units)
	if err != nil {
		return nil, err
	}
	var program *linked
	var linking time.Duration
	for program == nil {
		start := time.Now()
		leave := func() {}
		if r.Stage != nil {
			leave = r.Stage("compile/link")
		}
		step, err := c.linkStep(ctx, units, entry, results)
		leave()
		linking += time.Since(start)
		switch {
		case err != nil:
			return nil, withFiles(err, filesOf(results))
		case step.AllStatics:
			c.allStatics = true
			all, err := c.compileAll(ctx, units[entry:entry+1], nil)
			if err != nil {
				return nil, err
			}
			results[entry] = all[0]
		default:
			program = step
		}
	}
	m := &Module{Text: program.text, Missing: program.Missing, MissingVariables: program.MissingVariables,
		Defined: program.Defined,
		Files:   filesOf(results),
		LinkMS:  linking.Milliseconds()}
	for i, result := range results {
		if r.PassedOver {
			absent, present := c.passedOver(units[i], result.files)
			m.Absent, m.Present = append(m.Absent, absent...), append(m.Present, present...)
		}
		for _, n := range result.notes {
			// An option is reported once, not once per file.
			if n.What == found.DroppedOption && slices.ContainsFunc(m.Assumptions,
				func(o found.Assumption) bool { return o.What == n.What && o.Name == n.Name }) {
				continue
			}
			if n.What == found.Pragma && n.Names[0] == "disable" && !saidByAll(results, n) {
				continue
			}
			m.Assumptions = append(m.Assumptions, n)
		}
	}
	m.Assumptions, m.Unchecked = followPragmas(m.Assumptions, r.Checks)
	m.Assumptions = append(m.Assumptions, program.Notes...)
	sortedSet(&m.Absent)
	sortedSet(&m.Present)
	m.CompileMS = (time.Since(begin) - linking).Milliseconds()
	return m, nil
}

// linkStep links the units into a program, or finds that they have to be recompiled in another way first. Earlier
// results come from the store.
func (c *compilation) linkStep(ctx context.Context, units []Unit, entry int, results []*compiled) (*linked, error) {
	key, cached := c.linkKey(units, results)
	if cached {
		if l := c.loadLinked(key); l != nil {
			return l, nil
		}
	}
	if c.request.OnlyKept {
		return nil, ErrNotKept
	}
	modules := make([]*asm.Module, len(units))
	for i, u := range units {
		text, err := c.textOf(ctx, u, i, results[i])
		if err == nil {
			modules[i], err = asm.Cut(u.path(), text)
		}
		if err != nil {
			return nil, err
		}
	}
	defined := map[string][]string{}
	for i, u := range units {
		defined[u.path()] = modules[i].Exports()
	}
	l, err := c.linkModules(ctx, units, entry, modules)
	if err != nil {
		return nil, err
	}
	if l.Defined = defined; cached {
		c.storeLinked(key, l)
	}
	return l, nil
}

func (c *compilation) linkModules(ctx context.Context, units []Unit, entry int,
	modules []*asm.Module) (*linked, error) {
	r := *c.request
	if !modules[entry].DefinesFunction(r.Entry) {
		// clang drops a static function without callers. Keeping all of them makes the text several times as long, so
		// it is done in this case only.
		if !c.allStatics && c.mayDefine(units[entry], r.Entry) {
			return &linked{AllStatics: true}, nil
		}
	}
	notes, err := exportFileLocals(modules, entry, r.RemoveBodies)
	if err != nil {
		return nil, err
	}
	contracts, err := useContracts(r, modules, entry)
	if err != nil {
		return nil, err
	}
	forCBMC := c.forCBMC()
	var open []stubNote
	if forCBMC {
		if open, err = openStubs(modules, entry); err != nil {
			return nil, err
		}
	}
	program, err := resolve(modules[:entry], modules[entry], modules[entry+1:], forCBMC || anyContract(modules))
	if err != nil {
		return nil, err
	}
	home := home{module: entry, Symbol: modules[entry].Symbols[r.Entry]} // the main of an override is not the proof
	if !modules[entry].DefinesFunction(r.Entry) {
		// The entry is the contract of a function in another file than the harness.
		if strings.HasPrefix(r.Entry, language.EnforcePrefix) {
			home.module = slices.IndexFunc(modules, func(a *asm.Module) bool { return a.DefinesFunction(r.Entry) })
		}
		if home.module == entry || home.module < 0 {
			return nil, missingEntry(r, modules[entry])
		}
		home.Symbol = modules[home.module].Symbols[r.Entry]
	}
	program.owner[r.Entry] = home
	roots := slices.Concat([]string{r.Entry}, r.Keep)
	if err := program.reach(roots); err != nil {
		return nil, err
	}
	roots, err = c.linkModels(ctx, r, program, modules[entry].Triple, roots)
	if err != nil {
		return nil, err
	}
	if err := program.reachFromOutside(roots); err != nil {
		return nil, err
	}
	texts, err := program.texts(entry)
	if err != nil {
		return nil, err
	}
	l := &linked{Notes: slices.Concat(notes, program.notes, program.openChoices(), program.stubNotes(open),
		program.contractNotes(contracts))}
	if l.text, err = c.link(ctx, texts, c.dir); err != nil {
		return nil, err
	}
	if r.NondetStatic {
		if l.text, err = asm.ArbitraryStatics(l.text); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(program.missing)) {
		switch {
		case program.missing[name] != asm.Function:
			l.MissingVariables = append(l.MissingVariables, name)
		case !Builtin(name):
			l.Missing = append(l.Missing, name)
		}
	}
	return l, nil
}

// filesOf returns the files that clang read, sorted.
func filesOf(results []*compiled) []string {
	var files []string
	for _, r := range results {
		files = append(files, r.files...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// compileAll compiles the units in parallel, except the results in kept that are not nil. If units fail, it returns the
// error of the first one with the diagnostics of all, so the error does not depend on timing.
func (c *compilation) compileAll(ctx context.Context, units []Unit, cached []*compiled) ([]*compiled, error) {
	if c.request.OnlyKept {
		if cached == nil {
			cached = c.cached(units)
		}
		if slices.Contains(cached, nil) {
			return nil, ErrNotKept
		}
		return cached, nil
	}
	results, errs := make([]*compiled, len(units)), make([]error, len(units))
	jobs := c.request.Jobs
	if jobs <= 0 {
		jobs = runtime.NumCPU()
	}
	tokens := make(chan struct{}, jobs)
	var wait sync.WaitGroup
	for i, u := range units {
		if cached != nil && cached[i] != nil {
			results[i] = cached[i]
			continue
		}
		wait.Go(func() {
			tokens <- struct{}{}
			defer func() { <-tokens }()
			if errs[i] = ctx.Err(); errs[i] != nil {
				return
			}
			results[i], errs[i] = c.compile(ctx, u, i)
		})
	}
	wait.Wait()
	return results, joinErrors(errs, results)
}

func joinErrors(errs []error, results []*compiled) error {
	var joined *CompileError
	for _, err := range errs {
		if err == nil {
			continue
		}
		e, ok := err.(*CompileError)
		if !ok {
			return err
		}
		if joined == nil {
			joined = &CompileError{Stage: e.Stage}
		}
		for _, d := range e.Diagnostics { // two files report an error of a common header
			if !slices.Contains(joined.Diagnostics, d) {
				joined.Diagnostics = append(joined.Diagnostics, d)
			}
		}
		joined.Output += e.Output
		joined.Files = append(joined.Files, e.Files...)
	}
	if joined == nil {
		return nil
	}
	for _, c := range results {
		if c != nil {
			joined.Files = append(joined.Files, c.files...)
		}
	}
	slices.Sort(joined.Files)
	joined.Files = slices.Compact(joined.Files)
	return joined
}

// withFiles adds the files that were read to a CompileError.
func withFiles(err error, files []string) error {
	if e, ok := err.(*CompileError); ok {
		e.Files = append(e.Files, files...)
	}
	return err
}

// mayDefine reports whether the text of a unit contains the name followed by a possible list of parameters.
func (c *compilation) mayDefine(u Unit, name string) bool {
	text, err := c.read(u.path())
	if err != nil {
		return false
	}
	found, err := regexp.Match(`\b`+regexp.QuoteMeta(name)+`\s*\(`, text)
	return found && err == nil
}

func missingEntry(r Request, a *asm.Module) error {
	file := filepath.Base(a.File)
	if name, ok := strings.CutPrefix(r.Entry, language.EnforcePrefix); ok {
		return entryError(a, fmt.Sprintf("no function %s with a contract in %s; %s", name, file,
			listed("contracts of ", contractsIn(a))))
	}
	own := slices.DeleteFunc(a.Functions(), func(n string) bool { return strings.HasPrefix(n, language.VariablePrefix) })
	return entryError(a, fmt.Sprintf("no function %s in %s; %s", r.Entry, file, listed("", own)))
}

// entryError returns the error of a program without the requested functions.
func entryError(a *asm.Module, message string) error {
	return &CompileError{Stage: "entry", Diagnostics: []Diagnostic{{File: a.File, Severity: "error", Message: message}}}
}

// listed describes the functions that a file defines, or some of its functions.
func listed(of string, names []string) string {
	const shown = 12
	switch {
	case len(names) == 0 && of == "":
		return "it defines no function"
	case len(names) == 0:
		return "there are no " + strings.TrimSuffix(of, " of ")
	case len(names) > shown:
		return fmt.Sprintf("it defines %s%s and %d more", of, strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return "it defines " + of + strings.Join(names, ", ")
}

// contractsIn returns the functions whose contracts a module contains, sorted.
func contractsIn(a *asm.Module) (names []string) {
	for _, s := range a.Order {
		for _, prefix := range []string{language.EnforcePrefix, language.ReplacePrefix} {
			if name, ok := strings.CutPrefix(s.Name, prefix); ok && s.Kind == asm.Function {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
