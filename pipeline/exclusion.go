package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Exclusion holds the conditions over the inputs of a proof that exclude a failure, the weakest first.
type Exclusion struct {
	Proof      string         `json:"proof"`
	Entry      string         `json:"entry"`
	Finding    string         `json:"finding"`
	Kind       found.Kind     `json:"kind"`
	Message    string         `json:"message"` // of the finding
	File       string         `json:"file"`
	Line       int            `json:"line"`
	Conditions []Precondition `json:"conditions"`
	// FailingSet is the set of inputs that fail, as far as it is known.
	FailingSet *FailingSet `json:"failing_set,omitempty"`
	// Typical is a counterexample with values that are not extreme; nil if the finding's is, or if there is none.
	Typical *Example `json:"typical,omitempty"`
	// Function is the function that the entry calls on the way to the failure, FunctionFile its file. They are "" if the
	// entry itself fails.
	Function     string `json:"function,omitempty"`
	FunctionFile string `json:"function_file,omitempty"`
	// Callers are the callers of Function in the project, with the result of the condition Asked at their calls.
	// OtherCallers is the number of callers that were not checked.
	Asked        string   `json:"asked,omitempty"`
	Callers      []Caller `json:"callers,omitempty"`
	OtherCallers int      `json:"other_callers,omitempty"`
	// Guard excludes the failure in the code under proof; nil if none is known.
	Guard *Guard `json:"guard,omitempty"`
	// Reason is why there are no conditions, or why there may be more.
	Reason string `json:"reason,omitempty"`
	Checks int    `json:"checks"` // runs of the proof with an assumption
	MS     int64  `json:"ms"`
}

// FailingSet is a condition over the inputs that all failing executions satisfy.
type FailingSet struct {
	Condition string `json:"condition"` // in C; "1": every execution that reaches the place fails
	// Exact: every execution that reaches the place and satisfies the condition fails.
	Exact bool `json:"exact"`
	// Allocated: that is so of the executions in which no allocation fails.
	Allocated bool `json:"unless_allocation_fails,omitempty"`
	// Unallocated: an allocation fails in all failing executions. Condition is "1" then.
	Unallocated bool `json:"only_if_allocation_fails,omitempty"`
	// NoInput: the program has no inputs. Whether an execution fails depends on what C leaves open, such as addresses and
	// memory that was never written. Condition is "1" then, and some executions fail.
	NoInput bool `json:"no_input,omitempty"`
	// Bounded: others do not fail as far as loops were unrolled.
	Bounded bool `json:"bounded,omitempty"`
	// Inputs are the inputs in Condition that have no name in the code, with the calls that make them: "input is
	// nd_uint()".
	Inputs []string `json:"inputs,omitempty"`
}

// Sentence returns the set in words.
func (s *FailingSet) Sentence() string {
	text := "it fails only if `" + s.Condition + "`"
	switch {
	case s.NoInput:
		text = "no input decides whether it fails: addresses, unwritten memory or allocations do"
	case s.Unallocated:
		text = "it fails only if an allocation fails"
	case s.Condition == always && s.Allocated:
		text = "every execution that reaches it fails, unless an allocation fails"
	case s.Condition == always:
		text = "every execution that reaches it fails"
	case s.Exact && s.Allocated:
		text = "it fails whenever `" + s.Condition + "`, unless an allocation fails, and only then"
	case s.Exact:
		text = "it fails whenever `" + s.Condition + "`, and only then"
	}
	if s.Bounded {
		text += ", as far as loops are unrolled"
	}
	if len(s.Inputs) > 0 {
		text += " (" + strings.Join(s.Inputs, ", ") + ")"
	}
	return text
}

// always is the condition that all executions satisfy.
const always = "1"

// Precondition is a condition that excludes a failure: the proof was checked with it, as it would be written.
type Precondition struct {
	Condition string `json:"condition"`
	Negation  string `json:"negation"` // the failing set, which Condition excludes
	// Text is the statement, to be put in front of the one at a line and column of a file.
	Text   string `json:"text"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// EndLine and EndColumn are the end of the statement that Text replaces: it gives names to inputs of the statement.
	// They are 0 if Text is only added.
	EndLine   int `json:"end_line,omitempty"`
	EndColumn int `json:"end_column,omitempty"`
	// Reaches is the last known place that executions under the condition reach.
	Reaches Reached `json:"reaches"`
	// Exact: every execution that reaches the place and does not satisfy the condition fails. Allocated: that is so of
	// the executions in which no allocation fails.
	Exact     bool `json:"exact,omitempty"`
	Allocated bool `json:"unless_allocation_fails,omitempty"`
	// Bounded: the failure is excluded as far as loops were unrolled.
	Bounded bool `json:"bounded,omitempty"`
	// Verdict is that of the proof with the condition, and Failing the number of findings that still fail.
	Verdict  found.Verdict `json:"verdict"`
	Failing  int           `json:"failing"`
	Question string        `json:"question"`
	// InCode is Condition in the names of the called function's parameters; "" if it has other names.
	InCode string `json:"in_code,omitempty"`

	is *precondition.Condition
}

// Reached is a place that an execution reaches.
type Reached string

// Places that executions under a condition reach.
const (
	ReachesPlace Reached = "failing place" // and nothing is violated there
	ReachesEnd   Reached = "end"           // of the proof, not the failing place
)

// ExcludeOptions bound a search for conditions. Zero values are defaults.
type ExcludeOptions struct {
	Most   int           // conditions that are found
	Checks int           // runs of the proof
	Time   time.Duration // CPU time of all of them

	check func(context.Context, Job) Result // nil: Pool.Check
}

// Effect is the outcome of the check with the condition, as a phrase: "the proof is proved then".
func (c *Precondition) Effect() string {
	var b strings.Builder
	switch {
	case c.Failing == 1:
		b.WriteString("another finding still fails then")
	case c.Failing > 1:
		fmt.Fprintf(&b, "%d other findings still fail then", c.Failing)
	default:
		fmt.Fprintf(&b, "the proof is %s then", c.Verdict)
	}
	if c.Reaches == ReachesEnd {
		b.WriteString(", and executions end without coming to the failing place")
	}
	if c.Bounded {
		b.WriteString(", as far as loops are unrolled")
	}
	return b.String()
}
