package kit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Proof is a proof of a kit, with the settings of unitproof.toml. Paths are absolute.
type Proof struct {
	Key           string // its folder, relative to the root, with a suffix if there are several in it
	Name          string
	Dir           string // of its Makefile, which FreeRTOS's scripts generate
	File, Entry   string
	Contract      string
	UseContracts  []string
	Sources       []string
	Override      []string
	RemoveBodies  []string
	Flags         []string // without -D and -U, each in one word if it has a value
	Macros        []string // -DNAME=VALUE and -UNAME; the last one for a name wins
	NondetStatic  bool
	MaxUnwind     int // maximal bound of a loop
	MallocCanFail bool
	Checks        map[found.Kind]bool // differences from the defaults
	Unchecked     map[string]bool     // options that switch on checks that are not performed
	Expect        found.Verdict       // "": proved
	// Notes has a sentence for each setting without a counterpart.
	Notes []string
	// Missing is the problem that prevents a check; such a proof is not written.
	Missing string
}

// Kits has the proofs of all kits below a folder.
type Kits struct {
	Root   string
	Proofs []Proof // in the order of their folders
	// Notes are the notes for all proofs.
	Notes []string
	// Advice has the first steps for the kits as a whole.
	Advice []string
}

// Read returns the proofs of the kits below root, an absolute path. It runs make, which executes commands of the
// Makefiles. It returns an error for a folder without a kit and for a cancelled context.
func Read(ctx context.Context, root string) (*Kits, error) {
	list, err := places(root)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no proof of a CBMC starter kit is there: a folder with a %s, or with FreeRTOS's %s, and "+
			"proofs below it", root, commonMakefile, commonJSON)
	}
	proofs := make([]*Proof, len(list))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, p := range list {
		slots <- struct{}{}
		group.Go(func() {
			proofs[i] = readProof(ctx, root, p)
			<-slots
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k := &Kits{Root: root}
	for _, p := range proofs {
		if p != nil {
			k.Proofs = append(k.Proofs, *p)
		}
	}
	k.tellUnchecked()
	k.distinguish()
	k.advise(list)
	return k, nil
}

// tellUnchecked notes the checks of CBMC that are not performed, once for all proofs.
func (k *Kits) tellUnchecked() {
	uses := map[string]int{}
	for i := range k.Proofs {
		for option := range k.Proofs[i].Unchecked {
			uses[option]++
		}
	}
	for _, option := range slices.Sorted(maps.Keys(uses)) {
		of := ""
		if uses[option] < len(k.Proofs) {
			of = ", of " + count(uses[option], "proof")
		}
		k.Notes = append(k.Notes, fmt.Sprintf("%s%s: not checked; %s", option, of, cbmcOptions[option].unchecked))
	}
}

// distinguish makes the names of proofs unique.
func (k *Kits) distinguish() {
	uses := map[string]int{}
	for i := range k.Proofs {
		uses[k.Proofs[i].Name]++
	}
	for i := range k.Proofs {
		if p := &k.Proofs[i]; uses[p.Name] > 1 {
			p.Name = p.Key
		}
	}
}

// advise adds advice about folders that are missing for many proofs.
func (k *Kits) advise(list []description) {
	absent := map[string]int{}
	for i := range k.Proofs {
		options, _ := cflags.Parse(k.Proofs[i].Flags)
		for _, o := range options {
			if o.IsPath() && !o.Searched() && filepath.IsAbs(o.Value) {
				if _, err := os.Stat(o.Value); err != nil {
					absent[o.Value]++
				}
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(absent)) {
		if gitmodule(k.Root, dir) {
			k.Advice = append(k.Advice, fmt.Sprintf("the folder %s of %s is empty: `git submodule update --init` fetches it",
				k.show(dir), count(absent[dir], "proof")))
		}
	}
	var kits []string
	for _, p := range list {
		if p.json != "" && !slices.Contains(kits, p.kit) {
			kits = append(kits, p.kit)
		}
	}
	for _, kit := range kits {
		patches := filepath.Join(filepath.Dir(kit), "patches")
		if _, err := os.Stat(filepath.Join(patches, "patch.py")); err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(patches, "patched")); err != nil {
			k.Advice = append(k.Advice, fmt.Sprintf("`python3 prepare.py` in %s changes headers so that the proofs' "+
				"definitions count; until it was run once, those of the headers do", k.show(kit)))
		}
	}
}

// show returns a path relative to the root.
func (k *Kits) show(path string) string {
	if rel, err := filepath.Rel(k.Root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// variables are the variables of the starter kit and of FreeRTOS's kit.
var variables = []string{"PROOF_UID", "HARNESS_ENTRY", "HARNESS_FILE", "PROOFDIR", "PROOF_SOURCES", "PROJECT_SOURCES",
	"DEFINES", "INCLUDES", "COMPILE_FLAGS", "CBMCFLAGS", "CHECKFLAGS", "NONDET_STATIC", "REMOVE_FUNCTION_BODY",
	"RESTRICT_FUNCTION_POINTER", "CHECK_FUNCTION_CONTRACTS", "CHECK_FUNCTION_CONTRACTS_REC", "USE_FUNCTION_CONTRACTS",
	"UNWINDSET", "CPROVER_LIBRARY_UNWINDSET",
	"CBMC_FLAG_UNWINDING_ASSERTIONS", "CBMC_FLAG_MALLOC_MAY_FAIL", "REWRITTEN_SOURCES",
	"ENTRY", "INC", "CFLAGS", "INSTFLAGS", "H_OBJS", "H_EXPECTED"}

// readProof returns one proof, or nil if the Makefile belongs to no proof.
func readProof(ctx context.Context, root string, at description) *Proof {
	p := &Proof{Key: relative(root, at.dir), Name: filepath.Base(at.dir), Dir: at.dir, MallocCanFail: true,
		Checks: map[found.Kind]bool{}, Unchecked: map[string]bool{}}
	if at.config != "" {
		p.Dir = filepath.Join(at.dir, "config_"+at.config)
	}
	r := &reading{proof: p, place: at}
	makefile := ""
	if at.json != "" {
		text, err := jsonMakefile(at)
		if err != nil {
			p.Missing = err.Error()
			return p
		}
		makefile = text
	}
	values, err := ask(ctx, at.dir, makefile, variables)
	if err != nil {
		p.Missing = err.Error()
		return p
	}
	r.values, r.ctx = values, ctx
	switch {
	case at.json != "" || values["HARNESS_ENTRY"] == "" && values["H_OBJS"] != "":
		r.freeRTOS()
	case values["HARNESS_ENTRY"] == "":
		return nil
	default:
		r.starterKit()
	}
	r.sources()
	return p
}

// reading builds a proof from variables.
type reading struct {
	ctx     context.Context
	proof   *Proof
	place   description
	values  map[string]string
	project []string // sources of the code under proof
	proofs  []string // sources of the proof: its harness and its stubs
	harness string   // the harness file, or its name without a folder
}

// words returns the value of a variable, split like in a shell.
func (r *reading) words(name string) []string {
	words, err := project.SplitShell(r.values[name])
	if err != nil {
		r.missing("%s: %s", name, err)
	}
	return words
}

// paths returns the files that a variable contains.
func (r *reading) paths(name string) (list []string) {
	for _, path := range strings.Fields(r.values[name]) {
		list = append(list, r.path(path))
	}
	return list
}

func (r *reading) path(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.place.dir, path)
	}
	return filepath.Clean(path)
}

func (r *reading) missing(format string, args ...any) {
	if r.proof.Missing == "" {
		r.proof.Missing = fmt.Sprintf(format, args...)
	}
}

func (r *reading) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.proof.Notes, text) {
		r.proof.Notes = append(r.proof.Notes, text)
	}
}

func (r *reading) starterKit() {
	p := r.proof
	p.Name = cmp.Or(r.values["PROOF_UID"], p.Name)
	p.Entry = r.values["HARNESS_ENTRY"]
	r.project, r.proofs = r.paths("PROJECT_SOURCES"), r.paths("PROOF_SOURCES")
	r.harness = cmp.Or(r.values["HARNESS_FILE"], p.Entry)
	r.flags(slices.Concat(r.words("COMPILE_FLAGS"), r.words("INCLUDES"), r.words("DEFINES")))
	for _, name := range []string{"NONDET_STATIC", "CBMCFLAGS", "CHECKFLAGS", "CBMC_FLAG_MALLOC_MAY_FAIL",
		"CBMC_FLAG_UNWINDING_ASSERTIONS"} {
		r.options(name, r.words(name))
	}
	p.unwindSet(strings.Join(append(r.words("UNWINDSET"), r.words("CPROVER_LIBRARY_UNWINDSET")...), ","))
	p.RemoveBodies = append(p.RemoveBodies, r.words("REMOVE_FUNCTION_BODY")...)
	p.UseContracts = contractNames(r.values["USE_FUNCTION_CONTRACTS"])
	if checked := contractNames(r.values["CHECK_FUNCTION_CONTRACTS"] + " " +
		r.values["CHECK_FUNCTION_CONTRACTS_REC"]); len(checked) > 0 {
		p.Contract = checked[0]
		if len(checked) > 1 {
			r.note("the contracts of %s are not checked here: a proof is that of one", strings.Join(checked[1:], ", "))
		}
	}
	if v := r.values["REWRITTEN_SOURCES"]; v != "" {
		r.note("REWRITTEN_SOURCES: the files are taken as they are; __CPROVER_file_local_FILE_c_f is the static f of FILE.c")
	}
}

// contractNames returns names of functions. f/g stands for f with the contract of g, which has to be the contract of f
// here.
func contractNames(value string) (names []string) {
	for _, w := range strings.Fields(value) {
		name, _, _ := strings.Cut(w, "/")
		names = append(names, name)
	}
	return names
}

func (r *reading) freeRTOS() {
	p := r.proof
	p.Entry = "harness"
	r.harness = r.values["ENTRY"] + "_harness.c"
	r.proofs = []string{r.path(r.harness)}
	for _, o := range strings.Fields(r.values["H_OBJS"]) {
		path := r.path(strings.TrimSuffix(o, ".goto") + ".c")
		switch {
		case strings.HasSuffix(o, "_harness.goto"):
		// It belongs to the folder with the proofs and the stubs. A stub after the project's files replaces nothing in
		// them: the first of two definitions wins.
		case within(filepath.Dir(r.place.kit), path) && len(r.project) == 0:
			r.proofs = append(r.proofs, path)
		default:
			r.project = append(r.project, path)
		}
	}
	r.flags(slices.Concat(r.words("INC"), r.words("CFLAGS")))
	r.options("CBMCFLAGS", r.words("CBMCFLAGS"))
	r.options("INSTFLAGS", r.words("INSTFLAGS"))
	if e := strings.ToLower(r.values["H_EXPECTED"]); e == "false" || e == "failure" {
		p.Expect = found.Failed
	}
	if r.place.config != "" {
		p.Key += "#" + r.place.config
		p.Name += "_" + r.place.config
	}
}

// sources finds the harness among the files of the proof, and reports missing files.
func (r *reading) sources() {
	p := r.proof
	stem := func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".c") }
	isHarness := func(f string) bool { return stem(f) == stem(r.harness) }
	at := slices.IndexFunc(r.proofs, isHarness)
	if i := slices.IndexFunc(r.project, isHarness); at < 0 && i >= 0 { // for make there is no difference
		at = len(r.proofs)
		r.proofs = append(r.proofs, r.project[i])
	}
	if at < 0 {
		at = slices.IndexFunc(r.proofs, func(f string) bool { return filepath.Dir(f) == r.place.dir })
	}
	if at < 0 {
		r.missing("no file of PROOF_SOURCES is the harness %s", r.harness)
		return
	}
	p.File = r.proofs[at]
	for i, f := range r.proofs {
		if i != at && f != p.File && !slices.Contains(p.Override, f) {
			p.Override = append(p.Override, f)
		}
	}
	for _, f := range r.project {
		if f != p.File && !slices.Contains(p.Sources, f) && !slices.Contains(p.Override, f) {
			p.Sources = append(p.Sources, f)
		}
	}
	for _, f := range slices.Concat([]string{p.File}, p.Sources, p.Override) {
		if r.place.json == "" && slices.Contains(p.Sources, f) && filepath.Dir(f) == r.place.dir {
			// For example core_json.c, in which names are changed; an existing one may be outdated.
			made, err := makeFile(r.ctx, f)
			if err != nil {
				r.missing("%s cannot be made: %s", filepath.Base(f), err)
			}
			if made {
				r.note("%s is made by the Makefile's rule whenever the kit is imported", filepath.Base(f))
			}
		}
		_, err := regular.Source(f)
		if err != nil {
			if gitmodule(r.place.dir, f) {
				r.missing("%s is not there: `git submodule update --init` fetches it", relative(r.place.dir, f))
			}
			r.missing("%s is not there, or no file that can be read", relative(r.place.dir, f))
		}
	}
}

// gitmodule reports whether a path is missing because it is below an empty folder of the work tree of dir: a submodule
// that was not fetched.
func gitmodule(dir, path string) bool {
	if _, err := os.Stat(path); err == nil {
		return false
	}
	for up := filepath.Dir(path); within(up, dir) || len(up) > 1; up = filepath.Dir(up) {
		if entries, err := os.ReadDir(up); err == nil {
			return len(entries) == 0
		}
	}
	return false
}

func relative(from, path string) string {
	if rel, err := filepath.Rel(from, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}
