package diagnostics

import (
	"encoding/json"
	"fmt"
)

// RestsOn identifies everything that a result depends on. It is the same on every machine: paths are relative to the
// root if they lie below it. If nothing of it has changed, another machine may reuse the result.
type RestsOn struct {
	Program  string `json:"program"`  // the build of unitproof
	Settings string `json:"settings"` // SHA-256 of settings, flags, compiler and environment
	// Asked are names that the proof's own files do not define. Definitions is the SHA-256 of the list of files that
	// define them.
	Asked       []string `json:"asked,omitempty"`
	Definitions string   `json:"definitions,omitempty"`
	// Files has the SHA-256 of each file that was read. It is "" for a missing file whose appearance may change the
	// result.
	Files map[string]string `json:"files"`
}

// Shard is the part of a run's proofs that a document has.
type Shard struct {
	Index  int    `json:"index"` // from 1
	Of     int    `json:"of"`
	Proofs int    `json:"proofs"` // of all shards
	Plan   string `json:"plan"`   // the same in all shards of a run
}

// ReadDocument parses the output of WriteJSON. It restores the data in Beside, if the document has it.
func ReadDocument(text []byte) (Document, error) {
	var doc Document
	if err := json.Unmarshal(text, &doc); err != nil {
		return Document{}, fmt.Errorf("these are not results of unitproof: %w", err)
	}
	if doc.Schema != Schema || doc.Proofs == nil {
		return Document{}, fmt.Errorf("these are not results of unitproof: the schema is %d, expected %d", doc.Schema,
			Schema)
	}
	if s := doc.Shard; s != nil && (s.Index < 1 || s.Index > s.Of) {
		return Document{}, fmt.Errorf("these are not results of unitproof: they claim to be shard %d of %d", s.Index,
			s.Of)
	}
	if len(doc.Beside) == len(doc.Proofs) {
		for i := range doc.Proofs {
			doc.Proofs[i].Restore(doc.Beside[i])
		}
	}
	doc.Beside = nil
	for i := range doc.Proofs {
		if p := &doc.Proofs[i]; p.NotDone == nil { // an earlier version wrote the document
			p.NotDone = p.notDone()
		}
	}
	if err := doc.Validate(); err != nil {
		return Document{}, fmt.Errorf("these are not results of unitproof: %w", err)
	}
	return doc, nil
}

// ForOthers returns the document with Beside set, so that others can reuse its results.
func (d Document) ForOthers() Document {
	d.Beside = make([]Beside, len(d.Proofs))
	for i := range d.Proofs {
		d.Beside[i] = d.Proofs[i].Beside()
	}
	return d
}
