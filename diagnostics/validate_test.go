package diagnostics

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// written returns a document as other machines write it.
func written(t *testing.T, change func(*Document)) []byte {
	t.Helper()
	doc := document(t)
	if change != nil {
		change(&doc)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, doc.ForOthers()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// failing returns a finding of the document with a trace.
func failing(t *testing.T, d *Document) *Finding {
	t.Helper()
	for i := range d.Proofs {
		for j := range d.Proofs[i].Obligations {
			if f := &d.Proofs[i].Obligations[j]; len(f.Trace) > 0 {
				return f
			}
		}
	}
	t.Fatal("no finding has a trace")
	return nil
}

// TestValidate checks that documents that unitproof cannot have written are refused, in any spelling of keys, and
// that both validators agree on that.
func TestValidate(t *testing.T) {
	if _, err := ReadDocument(written(t, nil)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Document){
		"a negative depth":      func(d *Document) { failing(t, d).Trace[0].Depth = -1 },
		"an invented kind":      func(d *Document) { failing(t, d).Kind = "\x1b[31mRED" },
		"an invented verdict":   func(d *Document) { failing(t, d).Verdict = "fine" },
		"a negative line":       func(d *Document) { failing(t, d).Line = -1 },
		"an invented event":     func(d *Document) { failing(t, d).Trace[0].Event = "explodes" },
		"an invented option":    func(d *Document) { d.Proofs[0].Options.MissingBody = "anything" },
		"a proof of no verdict": func(d *Document) { d.Proofs[0].Verdict = "" },
	} {
		text := written(t, change)
		if _, err := ReadDocument(text); err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", name, err)
		}
		if schemaError(t, text) == nil {
			t.Errorf("%s: the other reader of the schema takes it", name)
		}
	}
	// Go accepts keys in upper and lower case, and the last of several.
	text := written(t, nil)
	for _, key := range []string{"Depth", "DEPTH", "depth"} {
		hostile := bytes.Replace(text, []byte(`"depth": 0,`), []byte(`"depth": 0, "`+key+`": -7,`), 1)
		if bytes.Equal(hostile, text) {
			t.Fatal("no step has the depth 0")
		}
		if _, err := ReadDocument(hostile); err == nil {
			t.Errorf("a second key %s is not looked at", key)
		}
	}
	var doc Document
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for i := range doc.Proofs {
		if err := doc.Proofs[i].Validate(); err != nil {
			t.Errorf("%s: %v", doc.Proofs[i].Name, err)
		}
	}
}

// TestRandomReportsAreValid checks that both validators agree on the documents of random reports.
func TestRandomReportsAreValid(t *testing.T) {
	for seed := range 40 {
		doc := NewDocument("unitproof 0.1.0", Toolchain{Clang: "c", Solvers: []string{"s"}},
			[]Proof{Group(randomReport(rand.New(rand.NewSource(int64(seed)))), nil, meta())})
		var b bytes.Buffer
		if err := WriteJSON(&b, doc); err != nil {
			t.Fatal(err)
		}
		ours, theirs := doc.Validate(), schemaError(t, b.Bytes())
		if (ours == nil) != (theirs == nil) {
			t.Errorf("seed %d: %v, the other reader: %v", seed, ours, theirs)
		}
	}
}

// TestTextIsPrintable checks that no text in a result can control a terminal.
func TestTextIsPrintable(t *testing.T) {
	doc := document(t)
	sets := 0
	const hostile = "\x1b[31mX\x07\u202e\r"
	var poison func(v reflect.Value)
	poison = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				poison(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Field(i).CanSet() {
					poison(v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				poison(v.Index(i))
			}
		case reflect.String:
			if v.Type() != reflect.TypeFor[found.Verdict]() {
				v.SetString(v.String() + hostile)
				sets++
			}
		}
	}
	poison(reflect.ValueOf(&doc).Elem())
	if sets < 50 {
		t.Fatalf("%d strings were changed", sets)
	}
	for _, o := range []TextOptions{{}, {Quiet: true}, {Verbose: true, Stats: true}, {ExplainCost: true, Verbose: true}} {
		var b bytes.Buffer
		if err := writeText(&b, doc, o); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if i := strings.IndexAny(line, "\x1b\x07\u202e\r"); i >= 0 {
				t.Errorf("%+v: %q", o, line)
			}
		}
	}
}
