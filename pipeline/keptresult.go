package pipeline

import (
	"encoding/json"
	"time"

	"github.com/unitproof/unitproof/pipeline/project"
)

// Kept is a result with its inputs, as the cache stores it (cache.Results) for a later session.
type Kept struct {
	Inputs  *Inputs
	Answers map[string][]project.Unit // the results of Define for Inputs.Asked
	Result  Result
	Elapsed time.Duration
}

// keptResult is the serialized form of Kept.
type keptResult struct {
	Inputs  *wireInputs
	Answers map[string][]project.Unit
	Result  *wireResult
	Elapsed time.Duration
}

// Pack serializes a result for ReadKept.
func (k *Kept) Pack() ([]byte, error) {
	text, err := json.Marshal(keptResult{Inputs: inputsToWire(k.Inputs), Answers: k.Answers,
		Result: resultToWire(k.Result), Elapsed: k.Elapsed})
	if err != nil {
		return nil, err
	}
	return pack(text)
}

// ReadKept reads the output of Pack; nil if data is not that.
func ReadKept(data []byte) *Kept {
	var text []byte
	var stored keptResult
	if unpack(data, &text, defaultMemory) != nil || json.Unmarshal(text, &stored) != nil || stored.Inputs == nil ||
		stored.Result == nil {
		return nil
	}
	return &Kept{Inputs: inputsFromWire(stored.Inputs), Answers: stored.Answers, Result: resultFromWire(stored.Result),
		Elapsed: stored.Elapsed}
}
