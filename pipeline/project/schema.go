package project

import (
	"encoding/json"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// schemaNode is a part of a JSON Schema.
type schemaNode struct {
	Schema      string                 `json:"$schema,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        string                 `json:"type,omitempty"`
	Enum        []string               `json:"enum,omitempty"`
	Items       *schemaNode            `json:"items,omitempty"`
	Properties  map[string]*schemaNode `json:"properties,omitempty"`
	Required    []string               `json:"required,omitempty"`
	// Other has the schema of the other properties, or false.
	Other any `json:"additionalProperties,omitempty"`
}

// Schema returns the JSON Schema of unitproof.toml, for editors' extensions for TOML. It is derived from the table of
// keys.
func Schema() ([]byte, error) {
	root := &schemaNode{Schema: "http://json-schema.org/draft-07/schema#", Title: ConfigName, Type: "object",
		Properties: map[string]*schemaNode{}, Other: false}
	for _, t := range Tables() {
		node := &schemaNode{Type: "object", Properties: map[string]*schemaNode{}, Other: false}
		for _, k := range KeysOf(t.Name) {
			node.Properties[k.Name] = k.schema()
			if k.required {
				node.Required = append(node.Required, k.Name)
			}
		}
		name := strings.Trim(t.Name, "[]")
		if strings.HasPrefix(t.Name, "[[") {
			node = &schemaNode{Type: "array", Items: node}
		}
		root.Properties[name] = node
	}
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

// KeysOf returns the keys that may be in a table, such as "[check]"; a [[proof]] may have those of [check] that belong
// to a proof.
func KeysOf(table string) (keys []*Key) {
	add := func(t *Table, all bool) {
		for i := range t.Keys {
			if k := &t.Keys[i]; all || k.reset != nil {
				keys = append(keys, k)
			}
		}
	}
	for _, t := range Tables() {
		if t.Name == table {
			add(t, true)
		}
	}
	if table == proofTable().Name {
		add(checkTable(), false)
	}
	return keys
}

var quotedName = lazyregexp.New("^`\"([a-z-]+)\"`$")

// Names returns the possible values of a key as they are written in TOML, if there are few.
func (k *Key) Names() (names []string) {
	if k.Value == "boolean" {
		return []string{"true", "false"}
	}
	for part := range strings.SplitSeq(k.Value, ", ") {
		m := quotedName.FindStringSubmatch(part)
		if m == nil {
			return nil
		}
		names = append(names, `"`+m[1]+`"`)
	}
	return names
}

// schema returns the schema of a key's value.
func (k *Key) schema() *schemaNode {
	node := &schemaNode{Type: "string", Description: k.Doc}
	if k.Default != "" {
		node.Description += " (default: " + k.Default + ")"
	}
	names := k.Names()
	switch {
	case k.Value == "boolean":
		node.Type = "boolean"
	case k.Value == "number":
		node.Type = "integer"
	case strings.HasPrefix(k.Value, "list of"):
		node.Type, node.Items = "array", &schemaNode{Type: "string"}
	case strings.Contains(k.Value, "KIND = boolean"):
		node.Type, node.Properties, node.Other = "object", map[string]*schemaNode{}, false
		for _, kind := range found.Kinds() {
			node.Properties[string(kind)] = &schemaNode{Type: "boolean"}
		}
	case strings.HasPrefix(k.Value, "`{"):
		node.Type, node.Other = "object", &schemaNode{Type: "integer"}
	case names != nil:
		for _, n := range names {
			node.Enum = append(node.Enum, strings.Trim(n, `"`))
		}
	}
	return node
}
