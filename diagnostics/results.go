package diagnostics

import (
	"encoding/json"
	"fmt"
)

// RestsOn is what a verdict follows from. It is the same on every machine: paths are relative to the root where they
// lie below it. Whoever finds all of it unchanged may take the result over.
type RestsOn struct {
	Program  string `json:"program"`  // which build of unitproof it was
	Settings string `json:"settings"` // SHA-256 of settings, flags, compiler and environment
	// Definitions is the SHA-256 of which files define the names in Asked, which the proof's own files do not.
	Asked       []string `json:"asked,omitempty"`
	Definitions string   `json:"definitions,omitempty"`
	// Files holds the SHA-256 of each file that was read; "" stands for one that was not there, and whose appearance may
	// change the result.
	Files map[string]string `json:"files"`
}

// Shard says which part of a run's proofs a document holds.
type Shard struct {
	Index  int    `json:"index"` // from 1
	Of     int    `json:"of"`
	Proofs int    `json:"proofs"` // of all shards together
	Plan   string `json:"plan"`   // the same in all shards of a run
}

// ReadDocument reads what WriteJSON wrote, with what stands beside the proofs where the document holds that.
func ReadDocument(text []byte) (Document, error) {
	var doc Document
	if err := json.Unmarshal(text, &doc); err != nil {
		return Document{}, fmt.Errorf("these are no results of unitproof: %w", err)
	}
	if doc.Schema != Schema || doc.Proofs == nil {
		return Document{}, fmt.Errorf("these are no results of unitproof: the schema is %d, and %d is wanted", doc.Schema,
			Schema)
	}
	if s := doc.Shard; s != nil && (s.Index < 1 || s.Index > s.Of) {
		return Document{}, fmt.Errorf("these are no results of unitproof: they say that they are shard %d of %d", s.Index,
			s.Of)
	}
	if len(doc.Beside) == len(doc.Proofs) {
		for i := range doc.Proofs {
			doc.Proofs[i].Restore(doc.Beside[i])
		}
	}
	doc.Beside = nil
	if err := doc.Validate(); err != nil {
		return Document{}, fmt.Errorf("these are no results of unitproof: %w", err)
	}
	return doc, nil
}

// ForOthers is a document that others can take results from: with what the JSON of a proof leaves out.
func (d Document) ForOthers() Document {
	d.Beside = make([]Beside, len(d.Proofs))
	for i := range d.Proofs {
		d.Beside[i] = d.Proofs[i].Beside()
	}
	return d
}
