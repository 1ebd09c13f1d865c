package found

// Loop is a loop of the program as a proof has executed it.
type Loop struct {
	Name   string     `json:"loop"` // "fill#1"
	Method LoopMethod `json:"method"`
	// Iterations is how often its body was executed at most, where it was unrolled.
	Iterations int `json:"iterations,omitempty"`
	// Invariants are known at its head, where it was not.
	Invariants []Invariant `json:"invariants,omitempty"`
	// Unwritten counts the invariants that were found and are no condition of C.
	Unwritten int `json:"unwritten,omitempty"`
	// MayNotEnd: that the loop ends was neither seen nor proved. What holds behind it holds if it does.
	MayNotEnd bool `json:"may_not_end,omitempty"`
	At        Pos  `json:"at"`
}

// LoopMethod says what stands for the iterations of a loop.
type LoopMethod string

// Methods. All but Unrolled hold for every number of iterations. The values are in JSON and in caches.
const (
	Unrolled   LoopMethod = "unrolled"  // the iterations themselves, as far as they were executed
	Summary    LoopMethod = "summary"   // what all of them do together
	Induction  LoopMethod = "induction" // an arbitrary one, with invariants that were found
	ByContract LoopMethod = "contract"  // an arbitrary one, with invariants that were written
)

// Invariant is a condition that holds at each arrival at a loop's head.
type Invariant struct {
	Text   string `json:"text"` // in C, with the words of contracts
	Origin Origin `json:"origin"`
}

// Origin tells who wrote an invariant.
type Origin string

// Origins.
const (
	Found   Origin = "found"
	Written Origin = "written"
)
