// Package seair holds SEA-IR in its pure data-flow form: what the unfolding of a program
// leaves is a list of events in execution order over hash-consed terms (the registers).
// There are no branches, loops or calls in it; when an event happens is its guard.
//
// The log is the semantics: every question about an event selects from the events before
// it by kind, so that nothing that comes later can help (chain.go). The package
// knows nothing of LLVM: places are positions with a chain of calls.
package seair

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Site is a place in the program with the calls that led there.
type Site struct {
	ID     int // of the instruction, unique in the module; 0 for what belongs to none
	Pos    found.Pos
	Caller *Site // the call, nil in the entry
	Depth  int   // number of callers
}

// EventKind tells the variants of Event apart.
type EventKind uint8

// Kinds of events.
const (
	Axiom       EventKind = iota // holds in every execution: restricts auxiliary symbols only
	Assume                       // executions go on only where Guard implies Cond
	Obligation                   // Cond must hold where Guard does; executions go on only where it held
	Cut                          // a loop or recursion was cut off where Guard holds
	End                          // an execution ends here: return of the entry, exit, abort
	Unsupported                  // a construct that was not understood: what follows is unknown
)

func (k EventKind) String() string {
	return [...]string{"axiom", "assume", "obligation", "cut", "end", "unsupported"}[k]
}

// Event is an entry of the log. Guard holds branch conditions only; assumptions and held
// obligations stay events.
type Event struct {
	Kind  EventKind
	Guard smt.Term
	Cond  smt.Term // axiom, assume, obligation
	Site  *Site

	Check      found.Kind // obligation: what it is about
	ConstFalse bool       // obligation: the condition was written as the constant false
	Accepted   bool       // obligation: not assumed to hold for what follows
	HasValue   bool       // assume: what a contract says has a value. Behind a violation, it may have none.
	// Coincidence is when the obligation is violated by what the execution may do without: an arbitrary number that
	// happens to be an address. A counterexample avoids it. 0: never.
	Coincidence smt.Term
	// Loop and Bound of a cut; Text of an unsupported construct, and of an obligation what its failure says of itself.
	Loop  string
	Bound int
	Text  string
	// Region of a cut: what the cut-off code can lead to, an index into Log.Regions.
	Region int
}

// Input is a choice that an execution makes where Guard holds: a scalar (Value) or the
// bytes of a range (Content). They are logged in execution order.
type Input struct {
	Kind    choice.Kind
	Site    int
	Name    string
	Guard   smt.Term
	Value   smt.Term // 0 as long as nobody asked for it: any value will do
	Content smt.Func
	Bytes   bool // Content is valid
	Bits    int  // width of Value when it is made on demand
	Library bool // it stands for a result of the C library, or of rounding in another mode, that is not modelled
	Object  int  // Object, MissingBody: number of the object
}

// Log is the unfolded program.
type Log struct {
	C      *smt.Context
	Events []Event
	Inputs []*Input
}

// Verify checks what the queries rest on: conditions and guards are Booleans, obligations
// have kinds, every guard of an axiom is true.
func (l *Log) Verify() error {
	for i, e := range l.Events {
		switch {
		case !l.C.Sort(e.Guard).IsBool():
			return fmt.Errorf("event %d (%s): the guard is no Boolean", i, e.Kind)
		case e.Kind <= Obligation && (e.Cond == 0 || !l.C.Sort(e.Cond).IsBool()):
			return fmt.Errorf("event %d (%s): the condition is no Boolean", i, e.Kind)
		case e.Kind == Obligation && e.Check == "":
			return fmt.Errorf("event %d: an obligation without a kind", i)
		case e.Kind == Axiom && !l.C.IsTrue(e.Guard):
			return fmt.Errorf("event %d: an axiom under a guard", i)
		case e.Kind != Axiom && e.Site == nil:
			return fmt.Errorf("event %d (%s): no place", i, e.Kind)
		}
	}
	for i, in := range l.Inputs {
		if !l.C.Sort(in.Guard).IsBool() {
			return fmt.Errorf("input %d (%s): the guard is no Boolean", i, in.Kind)
		}
	}
	return nil
}
