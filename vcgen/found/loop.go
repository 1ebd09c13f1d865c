package found

// Loop is a loop of the program with the way in which a proof executed it.
type Loop struct {
	Name   string     `json:"loop"` // "fill#1"
	Method LoopMethod `json:"method"`
	// Iterations is the greatest number of executions of its body, if it was unrolled.
	Iterations int `json:"iterations,omitempty"`
	// Invariants hold at its head, if it was not unrolled.
	Invariants []Invariant `json:"invariants,omitempty"`
	// Before is the number of arrivals at the head at which the invariants that were found may not hold.
	Before int `json:"before,omitempty"`
	// Unwritten counts the invariants found that have no form in C.
	Unwritten int `json:"unwritten,omitempty"`
	// MayNotEnd: termination was neither observed nor proved. Results about code behind the loop assume it.
	MayNotEnd bool `json:"may_not_end,omitempty"`
	// NoExit: no branch leaves the loop, so each execution that enters it stays in it.
	NoExit bool `json:"no_exit,omitempty"`
	At     Pos  `json:"at"`
}

// LoopMethod is the way in which the iterations of a loop are represented.
type LoopMethod string

// Methods. All except Unrolled hold for any number of iterations. The values occur in JSON and in caches.
const (
	Unrolled   LoopMethod = "unrolled"  // each iteration, as far as they were executed
	Summary    LoopMethod = "summary"   // a closed form of all iterations
	Induction  LoopMethod = "induction" // one arbitrary iteration, with invariants that the engine found
	ByContract LoopMethod = "contract"  // one arbitrary iteration, with invariants that the user wrote
)

// Invariant is a condition that holds whenever control reaches a loop head.
type Invariant struct {
	Text   string `json:"text"` // in C, with the primitives of contracts
	Origin Origin `json:"origin"`
}

// Origin is the author of an invariant: the engine or the user.
type Origin string

// The origins.
const (
	Found   Origin = "found"
	Written Origin = "written"
)
