package project

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestSchema compares the schema that the VS Code extension publishes with the one of the keys; -update writes it.
func TestSchema(t *testing.T) {
	const file = "../../editors/vscode/media/unitproof.schema.json"
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the schema of the keys (-update writes it): %v", file, err)
	}
	var schema struct {
		Properties map[string]struct {
			Properties map[string]struct {
				Type string
				Enum []string
			}
			Items struct {
				Properties map[string]struct{ Type string }
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(want, &schema); err != nil {
		t.Fatal(err)
	}
	check, proof := schema.Properties["check"].Properties, schema.Properties["proof"].Items
	if check["unwind"].Type != "integer" || len(check["vacuity"].Enum) != 3 ||
		check["malloc-may-fail"].Type != "boolean" || check["checks"].Type != "object" || check["timeout"].Enum != nil {
		t.Errorf("[check] is %+v", check)
	}
	if proof.Properties["loops"].Type != "object" || proof.Properties["unwind"].Type != "integer" ||
		proof.Properties["sources"].Type != "array" || len(proof.Required) != 1 {
		t.Errorf("[[proof]] is %+v", proof)
	}
}
