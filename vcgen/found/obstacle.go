package found

// Obstacle is a counterexample to induction: a state that the known invariants of a loop head allow, and from which a
// condition is violated.
//
// The program may never reach this state.
type Obstacle struct {
	// Loop is the loop ("fill#1") with the state at its head, "" if it has no name. At is the position of its
	// invariant.
	Loop string
	At   Pos
	// State has the variables in scope at the head, their targets ("a[0 .. 15]"), and global variables.
	State []Variable
	// Violation is the violation; its trace begins at the loop head.
	Violation *Counterexample
}
