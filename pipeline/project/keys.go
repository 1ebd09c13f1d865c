package project

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/pipeline/targets"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Key declares a key of unitproof.toml. Everything else is derived from the declaration: how the file is read, the
// messages about unknown keys, precedence, the flags of the command line, the settings of editors, and the tables of
// docs/configuration.md.
type Key struct {
	Name    string
	Value   string // possible values, in Markdown
	Default string // the default, in Markdown; "": described in Doc, or none
	Doc     string // meaning, in Markdown, without a capital and a full stop
	Flags   []Flag // flags of the command line for this key
	Client  string // name in the settings of editors, as in "check.timeout"; "": none

	required bool // in every such table
	read     func(r *reader, at keyPath, v any, to target)

	// Only for keys of [check]:
	reset func(p *Proof)                       // sets the default; nil: the key does not belong to a proof
	apply func(s *Settings, p *Proof)          // applies the value of s, if any, to p
	words func(s *Settings, p *Proof) []string // if s has a value: the flags that give p's value
}

// IsPath reports whether the key's value is a path, or a list of paths.
func (k *Key) IsPath() bool { return strings.Contains(k.Value, "path") }

// Flag is a flag of the command line for a key.
type Flag struct {
	Name, Short string
	Type        string   // type of its value, for the help
	Usage       string   // "": the Doc of the key and its default
	Values      []string // possible values, if there are few; nil: not listed
	Set         func(f *Flags, value string) error
}

// target has the destinations of a table.
type target struct {
	config   *Config
	settings *Settings
	proof    *ProofConfig
	accept   *Accept
	survivor *string // AcceptSurvivor.Change
	audit    *found.AuditKind
}

// Table is a table of unitproof.toml with its keys.
type Table struct {
	Name string // as it is written: "[check]"
	Keys []Key  // in the order of the documentation
}

func (t *Table) names() []string {
	var names []string
	for i := range t.Keys {
		names = append(names, t.Keys[i].Name)
	}
	slices.Sort(names)
	return names
}

