package diagnostics

import (
	"fmt"
	"path"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// VariantEnd is the end of an execution with changed inputs.
type VariantEnd string

// Ends of variants.
const (
	VariantFails    VariantEnd = "fails"    // it violates what the unchanged execution violates
	VariantOther    VariantEnd = "other"    // it violates something else
	VariantHolds    VariantEnd = "holds"    // it ends without a violation
	VariantExcluded VariantEnd = "excluded" // an assumption is false
	VariantUnknown  VariantEnd = "unknown"  // it was not executed to its end
)

// Variant is an execution of a proof with changed inputs.
type Variant struct {
	End VariantEnd `json:"end"`
	// Sentence describes the end.
	Sentence string `json:"sentence"`
	// Finding has the inputs, the steps and, for violations, the message, the place and the memory. Its Run is the data
	// for further changes.
	Finding Finding `json:"finding"`
}

// ShowVariant describes a variant of a proof's execution.
func ShowVariant(v *vcgen.Variant, src Sources, meta ProofMeta) Variant {
	if v.Violation != nil {
		f := Group(&vcgen.Report{Entry: meta.Entry, Instances: []vcgen.Instance{*v.Violation}, EndReached: true}, src,
			meta).Obligations[0]
		out := Variant{End: VariantOther, Finding: f, Sentence: f.Message}
		switch {
		case !v.NeedsResult.None():
			out.End = VariantUnknown
			out.Sentence += " (" + phrase.Reason(relativeReason(meta.Root, v.NeedsResult)) + ")"
		case v.ByAddress != (found.Pos{}):
			out.End = VariantUnknown
			out.Sentence += " (it depends on the addresses of objects)"
		case v.Same:
			out.End = VariantFails
		default:
			out.Sentence = fmt.Sprintf("another violation, %s: %s", v.Violation.Kind, f.Message)
		}
		return out
	}
	m := &messenger{sources: source.NewCache(src), loops: map[string]fileLine{}, root: meta.Root}
	f := Finding{File: meta.Root.Show(v.At.File), Line: v.At.Line, Column: v.At.Column, Run: v.Run.Run,
		Inputs: inputs(v.Run, meta.Root), Trace: m.trace(v.Run), CallPath: []Frame{}}
	if !meta.WholeTrace {
		f.Trace = foldLoops(f.Trace)
	}
	out := Variant{Finding: f}
	at := ""
	if f.Line > 0 {
		at = fmt.Sprintf(" at %s:%d", path.Base(f.File), f.Line)
	}
	switch v.End {
	case vcgen.EndReturn:
		out.End, out.Sentence = VariantHolds, "nothing is violated: the proof ends"
	case vcgen.EndExit:
		out.End, out.Sentence = VariantHolds, "nothing is violated: the program ends"+at
	case vcgen.EndAssume:
		out.End, out.Sentence = VariantExcluded, "excluded"+at+": "+v.Reason
		condition := ""
		if c, ok := m.sources.File(f.File).Condition(f.Line, f.Column); ok {
			condition = c.Text()
			out.Sentence = "excluded: the assumption " + phrase.Quote(condition) + at + " is false"
		}
		out.Finding.Trace = append(out.Finding.Trace, found.Step{Pos: found.Pos{File: f.File, Line: f.Line,
			Column: f.Column, Function: v.At.Function}, Event: found.StepAssume, Value: "false", Condition: condition,
			Text: out.Sentence})
	case vcgen.EndSteps:
		out.End, out.Sentence = VariantUnknown, "it did not end within the limit of steps"+at
	default:
		out.End, out.Sentence = VariantUnknown, "it cannot be executed further"+at+": "+v.Reason
	}
	out.Finding.Message = out.Sentence
	return out
}
