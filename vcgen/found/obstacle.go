package found

// Obstacle is a state that keeps a condition from being shown for every number of iterations: one that what is known at
// a loop's head allows, and from which the condition is violated. It need be a state of no execution of the program.
type Obstacle struct {
	// Loop is the loop ("fill#1") at whose head the state is, "" if that has no name, and At where what is known of the
	// state stands: its invariant.
	Loop string
	At   Pos
	// State are the variables in scope at the head, what they point to ("a[0 .. 15]"), and global variables.
	State []Variable
	// Violation is the violation; its trace begins at the head.
	Violation *Counterexample
}