func (t *Table) key(name string) *Key {
	i := slices.IndexFunc(t.Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Keys[i]
}

// Settings are the choices that can be made at several levels: by a client (an editor), in [check], in a [[proof]], by
// flags. nil and absent kinds mean that this level makes no choice.
type Settings struct {
	Unwind        *int
	MaxUnwind     *int
	SolverSteps   *int
	Timeout       *time.Duration
	MaxMemory     *int64 // bytes
	MallocMayFail *bool
	MissingBody   *found.MissingBodies
	MaxLen        *int  // maximal size of an input of a fuzz target
	NondetStatic  *bool // variables start with arbitrary values
	Contracts     *string
	LoopContracts *bool
	Vacuity       *vcgen.VacuityMode
	Checks        map[found.Kind]bool
	Targets       []string // nil: no choice
	On            *On      // when an editor checks; not in a [[proof]]
}

// defaultMaxLen is the default of max-len.
const defaultMaxLen = 16

// On is the event after which an editor checks.
type On string

// The values of the key on.
const (
	OnSave   On = "save"
	OnIdle   On = "idle"
	OnManual On = "manual"
)

// The tables are built on first use: not every start of the program uses them.

var compileTable = sync.OnceValue(func() *Table {
	return &Table{"[compile]", []Key{
		{Name: "flags", Value: "list of strings",
			Doc: "for every C file, before the flags of `compile_commands.json`",
			read: func(r *reader, at keyPath, v any, to target) {
				to.config.Flags = r.flags(at, v)
			}},
		{Name: "remove-flags", Value: "list of strings",
			Doc:  "flags of `compile_commands.json` to ignore, like `\"-Werror\"`",
			read: func(r *reader, at keyPath, v any, to target) { to.config.RemoveFlags = r.texts(at, v) }},
		{Name: "compile-commands", Value: "path",
			Doc: "default: found as clangd finds it, in the folders above a file and their `build`",
			Flags: []Flag{{Name: "compile-commands", Type: "FILE",
				Set:   func(f *Flags, value string) error { f.CompileCommands = value; return nil },
				Usage: "how files are compiled, for all of them (default: as clangd finds it)"}},
			read: func(r *reader, at keyPath, v any, to target) {
				if s, ok := r.text1(at, v); ok {
					to.config.CompileCommands = absolute(to.config.Dir, s)
				}
			}},
		{Name: "clang", Value: "program", Doc: "default: the newest installed one of version 14 to 23 " +
			"([versions.md](versions.md))",
			read: func(r *reader, at keyPath, v any, to target) {
				if s, ok := r.text1(at, v); ok {
					if strings.ContainsRune(s, '/') {
						s = absolute(to.config.Dir, s)
					}
					to.config.Clang = s
				}
			}},
	}}
})

var checkTable = sync.OnceValue(func() *Table {
	return &Table{"[check]", []Key{
		setting(Key{Name: "unwind",
			Doc: "how often a loop's body may run each time the loop is entered, how deep a recursion may go; " +
				"0: as far as conditions are constant, else while the next iteration is possible, up to `max-unwind` times",
			Flags: []Flag{{Name: "unwind", Type: "N|FUNCTION#K=N", Set: setUnwind,
				Usage: "how often loops, or the K-th loop of a function, may run; " +
					"0, the default: automatic (repeatable)"}}},
			boundForm,
			func(s *Settings) **int { return &s.Unwind },
			func(p *Proof) *int { return &p.Options.Unwind }, 0),
		leftOpen(setting(Key{Name: "max-unwind",
			Doc: "with `unwind` 0: how often a loop without a constant bound may run; " +
				"the default is raised to 260 if all executions that were tried end within that",
			Flags: []Flag{{Name: "max-unwind", Type: "N", Set: func(f *Flags, value string) error {
				n, err := strconv.ParseUint(value, 10, 31)
				if err != nil || n == 0 {
					return fmt.Errorf("%q is not a number from 1 to %d", value, maxUnwind)
				}
				bound := int(n)
				f.MaxUnwind = &bound
				return nil
			}}}},
			positiveForm,
			func(s *Settings) **int { return &s.MaxUnwind },
			func(p *Proof) *int { return &p.Options.MaxUnwind }, vcgen.DefaultMaxUnwind),
			func(p *Proof) *int { return &p.Options.MaxUnwind }),
		setting(Key{Name: "solver-steps",
			Doc: "steps (conflicts) that the solver may take for one question before its check is unknown",
			Flags: []Flag{{Name: "solver-steps", Type: "N", Set: func(f *Flags, value string) error {
				n, err := strconv.ParseUint(value, 10, 31)
				if err != nil || n == 0 {
					return fmt.Errorf("%q is not a number from 1 to %d", value, maxUnwind)
				}
				steps := int(n)
				f.SolverSteps = &steps
				return nil
			}}}},
			positiveForm,
			func(s *Settings) **int { return &s.SolverSteps },
			func(p *Proof) *int { return &p.Options.SolverSteps }, vcgen.DefaultSolverSteps),
		setting(Key{Name: "timeout", Value: "`\"60s\"`, `\"2m\"`",
			Doc: "CPU time for one proof, its compilers and solvers", Client: "check.timeout"},
			durationForm,
			func(s *Settings) **time.Duration { return &s.Timeout },
			func(p *Proof) *time.Duration { return &p.Timeout }, 60*time.Second),
		setting(Key{Name: "max-memory", Value: "`\"512M\"`, `\"4G\"`", Doc: "memory for one proof",
			Client: "maxMemory"},
			sizeForm,
			func(s *Settings) **int64 { return &s.MaxMemory },
			func(p *Proof) *int64 { return &p.MaxMemory }, 4<<30),
		setting(Key{Name: "malloc-may-fail", Doc: "whether `malloc` and its like may return NULL"},
			boolForm,
			func(s *Settings) **bool { return &s.MallocMayFail },
			func(p *Proof) *bool { return &p.Options.MallocMayFail }, true),
		setting(Key{Name: "missing-body",
			Doc: "a called function without a body: writes anything to memory that it can reach; " +
				"writes nothing; is an error"},
			oneOf(found.MissingHavoc, found.MissingPure, found.MissingError),
			func(s *Settings) **found.MissingBodies { return &s.MissingBody },
			func(p *Proof) *found.MissingBodies { return &p.Options.MissingBody }, found.MissingHavoc),
		setting(Key{Name: "contracts",
			Doc: "a call of a function with a contract: is replaced by it; is executed"},
			oneOf("use", "inline"),
			func(s *Settings) **string { return &s.Contracts },
			func(p *Proof) *string { return &p.Contracts }, "use"),
		setting(Key{Name: "loop-contracts",
			Doc: "whether a loop with an invariant is cut by it, so that the proof holds for every number of iterations"},
			boolForm,
			func(s *Settings) **bool { return &s.LoopContracts },
			func(p *Proof) *bool { return &p.LoopContracts }, true),
		setting(Key{Name: "nondet-static",
			Doc: "whether variables that are not constant start with any value instead of their initialisers"},
			boolForm,
			func(s *Settings) **bool { return &s.NondetStatic },
			func(p *Proof) *bool { return &p.NondetStatic }, false),
		setting(Key{Name: "max-len",
			Doc: "the greatest size in bytes of the input of a fuzz target (`LLVMFuzzerTestOneInput`)",
			Flags: []Flag{{Name: "max-len", Type: "N", Set: func(f *Flags, value string) error {
				n, err := strconv.ParseUint(value, 10, 31)
				if err != nil || n == 0 {
					return fmt.Errorf("%q is not a number from 1 to %d", value, maxUnwind)
				}
				size := int(n)
				f.MaxLen = &size
				return nil
			}}}},
			positiveForm,
			func(s *Settings) **int { return &s.MaxLen },
			func(p *Proof) *int { return &p.MaxLen }, defaultMaxLen),
		{Name: "targets", Value: "list of strings", Default: "the machine of the compile command, else x86-64 Linux",
			Doc: "the machines that each proof is checked for, each with a verdict of its own ([targets.md](targets.md))",
			Flags: []Flag{
				{Name: "target", Type: "MACHINE",
					Set: func(f *Flags, value string) error {
						if value == "" || value[0] == '-' {
							return fmt.Errorf("%q is not the name of a machine", value)
						}
						f.Targets = append(f.Targets, value)
						return nil
					},
					Usage: "check for this machine: a name that unitproof doctor lists, or a target of clang (repeatable)"},
				{Name: "portable", Set: func(f *Flags, _ string) error {
					f.Targets = append(f.Targets, targets.Portable...)
					return nil
				}, Usage: "check for machines that differ wherever C is implementation-defined, and list failures of some of " +
					"them only"},
			},
			read:  func(r *reader, at keyPath, v any, to target) { to.settings.Targets = r.texts(at, v) },
			reset: func(p *Proof) { p.Targets = nil },
			apply: func(s *Settings, p *Proof) {
				if s.Targets != nil {
					p.Targets = s.Targets
				}
			},
			words: func(_ *Settings, p *Proof) []string {
				if p.Target == "" {
					return nil
				}
				return []string{"--target", p.Target}
			}},
		setting(Key{Name: "vacuity",
			Doc:    "which unreachable checks are reported: the assertions of the proof's file, all, none",
			Client: "check.vacuity"},
			oneOf(vcgen.VacuityEntry, vcgen.VacuityAll, vcgen.VacuityOff),
			func(s *Settings) **vcgen.VacuityMode { return &s.Vacuity },
			func(p *Proof) *vcgen.VacuityMode { return &p.Options.Vacuity }, vcgen.VacuityEntry),
		{Name: "checks", Value: "`{ KIND = boolean }`", Default: "[kinds.md](kinds.md)",
			Doc:    "which kinds of violations are looked for",
			Client: "check.checks",
			Flags: []Flag{
				{Name: "check", Type: "KIND", Set: setCheck(true), Values: KindNames(),
					Usage: "look for this kind of violation, too; \"unitproof explain\" lists them (repeatable)"},
				{Name: "no-check", Type: "KIND", Set: setCheck(false), Values: KindNames(),
					Usage: "do not look for this kind of violation (repeatable)"},
			},
			read:  readChecks,
			reset: func(p *Proof) { p.Options.Checks = found.DefaultChecks() },
			apply: func(s *Settings, p *Proof) { maps.Copy(p.Options.Checks, s.Checks) },
			words: checkWords},
		onlyRead(Key{Name: "on", Doc: "when an editor verifies", Client: "check.on"},
			oneOf(OnSave, OnIdle, OnManual), func(s *Settings) **On { return &s.On }, OnSave),
	}}
})

var proofTable = sync.OnceValue(func() *Table {
	return &Table{"[[proof]]", []Key{
		{Name: "file", Value: "path or glob",
			Doc: "the only key that has to be there", required: true,
			read: func(r *reader, at keyPath, v any, to target) {
				if s, ok := r.text1(at, v); ok {
					to.proof.Pattern, to.proof.isGlob = s, strings.ContainsAny(s, "*?[")
				}
			}},
		{Name: "entry", Value: "function",
			Doc: "default: the entries that are found by their names",
			read: func(r *reader, at keyPath, v any, to target) {
				if s, ok := r.text1(at, v); ok && r.isFunction(at, s) {
					to.proof.Entry = s
				}
			}},
		{Name: "contract", Value: "function",
			Doc: "the proof is that of the function's contract",
			Flags: []Flag{
				{Name: "contract", Type: "FUNCTION",
					Set:   func(f *Flags, value string) error { f.Entry, f.Contract = value, true; return nil },
					Usage: "check the contract of a function, and nothing else"}},
			read: func(r *reader, at keyPath, v any, to target) {
				if s, ok := r.text1(at, v); ok && r.isFunction(at, s) {
					to.proof.Entry, to.proof.Contract = s, true
				}
			}},
		{Name: "use-contracts", Value: "list of functions",
			Doc: "whose calls are replaced by their contracts, although `contracts` says `\"inline\"`",
			Flags: []Flag{
				{Name: "use-contract", Type: "FUNCTION",
					Set:   appendTo(func(f *Flags) *[]string { return &f.UseContracts }),
					Usage: "a function whose calls are replaced by its contract (repeatable)"}},
			read: func(r *reader, at keyPath, v any, to target) {
				to.proof.UseContracts = r.texts(at, v)
				for _, name := range to.proof.UseContracts {
					r.isFunction(at, name)
				}
			}},
		{Name: "name", Value: "string",
			Doc:  "default: the file's name without `_harness.c`, and the entry if the file has several",
			read: func(r *reader, at keyPath, v any, to target) { to.proof.Name, _ = r.text1(at, v) }},
		{Name: "sources", Value: "list of paths",
			Doc: "C files to link; default: the files of `compile_commands.json` that define missing functions",
			Flags: []Flag{
				{Name: "source", Type: "FILE",
					Set:   appendTo(func(f *Flags) *[]string { return &f.Sources }),
					Usage: "a further C file to link (repeatable)"}},
			read: func(r *reader, at keyPath, v any, to target) {
				to.proof.Sources, to.proof.SourcesGiven = r.texts(at, v), true
			}},
		{Name: "override", Value: "list of paths",
			Doc: "C files whose definitions replace the linked ones: stubs",
			Flags: []Flag{
				{Name: "override", Type: "FILE",
					Set:   appendTo(func(f *Flags) *[]string { return &f.Overrides }),
					Usage: "a C file whose definitions replace the linked ones (repeatable)"}},
			read: func(r *reader, at keyPath, v any, to target) { to.proof.Override = r.texts(at, v) }},
		{Name: "remove-bodies", Value: "list of functions",
			Doc: "whose definitions in the linked files are ignored; " +
				"names that no file defines are reported (assumption `unused-setting`)",
			Flags: []Flag{
				{Name: "remove-body", Type: "FUNCTION",
					Set:   appendTo(func(f *Flags) *[]string { return &f.RemoveBodies }),
					Usage: "a function whose definition in the linked files is ignored (repeatable)"}},
			read: func(r *reader, at keyPath, v any, to target) {
				to.proof.RemoveBodies = r.texts(at, v)
				for _, name := range to.proof.RemoveBodies {
					r.isFunction(at, name)
				}
			}},
		{Name: "flags", Value: "list of strings", Doc: "for the compiler, after all others",
			Flags: []Flag{
				{Name: "include", Short: "I", Type: "DIR",
					Set:   appendTo(func(f *Flags) *[]string { return &f.Includes }),
					Usage: "a folder to search for headers (repeatable)"},
				{Name: "define", Short: "D", Type: "NAME[=V]",
					Set:   appendTo(func(f *Flags) *[]string { return &f.Defines }),
					Usage: "define a macro (repeatable)"},
				{Name: "cflag", Type: "FLAG",
					Set:   appendTo(func(f *Flags) *[]string { return &f.CFlags }),
					Usage: "a further flag for the compiler (repeatable)"},
			},
			read: func(r *reader, at keyPath, v any, to target) {
				to.proof.Flags = r.flags(at, v)
			}},
		{Name: "loops", Value: "`{ \"FUNCTION#K\" = number }`", // its flag is --unwind
			Doc: "`unwind` for the K-th loop of a function in source order, from 1; " +
				"one that the proof does not have is named (`unused-setting`)",
			read: readLoops},
		{Name: "expect", Value: "verdict", Doc: "`check` fails when the verdict is another one",
			read: func(r *reader, at keyPath, v any, to target) {
				if e := proofVerdict().read(r, at, v); e != nil {
					to.proof.Expect = *e
				}
			}},
	}}
})

var acceptTable = sync.OnceValue(func() *Table {
	return &Table{"[[accept]]", []Key{
		{Name: "kind", Value: "[kind](kinds.md)", Doc: "of the finding; this, `survivor` or `audit` has to be there",
			read: func(r *reader, at keyPath, v any, to target) {
				if k := kindForm.read(r, at, v); k != nil {
					to.accept.Kind = *k
				}
			}},
		{Name: "survivor", Value: "string", Doc: "instead: a change that survives [strength](why.md), in its words " +
			"(\"`<` becomes `<=`\"); `\"*\"`: any",
			read: func(r *reader, at keyPath, v any, to target) { *to.survivor, _ = r.text1(at, v) }},
		{Name: "audit", Value: "[kind](audit.md)", Doc: "instead: a finding of `unitproof audit`",
			read: func(r *reader, at keyPath, v any, to target) {
				if k := auditForm.read(r, at, v); k != nil {
					*to.audit = *k
				}
			}},
		{Name: "function", Value: "function", Doc: "that the finding is in; default: any",
			read: func(r *reader, at keyPath, v any, to target) { to.accept.Function, _ = r.text1(at, v) }},
		{Name: "reason", Value: "string",
			read: func(r *reader, at keyPath, v any, to target) { to.accept.Reason, _ = r.text1(at, v) }},
	}}
})

// Tables returns the tables of unitproof.toml.
func Tables() []*Table {
	return []*Table{compileTable(), checkTable(), proofTable(), acceptTable(), remoteTable()}
}

// SettingFlags returns the flags for keys of unitproof.toml.
func SettingFlags() []Flag {
	var out []Flag
	for _, t := range []*Table{compileTable(), proofTable(), checkTable()} {
		for i := range t.Keys {
			k := &t.Keys[i]
			for _, f := range k.Flags {
				if f.Usage == "" {
					f.Usage = strings.ReplaceAll(k.Doc+" (default "+strings.Trim(k.Default, "`\"")+")", "`", "")
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// ClientSettings reads the keys in a section of an editor's settings. Null, "" and absent values make no choice.
func ClientSettings(section map[string]any) (Settings, []Problem) {
	r := &reader{config: &Config{}}
	var s Settings
	keys := checkTable().Keys
	for i := range keys {
		k := &keys[i]
		at, v := keyPath(""), any(section)
		for _, part := range strings.Split(k.Client, ".") {
			table, _ := v.(map[string]any)
			at, v = at.key(part), table[part]
		}
		if k.Client != "" && v != nil && v != "" {
			k.read(r, at, v, target{settings: &s})
		}
	}
	return s, sortProblems(r.problems)
}

// FlagsOf returns the flags of check that give a proof's values of the keys for which s has a value.
func FlagsOf(s Settings, p *Proof) []string {
	words := []string{}
	keys := checkTable().Keys
	for i := range keys {
		if k := &keys[i]; k.words != nil {
			words = append(words, k.words(&s, p)...)
		}
	}
	return words
}

// reset sets the defaults of a proof.
func (p *Proof) reset() {
	keys := checkTable().Keys
	for i := range keys {
		if k := &keys[i]; k.reset != nil {
			k.reset(p)
		}
	}
}

// apply overrides the values of p by the values of s.
func (s *Settings) apply(p *Proof) {
	keys := checkTable().Keys
	for i := range keys {
		if k := &keys[i]; k.apply != nil {
			k.apply(s, p)
		}
	}
}

// setting completes the declaration of a key whose value is in a field of Settings and is copied to a field of Proof.
func setting[T any](k Key, f *form[T], in func(*Settings) **T, to func(*Proof) *T, otherwise T) Key {
	k = onlyRead(k, f, in, otherwise)
	if k.Flags == nil {
		k.Flags = []Flag{{Name: k.Name, Type: f.flagType, Values: f.names, Set: func(to *Flags, value string) error {
			v, err := f.parse(value)
			if err == nil {
				*in(&to.Settings) = &v
			}
			return err
		}}}
	}
	k.reset = func(p *Proof) { *to(p) = otherwise }
	k.apply = func(s *Settings, p *Proof) {
		if v := *in(s); v != nil {
			*to(p) = *v
		}
	}
	k.words = func(s *Settings, p *Proof) []string {
		if *in(s) == nil {
			return nil
		}
		return []string{"--" + k.Flags[0].Name, f.print(*to(p))}
	}
	return k
}

// leftOpen changes a key whose default is a decision of the engine: without a written value, the field is zero. A
// written value that equals the default is no default.
func leftOpen[T any](k Key, to func(*Proof) *T) Key {
	k.reset = func(p *Proof) {
		var open T
		*to(p) = open
	}
	return k
}

// onlyRead completes the declaration of a key whose value is in a field of Settings and is read from there.
func onlyRead[T any](k Key, f *form[T], in func(*Settings) **T, otherwise T) Key {
	if k.Value == "" {
		k.Value = f.value
	}
	if k.Default = f.print(otherwise); f.quoted {
		k.Default = `"` + k.Default + `"`
	}
	k.Default = "`" + k.Default + "`"
	k.read = func(r *reader, at keyPath, v any, to target) { *in(to.settings) = f.read(r, at, v) }
	return k
}

func appendTo(list func(*Flags) *[]string) func(*Flags, string) error {
	return func(f *Flags, value string) error {
		*list(f) = append(*list(f), value)
		return nil
	}
}

func setUnwind(f *Flags, value string) error {
	loop, bound, err := parseUnwind(value)
	switch {
	case err != nil:
		return err
	case loop == "":
		f.Unwind = &bound
	default:
		if f.Loops == nil {
			f.Loops = map[string]int{}
		}
		f.Loops[loop] = bound
	}
	return nil
}

func setCheck(on bool) func(*Flags, string) error {
	return func(f *Flags, value string) error {
		kind, err := ParseKind(value)
		if err != nil {
			return err
		}
		if f.Checks == nil {
			f.Checks = map[found.Kind]bool{}
		}
		f.Checks[kind] = on
		return nil
	}
}

func readChecks(r *reader, at keyPath, v any, to target) {
	t, ok := r.table(at, v)
	if !ok {
		return
	}
	to.settings.Checks = map[found.Kind]bool{}
	for name, v := range t {
		at := at.key(name)
		kind, err := ParseKind(name)
		if err != nil {
			r.badKey(at, "%s", err)
		} else if on := boolForm.read(r, at, v); on != nil {
			to.settings.Checks[kind] = *on
		}
	}
}

func checkWords(s *Settings, p *Proof) (words []string) {
	for _, kind := range slices.Sorted(maps.Keys(s.Checks)) {
		flag := "--no-check"
		if p.Options.Checks[kind] {
			flag = "--check"
		}
		words = append(words, flag, string(kind))
	}
	return words
}

func readLoops(r *reader, at keyPath, v any, to target) {
	loops, ok := r.table(at, v)
	if !ok {
		return
	}
	for loop, v := range loops {
		at := at.key(loop)
		if err := checkLoop(loop); err != nil {
			r.badKey(at, "%s", err)
		} else if n := boundForm.read(r, at, v); n != nil {
			to.proof.Loops[loop] = *n
			if offset := r.keyAt(at); offset >= 0 {
				to.proof.LoopLines[loop], _ = lineColumn(r.text, offset)
			}
		}
	}
}
