package diagnostics

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/unitproof/unitproof/diagnostics/phrase"
)

// Results of other machines, and entries of a cache that machines share, were written by programs that are not known
// here. They are compared with the schema before they are used: writers, editors and replay rely on kinds that exist,
// on places that count from 1 and on depths that are not negative.

// schemas are JSONSchema, and the part of it that is about one proof, ready for use.
var schemas = sync.OnceValues(func() (s struct{ document, proof *jsonschema.Resolved }, err error) {
	var root jsonschema.Schema
	if err = json.Unmarshal(JSONSchema, &root); err != nil {
		return s, err
	}
	proof := jsonschema.Schema{Ref: "#/$defs/proof", Defs: root.CloneSchemas().Defs}
	if s.document, err = root.Resolve(nil); err == nil {
		s.proof, err = proof.Resolve(nil)
	}
	return s, err
})

// Validate reports in which way a proof of elsewhere is none that this program can have written; nil: in none.
func (p *Proof) Validate() error {
	s, err := schemas()
	if err != nil {
		return err
	}
	return compare(s.proof, p)
}

// Validate is that of Proof for a document.
func (d *Document) Validate() error {
	s, err := schemas()
	if err != nil {
		return err
	}
	return compare(s.document, d)
}

// compare validates a value against a schema, as it would be written. The text that it was read from is no measure:
// keys are read in upper and lower case, and the last of several counts.
func compare(schema *jsonschema.Resolved, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var instance any
	if err := json.Unmarshal(text, &instance); err != nil {
		return err
	}
	if err := schema.Validate(instance); err != nil {
		return errors.New(innermost(err))
	}
	return nil
}

// innermost is the part of an error of the library that says what is wrong: "depth: minimum: -1 is less than 0".
// Before it stands the way through the schema.
func innermost(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "validating /"); i >= 0 {
		path, what, _ := strings.Cut(text[i+len("validating /"):], ": ")
		text = fmt.Sprintf("%s: %s", path[strings.LastIndexByte(path, '/')+1:], what)
	}
	return phrase.Shorten(phrase.OneLine(text), 200)
}
