package found

// AuditKind is a question that a reviewer of proofs asks, as a kind of finding of the audit of a project.
type AuditKind string

// Severity is the loss of confidence in the proofs that a finding of the audit causes.
type Severity string

// Severities. High: a verdict says less than it seems to. Medium: it rests on something that a reviewer has to look at.
// Low: something is left out, knowingly.
const (
	High   Severity = "high"
	Medium Severity = "medium"
	Low    Severity = "low"
)

// Kinds of findings of the audit.
const (
	AuditNotProved    AuditKind = "not-proved"
	AuditNoExecution  AuditKind = "no-execution"
	AuditVacuous      AuditKind = "vacuous-assertion"
	AuditRepeats      AuditKind = "repeats-assumption"
	AuditTautology    AuditKind = "tautology"
	AuditAnyBody      AuditKind = "any-body"
	AuditNoInput      AuditKind = "no-input"
	AuditNarrow       AuditKind = "narrow-input"
	AuditWeakClause   AuditKind = "weak-clause"
	AuditNotRun       AuditKind = "not-run"
	AuditUnreached    AuditKind = "unreached-code"
	AuditUnproved     AuditKind = "unproved-contract"
	AuditOtherCall    AuditKind = "other-function"
	AuditVerifierOnly AuditKind = "verifier-only-code"
	AuditReplaced     AuditKind = "replaced-body"
	AuditMissingBody  AuditKind = "missing-body"
	AuditKindOff      AuditKind = "kind-off"
	AuditVacuityOff   AuditKind = "vacuity-off"
	AuditBound        AuditKind = "bound"
	AuditAccepted     AuditKind = "accepted"
	AuditNoAssert     AuditKind = "ndebug"
	AuditWeak         AuditKind = "weak"
	AuditNoProof      AuditKind = "no-proof"
)

// AuditInfo is a kind of finding of the audit with its meaning.
type AuditInfo struct {
	Kind     AuditKind
	Severity Severity
	Help     string
}

// auditKinds is the table of kinds, the worst first.
var auditKinds = [...]AuditInfo{
	{AuditNotProved, High, "a proof is not proved, and is not expected to be otherwise"},
	{AuditNoExecution, High, "no execution reaches an end of a proof: its assumptions contradict each other, or one " +
		"is false"},
	{AuditVacuous, High, "no execution reaches an assertion of a proof"},
	{AuditRepeats, High, "an assertion repeats an assumption, and nothing changes its operands in between"},
	{AuditTautology, High, "an assertion or a postcondition is always true, whatever its operands are"},
	{AuditAnyBody, High, "a postcondition or an invariant holds for any body that keeps its frame"},
	{AuditUnproved, High, "calls of a function are replaced by its contract, which no proof checks"},
	{AuditNoAssert, High, "NDEBUG is defined: assert() checks nothing"},
	{AuditVacuityOff, High, "reachability of the assertions of a proof is not checked"},
	{AuditOtherCall, Medium, "a proof is named after a function, or is of its contract, and its harness does not call it"},
	{AuditNoInput, Medium, "an assertion holds for all inputs, even without the assumptions"},
	{AuditNarrow, Medium, "the assumptions leave one value of an input: they cut most executions off"},
	{AuditUnreached, Medium, "code under proof is entered, and no execution of any proof takes a branch of it"},
	{AuditWeak, Medium, "a proof notices fewer small changes of the code than `--min-score` requires"},
	{AuditVerifierOnly, Medium, "other code is compiled for a verifier (#ifdef CBMC and the like)"},
	{AuditReplaced, Medium, "a body of the program is replaced, or left out, for a proof"},
	{AuditMissingBody, Medium, "a function without a body is called, and assumed to do anything, or nothing"},
	{AuditKindOff, Medium, "a kind that is checked by default is switched off"},
	{AuditBound, Medium, "a loop or recursion is cut: further iterations are not checked"},
	{AuditNotRun, Medium, "no command in the project's CI files checks a proof"},
	{AuditWeakClause, Low, "a clause of a specification is not needed, or could say more"},
	{AuditAccepted, Low, "a finding is accepted"},
	{AuditNoProof, Low, "a function of the files under proof is reached by no proof"},
}

// AuditTable lists the kinds with their meanings.
func AuditTable() []AuditInfo { return auditKinds[:] }

// AuditKinds lists the kinds.
func AuditKinds() (list []AuditKind) {
	for _, x := range auditKinds {
		list = append(list, x.Kind)
	}
	return list
}

// Info returns the kind with its meaning.
func (k AuditKind) Info() AuditInfo {
	for _, x := range auditKinds {
		if x.Kind == k {
			return x
		}
	}
	return AuditInfo{Kind: k, Severity: Medium, Help: string(k)}
}
