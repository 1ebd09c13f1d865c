package diagnostics

import (
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Schema is the version of the JSON that Document marshals to (contract, section 6).
const Schema = 1

// Document is the result of one run of check.
type Document struct {
	Schema    int       `json:"schema"`
	Tool      string    `json:"tool"` // "unitproof VERSION"
	Toolchain Toolchain `json:"toolchain"`
	Proofs    []Proof   `json:"proofs"`
	Shard     *Shard    `json:"shard,omitempty"`
	// Notes say what was otherwise than asked for and changes no verdict: a cluster that was not there.
	Notes []string `json:"notes,omitempty"`
	// Beside is what the JSON of the proofs leaves out, in their order, in documents that others take results from.
	Beside []Beside `json:"beside,omitempty"`
}

// Toolchain names the programs that took part.
type Toolchain struct {
	Clang   string   `json:"clang"`
	Solvers []string `json:"solvers"`
}

// Proof is what is known about one unit proof.
type Proof struct {
	Name        string        `json:"name"`
	File        string        `json:"file"`
	Entry       string        `json:"entry"`
	Verdict     found.Verdict `json:"verdict"`
	Options     Options       `json:"options"`
	Reason      string        `json:"reason,omitempty"` // for every verdict but failed and proved
	Errors      []Error       `json:"errors,omitempty"`
	Assumptions []Assumption  `json:"assumptions"`
	// Obligations are the findings, by file, line, column and kind.
	Obligations []Finding `json:"obligations"`
	Stats       Stats     `json:"stats"`
	// Loops are the user's loops, by their places.
	Loops []Loop `json:"loops,omitempty"`
	// Core and Branches are what check --explain adds. Core is nil where it was not asked for or not found out.
	Core     *ProofCore `json:"proof_core,omitempty"`
	Branches []Branch   `json:"branches,omitempty"`
	// RestsOn is there where it was asked for, and the result is the same wherever it is worked out.
	RestsOn *RestsOn `json:"rests_on,omitempty"`

	explained bool // --explain asked about it

	// Assumes are the conditions that the user's code assumes, by file and place.
	Assumes []string `json:"-"`
	// Why is Reason as data, with the places in it relative to the root.
	Why found.Reason `json:"-"`
	// Engine holds the engine's own counters, for --stats; it is not part of the JSON.
	Engine *vcgen.Stats `json:"-"`
}

// Finding is all instances of one obligation: one kind at one line and column.
type Finding struct {
	ID      string        `json:"id"`
	Kind    found.Kind    `json:"kind"`
	Verdict found.Verdict `json:"verdict"`
	Message string        `json:"message"`
	Reason  string        `json:"reason,omitempty"`
	File    string        `json:"file"`
	Line    int           `json:"line"`
	Column  int           `json:"column"`
	// What a person would underline: from StartLine and StartColumn, which lie before an operator's place, to the column
	// behind the last byte; the place itself where nothing more is known.
	StartLine   int    `json:"start_line"`
	StartColumn int    `json:"start_column"`
	EndLine     int    `json:"end_line"`
	EndColumn   int    `json:"end_column"`
	Function    string `json:"function"`
	// CallPath leads to the place, outermost call first; where it goes on below the user's own
	// files, the finding's own frame stands between. Of more than 128 calls the middle is left out.
	CallPath    []Frame     `json:"call_path"`
	Instances   int         `json:"instances"`
	Cached      bool        `json:"cached"`
	Loop        string      `json:"loop,omitempty"`
	Bound       int         `json:"bound,omitempty"`
	VacuityCore []CoreEntry `json:"vacuity_core,omitempty"`
	// Core, InputsUsed and Independent are what check --explain adds, to what is proved and to assertions.
	Core        *ProofCore    `json:"proof_core,omitempty"`
	InputsUsed  *[]InputUse   `json:"inputs_used,omitempty"`
	Independent string        `json:"independent,omitempty"` // WrittenTrue or WithoutInput; "" mostly
	Inputs      []found.Input `json:"inputs,omitempty"`
	// Trace holds the steps that the violation depends on, with loops folded (Step.Skipped), or all steps
	// (vcgen.Options.FullTrace).
	Trace []found.Step `json:"trace,omitempty"`
	// Operands are the values that the violating place worked with. Where an assertion fails by one
	// comparison, Actual is what its left side was and Expected what it was compared with: "99", or
	// "<= 99" for an operator other than ==.
	Operands []found.Operand `json:"operands,omitempty"`
	Actual   string          `json:"actual,omitempty"`
	Expected string          `json:"expected,omitempty"`
	Replay   string          `json:"replay,omitempty"` // of failed ones; see Replayed and its siblings
	// ReplayDetail says Replay in a sentence: what the native run met, or why there was none.
	ReplayDetail string `json:"replay_detail,omitempty"`
	// InTheWay is a state that keeps it from being shown for every number of iterations; nil: none is known.
	InTheWay *Obstacle `json:"in_the_way,omitempty"`
	// Accepted: an [[accept]] rule covers it. It is shown, and takes no part in the verdict.
	Accepted     bool   `json:"accepted,omitempty"`
	AcceptReason string `json:"accept_reason,omitempty"`

	// Why is Reason as data, with the places in it relative to the root.
	Why found.Reason `json:"-"`
	// Run is the counterexample's execution, of failed ones; it is not part of the JSON.
	Run found.Run `json:"-"`
	// Memory is what memory holds at the violation, of failed ones, as far as it is near; nil where there is nothing.
	Memory *found.Memory `json:"-"`
	// Condition is that of an assertion that is false, as the source has it, and Values are what it was computed from, as
	// Message says them: "r <= hi", "r = 100, hi = 99".
	Condition string `json:"-"`
	Values    string `json:"-"`
	// Related are places that Message is about beside the finding's own, relative to the root.
	Related []Related `json:"-"`
	// Share is the part of the engine's time that its instances took, from 0 to 1, in the run that found it out; 0 where
	// that was not measured. It is not part of the JSON.
	Share float64 `json:"-"`
}

// Related is a place that a finding is about, and what it has to do with it.
type Related struct {
	Text string
	File string
	Line int
}

// Values of Finding.Replay.
const (
	Replayed     = "reproduced"
	NotReplayed  = "not-reproduced"
	ReplayNotRun = "not-run"
)

// Frame is one call on the way to a finding.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// CoreEntry is an assumption or branch that takes part in a contradiction. The text of a branch
// that the contradiction needs to be false is negated: "!(n > 0)". Where the branch's own condition
// is not certain, the text is that of its line and Taken is nil.
type CoreEntry struct {
	Kind   string `json:"kind"` // assume, branch
	Text   string `json:"text"`
	Taken  *bool  `json:"taken,omitempty"` // of a branch
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// Condition is what Text negates where Taken is false, else equal to it. It is not part of the JSON.
	Condition string `json:"-"`
}

// negated tells whether the contradiction needs the condition to be false.
func (c *CoreEntry) negated() bool { return c.Taken != nil && !*c.Taken }

// Assumption is something that the verdicts rest on and that was not checked.
type Assumption struct {
	Kind    string   `json:"kind"`
	Message string   `json:"message"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Affects []string `json:"affects"` // IDs of findings

	// Is it as data, with the places in it relative to the root.
	Is found.Assumption `json:"-"`
}

// Error is why a proof could not be tried: a compiler's or linker's message, a missing entry.
type Error struct {
	Message string `json:"message"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`

	// Lacks is what was not found, where that is the error.
	Lacks found.Lack `json:"-"`
}

// Options are the settings that a proof was run with.
type Options struct {
	Unwind        int            `json:"unwind"` // 0: automatic
	Loops         map[string]int `json:"loops,omitempty"`
	Timeout       string         `json:"timeout,omitempty"`
	MallocMayFail bool           `json:"malloc_may_fail"`
	MissingBody   string         `json:"missing_body"`
	Vacuity       string         `json:"vacuity"`
	// Checks holds the kinds that are switched otherwise than by default.
	Checks   map[string]bool `json:"checks,omitempty"`
	Flags    []string        `json:"flags,omitempty"`
	Sources  []string        `json:"sources,omitempty"`
	Override []string        `json:"override,omitempty"`
	// RemoveBodies are functions whose definitions in Sources do not count.
	RemoveBodies []string      `json:"remove_bodies,omitempty"`
	MaxLen       int           `json:"max_len,omitempty"` // of a fuzz target
	NondetStatic bool          `json:"nondet_static,omitempty"`
	Expect       found.Verdict `json:"expect,omitempty"`
}

// Stats are the costs of one proof; times are in milliseconds.
type Stats struct {
	CompileMS     int64 `json:"compile_ms"`
	VCGenMS       int64 `json:"vcgen_ms"`
	SolveMS       int64 `json:"solve_ms"`
	TotalMS       int64 `json:"total_ms"`         // on the wall
	CPUMS         int64 `json:"cpu_ms,omitempty"` // of all processes of the proof, which the timeout counts; 0: not measured
	MemoryMB      int64 `json:"memory_mb"`
	Obligations   int   `json:"obligations"`
	SolverQueries int   `json:"solver_queries"`
	CacheHits     int   `json:"cache_hits"`
}

// NewDocument returns a document of the current schema. Nil slices become empty ones, so that
// they marshal to [].
func NewDocument(tool string, toolchain Toolchain, proofs []Proof) Document {
	if toolchain.Solvers == nil {
		toolchain.Solvers = []string{}
	}
	if proofs == nil {
		proofs = []Proof{}
	}
	return Document{Schema: Schema, Tool: tool, Toolchain: toolchain, Proofs: proofs}
}

// ErrorProof returns the proof that did not get as far as the engine. The caller's Reason says
// it in a line; with none given it is the first error's message.
func ErrorProof(meta ProofMeta, reason string, errors ...Error) Proof {
	p := meta.proof()
	p.Verdict = found.Error
	for _, e := range errors {
		e.File = meta.Root.Show(e.File)
		p.Errors = append(p.Errors, e)
	}
	if reason == "" && len(errors) > 0 {
		reason = errors[0].Message
	}
	if p.Reason = reason; reason == "" {
		p.Reason = phrase.NoReason
	}
	return p
}

// Finding returns the finding with an ID, nil if there is none.
func (p *Proof) Finding(id string) *Finding {
	for i := range p.Obligations {
		if p.Obligations[i].ID == id {
			return &p.Obligations[i]
		}
	}
	return nil
}

// OptionsOf translates the engine's options; Timeout, Flags, Sources, Override and Expect are the
// caller's to fill in.
func OptionsOf(o vcgen.Options) Options {
	out := Options{
		Unwind: o.Unwind, MallocMayFail: o.MallocMayFail,
		MissingBody: string(o.MissingBody), Vacuity: string(o.Vacuity),
	}
	if len(o.Loops) > 0 {
		out.Loops = map[string]int{}
		for k, v := range o.Loops {
			out.Loops[k] = v
		}
	}
	if o.Checks != nil {
		for k, normally := range found.DefaultChecks() {
			if on := o.Checks[k]; on != normally {
				if out.Checks == nil {
					out.Checks = map[string]bool{}
				}
				out.Checks[string(k)] = on
			}
		}
	}
	return out
}

// Behind tells whether the finding is unknown only because a violation, or what is unknown, stands before it; such a
// finding is listed and gets no diagnostic.
func (f *Finding) Behind() bool { return f.Verdict == found.Unknown && f.Why.Behind() }

// Reported tells whether the finding deserves a diagnostic: failed, vacuous, unknown or bounded,
// and not Behind. Accepted findings are reported too; callers show them as accepted.
func (f *Finding) Reported() bool {
	switch f.Verdict {
	case found.Proved, found.Unreached:
		return false
	}
	return !f.Behind()
}

func (f *Finding) setRange(r source.Range) {
	f.StartLine, f.StartColumn, f.EndLine, f.EndColumn = r.StartLine, r.StartColumn, r.EndLine, r.EndColumn
}

func (f *Finding) textRange() source.Range {
	return source.Range{StartLine: f.StartLine, StartColumn: f.StartColumn, EndLine: f.EndLine, EndColumn: f.EndColumn}
}

// Sources returns the content of a file by the name that stands in findings: relative to the
// root where the file lies below it, else as the compiler wrote it. It returns nil for a file that
// cannot be read. The bytes need not be UTF-8. A nil Sources knows no file.
type Sources func(file string) []byte
