package project

import (
	"slices"
	"time"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Proof is one unit proof with all settings of its configuration.
type Proof struct {
	Name        string // unique in the workspace
	File, Entry string
	// Contract reports whether the proof is the proof of Entry's contract.
	Contract         bool
	Contracts        string   // "use" or "inline"
	LoopContracts    bool     // loops are cut by their contracts
	UseContracts     []string // functions
	Line, Column     int      // position of the entry's name; 0 if its definition was not found in the file
	EntryUnit        Unit
	Sources          []Unit   // further files to link
	Overrides        []Unit   // their definitions override linked ones
	RemoveBodies     []string // functions whose definitions in Sources are ignored
	Input            *Input   // the only input of a fuzz target to try; nil: all
	MaxLen           int      // maximal size of an input of a fuzz target
	NondetStatic     bool     // non-constant variables with static storage start with arbitrary values
	SourceCandidates []Unit   // files of compile_commands.json that may define missing names; see Definitions
	Options          vcgen.Options
	// Target is the machine that the proof is checked for; "" if only its flags choose one. Targets are the machines of
	// the settings: the listing has one proof for each.
	Target  string
	Targets []string
	// LoopLines maps names in Options.Loops that are set for this proof only to their lines in Config; 0 stands for the
	// command line.
	LoopLines map[string]int
	Timeout   time.Duration
	MaxMemory int64         // bytes
	Expect    found.Verdict // "" : only proved is good
	Accepts   []Accept      // Options.Accept with reasons
	// AcceptSurvivors are the mutations that need not be detected.
	AcceptSurvivors []AcceptSurvivor
	Clang           string   // "" : the toolchain's default
	Config          string   // the unitproof.toml of the proof, or ""
	RemoveFlags     []string // already applied to the flags of compile_commands.json
}

// Start returns the function that the proof begins with: the entry, or the function that proves its contract.
func (p *Proof) Start() string {
	if p.Contract {
		return language.EnforcePrefix + p.Entry
	}
	return p.Entry
}

// IsFuzzTarget reports whether the proof's entry is called in the way of libFuzzer.
func (p *Proof) IsFuzzTarget() bool { return p.Entry == language.FuzzTarget && !p.Contract }

// Accept adds rules for accepted findings.
func (p *Proof) Accept(rules []Accept) {
	p.Accepts, p.Options.Accept = slices.Clip(p.Accepts), slices.Clip(p.Options.Accept)
	for _, a := range rules {
		p.Accepts = append(p.Accepts, a)
		p.Options.Accept = append(p.Options.Accept, vcgen.AcceptRule{Kind: a.Kind, Function: a.Function, Lines: a.Lines})
	}
}
