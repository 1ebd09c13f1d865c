package assistant

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "write the tools of editors/vscode/package.json anew")

// declaredTool is a tool of the list languageModelTools in the manifest of the extension of VS Code.
type declaredTool struct {
	Name             string          `json:"name"`
	DisplayName      string          `json:"displayName"`
	Reference        string          `json:"toolReferenceName"`
	Referable        bool            `json:"canBeReferencedInPrompt"`
	ModelDescription string          `json:"modelDescription"`
	UserDescription  string          `json:"userDescription"`
	Icon             string          `json:"icon"`
	Tags             []string        `json:"tags"`
	InputSchema      json.RawMessage `json:"inputSchema"`
}

const manifest = "../editors/vscode/package.json"

// TestEditorTools compares the tools that the extension of VS Code declares with those of the server: names,
// descriptions and schemas are the same. "-update" writes them.
func TestEditorTools(t *testing.T) {
	s := start(t, files{}, Options{}).server
	tools, err := s.Tools(t.Context())
	if err != nil || len(tools) == 0 {
		t.Fatal(tools, err)
	}
	var list [][]byte
	for _, tool := range tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var parsed jsonschema.Schema
		if err := json.Unmarshal(schema, &parsed); err != nil || parsed.Type != "object" {
			t.Errorf("%s: the schema of the input is %s, %v", tool.Name, schema, err)
		}
		sentence, _, _ := strings.Cut(tool.Description, ". ")
		text, err := encode(declaredTool{Name: "unitproof_" + tool.Name, DisplayName: "unitproof: " + tool.Name,
			Reference: "unitproof-" + tool.Name, Referable: true, ModelDescription: tool.Description,
			UserDescription: strings.TrimSuffix(sentence, ".") + ".", Icon: "$(verified)", Tags: []string{"unitproof"},
			InputSchema: schema})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, []byte("\n      "+text))
	}
	want := append(bytes.Join(list, []byte(",")), "\n    "...)
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	const key = "    \"languageModelTools\": ["
	before, rest, found := bytes.Cut(text, []byte(key))
	have, after, closed := bytes.Cut(rest, []byte("],\n    \"viewsContainers\""))
	if !found || !closed {
		t.Fatal("the manifest has no list of tools before its views")
	}
	if bytes.Equal(have, want) {
		return
	}
	if !*update {
		t.Fatalf("the manifest declares other tools than the server has; -update writes these:%s", want)
	}
	written := bytes.Join([][]byte{before, []byte(key), want, []byte("],\n    \"viewsContainers\""), after}, nil)
	if err := os.WriteFile(manifest, written, 0o644); err != nil {
		t.Fatal(err)
	}
}
