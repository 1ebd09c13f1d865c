package diagnostics

import (
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Schema is the version of the JSON of a Document (contract, section 6).
const Schema = 1

// Document is the result of one run of check.
type Document struct {
	Schema    int       `json:"schema"`
	Tool      string    `json:"tool"` // "unitproof VERSION"
	Toolchain Toolchain `json:"toolchain"`
	Proofs    []Proof   `json:"proofs"`
	Shard     *Shard    `json:"shard,omitempty"`
	// Notes are deviations from the request that change no verdict: an unreachable cluster.
	Notes []string `json:"notes,omitempty"`
	// Beside is the data that the JSON of the proofs lacks, in their order. It is set in documents from which other
	// processes take results.
	Beside []Beside `json:"beside,omitempty"`
}

// Toolchain lists the external programs of the run.
type Toolchain struct {
	Clang   string   `json:"clang"`
	Solvers []string `json:"solvers"`
}

// Proof is the result of one unit proof.
type Proof struct {
	Name        string        `json:"name"`
	File        string        `json:"file"`
	Entry       string        `json:"entry"`
	Verdict     found.Verdict `json:"verdict"`
	Options     Options       `json:"options"`
	Reason      string        `json:"reason,omitempty"` // for every verdict but failed and proved
	Errors      []Error       `json:"errors,omitempty"`
	Assumptions []Assumption  `json:"assumptions"`
	// NotDone are the codes of what was not checked or was assumed; empty for a plain proved.
	NotDone []NotDone `json:"not_done"`
	// Obligations are the findings, sorted by file, line, column and kind.
	Obligations []Finding `json:"obligations"`
	Stats       Stats     `json:"stats"`
	// Loops are the user's loops, sorted by position.
	Loops []Loop `json:"loops,omitempty"`
	// Core and Branches are the output of check --explain. Core is nil without --explain, or if it was not found.
	Core     *ProofCore `json:"proof_core,omitempty"`
	Branches []Branch   `json:"branches,omitempty"`
	// RestsOn is set on request, if the result does not depend on the machine.
	RestsOn *RestsOn `json:"rests_on,omitempty"`

	explained bool // --explain was given

	// Assumes are the conditions that the user's code assumes, sorted by file and position.
	Assumes []string `json:"-"`
	// OneValue are the inputs for which assumptions leave one value, and Chooses reports that some execution asks for
	// an arbitrary value. Both are set by --explain.
	OneValue []OneValue `json:"-"`
	Chooses  bool       `json:"-"`
	// Why is the data behind Reason, with file names relative to the root.
	Why found.Reason `json:"-"`
	// Engine has the engine's counters, for --stats; it is not part of the JSON.
	Engine *vcgen.Stats `json:"-"`
}

// Finding is all instances of one obligation: one kind at one line and column.
type Finding struct {
	ID      string        `json:"id"`
	Kind    found.Kind    `json:"kind"`
	CWE     []string      `json:"cwe,omitempty"` // of the kind
	Verdict found.Verdict `json:"verdict"`
	Message string        `json:"message"`
	Reason  string        `json:"reason,omitempty"`
	File    string        `json:"file"`
	Line    int           `json:"line"`
	Column  int           `json:"column"`
	// StartLine to EndColumn is the range to underline. It begins at or before Line and Column (before the operator,
	// for a binary expression) and ends behind its last byte. It is the position itself if no expression is known
	// there.
	StartLine   int    `json:"start_line"`
	StartColumn int    `json:"start_column"`
	EndLine     int    `json:"end_line"`
	EndColumn   int    `json:"end_column"`
	Function    string `json:"function"`
	// CallPath leads to the position, outermost call first. If it continues below the user's own files, it includes
	// the finding's own frame at that boundary. Of more than 128 calls the middle is left out.
	CallPath    []Frame     `json:"call_path"`
	Instances   int         `json:"instances"`
	Cached      bool        `json:"cached"`
	Loop        string      `json:"loop,omitempty"`
	Bound       int         `json:"bound,omitempty"`
	VacuityCore []CoreEntry `json:"vacuity_core,omitempty"`
	// Core, InputsUsed and Independent are the output of check --explain, for proved findings and for assertions.
	Core        *ProofCore    `json:"proof_core,omitempty"`
	InputsUsed  *[]InputUse   `json:"inputs_used,omitempty"`
	Independent string        `json:"independent,omitempty"` // WrittenTrue, WithoutInput or ""
	Inputs      []found.Input `json:"inputs,omitempty"`
	// Trace has the steps that the violation depends on, with loops folded (Step.Skipped), or all steps
	// (vcgen.Options.FullTrace).
	Trace []found.Step `json:"trace,omitempty"`
	// Operands are the values at the violation. If an assertion fails by one comparison, Actual is the value of its
	// left side and Expected that of its right side: "99", or "<= 99" for an operator other than ==.
	Operands []found.Operand `json:"operands,omitempty"`
	Actual   string          `json:"actual,omitempty"`
	Expected string          `json:"expected,omitempty"`
	Replay   string          `json:"replay,omitempty"` // of failed findings; a constant such as Replayed
	// ReplayDetail is a sentence about the native run: its result, or the reason that there was none.
	ReplayDetail string `json:"replay_detail,omitempty"`
	// InTheWay is a counterexample to induction for the finding; nil if none is known.
	InTheWay *Obstacle `json:"in_the_way,omitempty"`
	// Accepted reports that an [[accept]] rule covers the finding. It is shown, but does not affect the proof's
	// verdict.
	Accepted     bool   `json:"accepted,omitempty"`
	AcceptReason string `json:"accept_reason,omitempty"`

	// Why is the data behind Reason, with file names relative to the root.
	Why found.Reason `json:"-"`
	// Run is the execution of a failed finding's counterexample; it is not part of the JSON.
	Run found.Run `json:"-"`
	// Memory is the memory near the violation of a failed finding; nil if there is none to show.
	Memory *found.Memory `json:"-"`
	// Condition is the source text of a false assertion, Values the values that Message quotes: "r <= hi", "r = 100,
	// hi = 99".
	Condition string `json:"-"`
	Values    string `json:"-"`
	// Related are further places that Message mentions, relative to the root.
	Related []Related `json:"-"`
	// Share is the share of the engine's time for the finding's instances, from 0 to 1; 0 if not measured. It comes
	// from the run that decided the finding, and is not part of the JSON.
	Share float64 `json:"-"`
}

// Related is a place that a finding mentions, with a text about it.
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

// Frame is one call on the path to a finding.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// CoreEntry is an assumption or branch that takes part in a contradiction. The text of a branch that the
// contradiction needs to be false is negated: "!(n > 0)". If the branch's condition is not certain, Text is its
// source line and Taken is nil.
type CoreEntry struct {
	Kind   found.CoreKind `json:"kind"`
	Text   string         `json:"text"`
	Taken  *bool          `json:"taken,omitempty"` // for a branch
	File   string         `json:"file"`
	Line   int            `json:"line"`
	Column int            `json:"column"`
	// Condition is Text without its negation if Taken is false, else equal to Text. It is not part of the JSON.
	Condition string `json:"-"`
}

// negated reports whether the contradiction needs the condition to be false.
func (c *CoreEntry) negated() bool { return c.Taken != nil && !*c.Taken }

// Assumption is an unchecked fact that the verdicts rest on.
type Assumption struct {
	Kind    string   `json:"kind"`
	Message string   `json:"message"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Affects []string `json:"affects"` // IDs of findings

	// Is is the assumption as data, with file names relative to the root.
	Is found.Assumption `json:"-"`
}

// Error is the reason that a proof could not be run: a message of the compiler or linker, a missing entry.
type Error struct {
	Message string `json:"message"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`

	// Lacks names the missing declaration, definition or file, if that is the error.
	Lacks found.Lack `json:"-"`
}

// Options are the settings of a proof's run.
type Options struct {
	Unwind        int            `json:"unwind"` // 0: automatic
	Loops         map[string]int `json:"loops,omitempty"`
	Timeout       string         `json:"timeout,omitempty"`
	MallocMayFail bool           `json:"malloc_may_fail"`
	MissingBody   string         `json:"missing_body"`
	Vacuity       string         `json:"vacuity"`
	// Checks has the kinds that are not at their default.
	Checks   map[string]bool `json:"checks,omitempty"`
	Flags    []string        `json:"flags,omitempty"`
	Sources  []string        `json:"sources,omitempty"`
	Override []string        `json:"override,omitempty"`
	// RemoveBodies are functions whose definitions in Sources are ignored.
	RemoveBodies []string      `json:"remove_bodies,omitempty"`
	MaxLen       int           `json:"max_len,omitempty"` // of a fuzz target
	NondetStatic bool          `json:"nondet_static,omitempty"`
	Target       string        `json:"target,omitempty"` // the machine, if settings choose one
	Expect       found.Verdict `json:"expect,omitempty"`
}

// Stats are the costs of one proof; times are in milliseconds.
type Stats struct {
	CompileMS     int64 `json:"compile_ms"`
	VCGenMS       int64 `json:"vcgen_ms"`
	SolveMS       int64 `json:"solve_ms"`
	TotalMS       int64 `json:"total_ms"`         // wall-clock time
	CPUMS         int64 `json:"cpu_ms,omitempty"` // of all processes of the proof; the timeout counts it; 0 if not measured
	MemoryMB      int64 `json:"memory_mb"`
	Obligations   int   `json:"obligations"`
	SolverQueries int   `json:"solver_queries"`
	CacheHits     int   `json:"cache_hits"`
}

// NewDocument returns a document of the current schema. Nil slices become empty ones, so that they marshal to [].
func NewDocument(tool string, toolchain Toolchain, proofs []Proof) Document {
	if toolchain.Solvers == nil {
		toolchain.Solvers = []string{}
	}
	if proofs == nil {
		proofs = []Proof{}
	}
	return Document{Schema: Schema, Tool: tool, Toolchain: toolchain, Proofs: proofs}
}

// ErrorProof returns a proof that failed before it reached the engine. An empty reason is replaced by the first
// error's message.
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
	p.NotDone = p.notDone()
	return p
}

// Finding returns the finding with an ID, or nil.
func (p *Proof) Finding(id string) *Finding {
	for i := range p.Obligations {
		if p.Obligations[i].ID == id {
			return &p.Obligations[i]
		}
	}
	return nil
}

// OptionsOf translates the engine's options. The caller sets Timeout, Flags, Sources, Override and Expect.
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

// Behind reports whether the finding is unknown only because an earlier check failed or is unknown. Such a finding is
// listed, but gets no diagnostic.
func (f *Finding) Behind() bool { return f.Verdict == found.Unknown && f.Why.Behind() }

// Reported reports whether the finding gets a diagnostic: it is failed, vacuous, unknown or bounded, and not Behind.
// Accepted findings are reported too; callers show them as accepted.
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

// Sources returns the content of a file, or nil if it cannot be read. The name is the one in findings: relative to
// the root if the file lies below it, else as the compiler printed it. The bytes need not be UTF-8. A nil Sources has
// no files.
type Sources func(file string) []byte
