package pipeline

import (
	"encoding/json"
	"time"

	"github.com/unitproof/unitproof/pipeline/project"
)

// Kept is a result with all that it rests on, as the cache keeps it (cache.Results) for a later session.
type Kept struct {
	Inputs  *Inputs
	Answers map[string][]project.Unit // what a Define said of Inputs.Asked
	Result  Result
	Elapsed time.Duration
}

// keptResult is a Kept as it is written.
type keptResult struct {
	Inputs  *wireInputs
	Answers map[string][]project.Unit
	Result  *wireResult
	Elapsed time.Duration
}

// Pack writes it down, for ReadKept.
func (k *Kept) Pack() ([]byte, error) {
	text, err := json.Marshal(keptResult{Inputs: inputsToWire(k.Inputs), Answers: k.Answers,
		Result: resultToWire(k.Result), Elapsed: k.Elapsed})
	if err != nil {
		return nil, err
	}
	return pack(text)
}

// ReadKept reads what Pack wrote; nil: it is something else.
func ReadKept(data []byte) *Kept {
	var text []byte
	var kept keptResult
	if unpack(data, &text, defaultMemory) != nil || json.Unmarshal(text, &kept) != nil || kept.Inputs == nil ||
		kept.Result == nil {
		return nil
	}
	return &Kept{Inputs: inputsFromWire(kept.Inputs), Answers: kept.Answers, Result: resultFromWire(kept.Result),
		Elapsed: kept.Elapsed}
}
