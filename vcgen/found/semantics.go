package found

// MissingBodies selects the treatment of called functions without a body.
type MissingBodies string

// Treatments of functions without a body.
const (
	MissingHavoc MissingBodies = "havoc"
	MissingPure  MissingBodies = "pure"
	MissingError MissingBodies = "error"
)

// Semantics are the options that decide which executions a program has, and which of them violate an obligation.
// Symbolic execution and the interpreter share them.
type Semantics struct {
	Checks        map[Kind]bool
	MallocMayFail bool
	MissingBody   MissingBodies
	// UserFile reports whether a source file belongs to the user, not to the models of libc or to system headers; nil:
	// all do.
	UserFile func(file string) bool
}
