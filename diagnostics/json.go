package diagnostics

import (
	_ "embed"
	"encoding/json"
	"io"
)

// JSONSchema is the JSON Schema (draft 2020-12) of WriteJSON's output.
//
//go:embed schema.json
var JSONSchema []byte

// WriteJSON writes the document of schema 1, indented, with a final newline. Invalid UTF-8 becomes replacement
// characters.
func WriteJSON(w io.Writer, doc Document) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}
