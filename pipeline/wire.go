package pipeline

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Parents and workers exchange frames: four bytes of length, most significant first, and a message in JSON. The parent
// sends a request. The worker sends replies: findings as it makes them, queries for definitions or for an entry of the
// shared cache, which the parent answers with a request that has only them, and finally the result.

// maxFrame bounds the allocation for a corrupt length.
const maxFrame = 1 << 30

type request struct {
	Settings    *Settings                 `json:",omitempty"`
	Proof       *wireProof                `json:",omitempty"`
	CanDefine   bool                      `json:",omitempty"` // the parent answers Missing
	Definitions map[string][]project.Unit `json:",omitempty"`
	Entry       *wireEntry                `json:",omitempty"` // reply to Fetch
	Live        bool                      `json:",omitempty"` // send Inputs when known
	Virtual     map[string][]byte         `json:",omitempty"` // see Live.Virtual
	Expected    []string                  `json:",omitempty"` // see Live.Expected
	Replay      *wireReplay               `json:",omitempty"` // run counterexamples instead of checking
	Strength    *wireStrength             `json:",omitempty"` // measure the strength instead of checking
	Elsewhere   bool                      `json:",omitempty"` // leave the engine's part to a cluster
}

// reply is one message of a worker; exactly one of its fields is set. Result is in the last one.
type reply struct {
	Missing []string            `json:",omitempty"` // query for definitions
	Fetch   *wireEntry          `json:",omitempty"` // query for an entry of the shared cache
	Keep    *wireEntry          `json:",omitempty"` // to be stored in the shared cache
	Inputs  *wireInputs         `json:",omitempty"`
	Found   *wireFinding        `json:",omitempty"`
	Mutant  *diagnostics.Mutant `json:",omitempty"`
	Where   *string             `json:",omitempty"` // see Live.where
	Result  *wireResult         `json:",omitempty"`
}

// wireInputs are Inputs in a compact form.
type wireInputs struct {
	Paths  []string
	Hashes []byte // concatenated
	Asked  []string
	Moving bool
}

func inputsToWire(in *Inputs) *wireInputs {
	w := &wireInputs{Asked: in.Asked, Moving: in.Moving}
	for path, hash := range in.Files {
		w.Paths = append(w.Paths, path)
		w.Hashes = append(w.Hashes, hash[:]...)
	}
	return w
}

func inputsFromWire(w *wireInputs) *Inputs {
	in := &Inputs{Files: make(map[string][sha256.Size]byte, len(w.Paths)), Asked: w.Asked, Moving: w.Moving}
	for i, path := range w.Paths {
		if len(w.Hashes) < (i+1)*sha256.Size {
			in.Moving = true // a corrupt message; treat the inputs as unknown
			break
		}
		in.Files[path] = [sha256.Size]byte(w.Hashes[i*sha256.Size:])
	}
	return in
}

// wireProof is a project.Proof without fields that have no JSON: the functions in its options, which Check sets itself.
// The fields of wireProof hide the embedded ones of the same name.
type wireProof struct {
	project.Proof
	Options          wireOptions
	SourceCandidates *struct{} `json:",omitempty"`
}

type wireOptions struct {
	vcgen.Options
	UserFile *struct{} `json:",omitempty"`
	Found    *struct{} `json:",omitempty"`
	Stage    *struct{} `json:",omitempty"`
	Clock    *struct{} `json:",omitempty"`
	Progress *struct{} `json:",omitempty"`
	Memo     *struct{} `json:",omitempty"`
	Limits   *struct{} `json:",omitempty"`
}

func proofToWire(p project.Proof) *wireProof {
	return &wireProof{Proof: p, Options: wireOptions{Options: p.Options}}
}

func proofFromWire(w *wireProof) project.Proof {
	p := w.Proof
	p.Options = w.Options.Options
	return p
}

// wireResult is a Result with the fields that are not in the JSON of a Proof.
type wireResult struct {
	Proof    diagnostics.Proof
	Beside   diagnostics.Beside
	Covered  found.Coverage        `json:",omitempty"`
	Defined  map[string][]string   `json:",omitempty"`
	Replay   *ReplayResult         `json:",omitempty"`
	Stages   []StageCost           `json:",omitempty"`
	Strength *diagnostics.Strength `json:",omitempty"`
	Unkept   string                `json:",omitempty"`
	Prepared *prepared             `json:",omitempty"`
}

func resultToWire(r Result) *wireResult {
	return &wireResult{Proof: r.Proof, Beside: r.Proof.Beside(), Covered: r.Covered, Defined: r.Defined, Replay: r.replay,
		Stages: r.Stages, Unkept: r.Unkept, Strength: r.strength, Prepared: r.prepared}
}

func resultFromWire(w *wireResult) Result {
	r := Result{Proof: w.Proof, Covered: w.Covered, Defined: w.Defined, Unkept: w.Unkept, Stages: w.Stages,
		replay: w.Replay, strength: w.Strength, prepared: w.Prepared}
	r.Proof.Restore(w.Beside)
	return r
}

// wireStrength has the fields of a StrengthRequest besides its proof.
type wireStrength struct {
	Jobs, Max int
	Marked    [2]int // see StrengthOptions
	tell      func(diagnostics.Mutant)
}

// atOnce returns the number of programs that are checked at the same time; each may have the memory of the proof.
func (w *wireStrength) atOnce() int64 {
	if w == nil {
		return 1
	}
	return int64(max(w.Jobs, 1))
}

// wireReplay has the fields of a ReplayRequest besides its proof.
type wireReplay struct {
	Findings []wireFinding
	DebugDir string `json:",omitempty"`
	Save     string `json:",omitempty"`
	Input    string `json:",omitempty"`
}

// wireFinding is a finding with the fields that are not in its JSON.
type wireFinding struct {
	diagnostics.Finding
	Beside diagnostics.FindingBeside
}

func findingToWire(f diagnostics.Finding) wireFinding { return wireFinding{f, f.Beside()} }

func findingFromWire(w wireFinding) diagnostics.Finding {
	w.Finding.Restore(w.Beside)
	return w.Finding
}

func replayToWire(r *ReplayRequest) *wireReplay {
	w := &wireReplay{DebugDir: r.DebugDir, Save: r.Save, Input: r.SaveInput}
	for _, f := range r.Findings {
		w.Findings = append(w.Findings, findingToWire(f))
	}
	return w
}

func (w *wireReplay) request(p project.Proof, virtual map[string][]byte) ReplayRequest {
	r := ReplayRequest{Proof: p, DebugDir: w.DebugDir, Save: w.Save, SaveInput: w.Input, Virtual: virtual}
	for _, f := range w.Findings {
		r.Findings = append(r.Findings, findingFromWire(f))
	}
	return r
}

func writeFrame(w io.Writer, message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("message to or from a worker: %w", err)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	if len(body) > maxFrame {
		return fmt.Errorf("message to or from a worker: %d bytes", len(body))
	}
	_, err = w.Write(append(frame, body...))
	return err
}

// readFrame reads a message; it returns io.EOF if the stream ends between frames.
func readFrame(r io.Reader, message any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return fmt.Errorf("message to or from a worker: a length of %d bytes", n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return fmt.Errorf("message to or from a worker: %w", err)
	}
	if err := json.Unmarshal(body, message); err != nil {
		return fmt.Errorf("message to or from a worker: %w", err)
	}
	return nil
}
