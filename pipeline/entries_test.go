package pipeline

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/gob"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/ask"
)

// FuzzEntries checks that reading a cache entry with a valid checksum never panics, whatever its content, and that the
// decoded value can be written again.
func FuzzEntries(f *testing.F) {
	report, err := pack(&keptReport{map[string][]int{"main.c": {1}},
		&vcgen.Report{Entry: "main", EndReached: true, Instances: []vcgen.Instance{{Kind: "assertion"}}}})
	if err != nil {
		f.Fatal(err)
	}
	answers, err := pack(keptAnswers{Engine: "e", Segments: [][]byte{{}, {1, 2, 3}}})
	if err != nil {
		f.Fatal(err)
	}
	plain := func(data []byte) []byte { // compressed, no change of a byte would lead anywhere
		text, err := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
		if err != nil {
			f.Fatal(err)
		}
		return text
	}
	f.Add(plain(report))
	f.Add(plain(answers))
	// Entries of a real check.
	p := program(f, "#include <unitproof.h>\nint main(void) { unsigned a = nd_uint(); sassert(a * 3 != 7); }\n")
	dir := f.TempDir()
	settings := Settings{CacheDir: dir}
	NewChecker(settings).Check(context.Background(), p, nil)
	for _, kind := range []cache.Kind{cache.Reports, cache.Answers} {
		entries, _ := filepath.Glob(filepath.Join(dir, string(kind), "*", "*"))
		for _, path := range entries {
			data, err := os.ReadFile(path)
			if err != nil || len(data) < 32 {
				f.Fatalf("%s: %d bytes, %v", path, len(data), err)
			}
			f.Add(plain(data[32:]))
		}
		if len(entries) == 0 {
			f.Errorf("a check has kept nothing of kind %s", kind)
		}
	}
	f.Add([]byte(`{"Inputs":{"Paths":["/a"],"Hashes":"AAAA"},"Result":{"Proof":{"verdict":"failed","obligations":[{}]},"Beside":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var report keptReport
		if gob.NewDecoder(bytes.NewReader(data)).Decode(&report) == nil {
			if _, err := pack(&report); err != nil {
				t.Fatal(err)
			}
			if report.Report != nil {
				carryLines(report.Report, report.Lines, report.Lines)
			}
		}
		var stored keptAnswers
		if gob.NewDecoder(bytes.NewReader(data)).Decode(&stored) == nil {
			memo := ask.NewMemo(stored.Segments)
			if _, err := memo.Segments(); err != nil {
				t.Fatal(err)
			}
		}
		ask.NewMemo([][]byte{data})
		_ = unpack(data, &stored, defaultMemory) // as it would stand there
		var e keptResult
		if json.Unmarshal(data, &e) == nil && e.Inputs != nil && e.Result != nil {
			inputsFromWire(e.Inputs)
			resultFromWire(e.Result)
		}
	})
}
