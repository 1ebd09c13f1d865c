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

// Results of other machines, and entries of a shared cache, were written by unknown programs. They are validated
// against the schema before use: writers, editors and replay rely on known kinds, on positions from 1 and on depths
// from 0.

// schemas returns the compiled JSONSchema, and the compiled part of it for one proof.
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

// Validate reports an error if this program cannot have written the proof.
func (p *Proof) Validate() error {
	s, err := schemas()
	if err != nil {
		return err
	}
	return compare(s.proof, p)
}

// Validate reports an error if this program cannot have written the document.
func (d *Document) Validate() error {
	s, err := schemas()
	if err != nil {
		return err
	}
	return compare(s.document, d)
}

// compare validates the JSON encoding of a value against a schema. The text from which the value was decoded is not
// validated, as Go accepts keys in any case, and the last of several.
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

// innermost returns the last part of a validation error, "depth: minimum: -1 is less than 0", without the path
// through the schema.
func innermost(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "validating /"); i >= 0 {
		path, what, _ := strings.Cut(text[i+len("validating /"):], ": ")
		text = fmt.Sprintf("%s: %s", path[strings.LastIndexByte(path, '/')+1:], what)
	}
	return phrase.Shorten(phrase.OneLine(text), 200)
}
