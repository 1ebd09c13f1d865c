package main

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
)

var corruptions = flag.Int("corruptions", 12, "how many entries of each kind TestCorruptedEntries corrupts, at least")

// TestCorruptedEntries corrupts cache entries, one kind after the other, each in its own way. All output about the
// proofs must equal that without a cache. Entries that would be used instead of the corrupted ones are deleted.
func TestCorruptedEntries(t *testing.T) {
	program := buildProgram(t)
	files, err := filepath.Glob("../../testdata/proofs/kinds/[a-d]*.c")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "unitproof.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, filepath.Base(file)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server, stop := remotetest.New()
	defer stop()
	cacheDir, full := t.TempDir(), t.TempDir()
	check := func() string {
		t.Helper()
		cmd := exec.Command(program, "check", "--remote-cache", server.URL, "--remote-write")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cacheDir)
		doc, _, _ := document(t, cmd) // the status is part of the verdicts
		return said(t, doc)
	}
	// The shared cache has the same entries; when the local ones are corrupted, it is empty.
	want := check()
	if err := os.CopyFS(full, os.DirFS(cacheDir)); err != nil {
		t.Fatal(err)
	}
	shared := server.Files()
	if len(shared) == 0 {
		t.Fatal("the server has no entry")
	}

	instead := map[cache.Kind][]cache.Kind{
		cache.Results: nil,
		cache.Reports: {cache.Results},
		cache.Answers: {cache.Results, cache.Reports},
		cache.Modules: {cache.Results},
		cache.Units:   {cache.Results, cache.Modules},
	}
	for _, kind := range cache.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			above, known := instead[kind]
			if !known {
				t.Fatal("nobody says what is asked before this kind")
			}
			folder := func(k cache.Kind) string { return filepath.Join(cacheDir, "unitproof", "cache", string(k)) }
			corrupted, reads := 0, 0
			for round := 0; corrupted < *corruptions; round++ {
				server.SetFiles(map[string][]byte{})
				if err := os.RemoveAll(filepath.Join(cacheDir, "unitproof")); err != nil {
					t.Fatal(err)
				}
				if err := os.CopyFS(cacheDir, os.DirFS(full)); err != nil {
					t.Fatal(err)
				}
				for _, k := range above {
					if err := os.RemoveAll(folder(k)); err != nil {
						t.Fatal(err)
					}
				}
				written := corruptAll(round, readAll(t, folder(kind)))
				for path, data := range written {
					if err := os.WriteFile(path, data, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				corrupted += len(written)
				if got := check(); got != want {
					t.Fatalf("round %d: with corrupted entries it says\n%s\nand not\n%s", round, got, want)
				}
				now := readAll(t, folder(kind))
				for path, data := range written {
					if !bytes.Equal(now[path], data) {
						reads++ // dropped or replaced
					}
				}
			}
			t.Logf("%d entries corrupted, %d of them met", corrupted, reads)
			if reads < corrupted/2 {
				t.Errorf("%d entries were corrupted, and only %d of them were asked for", corrupted, reads)
			}
		})
	}
	t.Run("shared", func(t *testing.T) {
		corrupted := 0
		for round := 0; corrupted < *corruptions; round++ {
			if err := os.RemoveAll(filepath.Join(cacheDir, "unitproof")); err != nil {
				t.Fatal(err)
			}
			files := corruptAll(round, shared)
			server.SetFiles(files)
			corrupted += len(files)
			if got := check(); got != want {
				t.Fatalf("round %d: with corrupted entries it says\n%s\nand not\n%s", round, got, want)
			}
		}
		t.Logf("%d entries corrupted", corrupted)
	})
}

// corruptAll corrupts each entry in a way that depends on the round.
func corruptAll(round int, entries map[string][]byte) map[string][]byte {
	random := rand.New(rand.NewPCG(uint64(round), 1))
	paths := slices.Sorted(maps.Keys(entries))
	bad := map[string][]byte{}
	for i, path := range paths {
		bad[path] = corrupt(random, i+round, entries[path], entries[paths[(i+1)%len(paths)]])
	}
	return bad
}

// corrupt returns the bytes of an entry after a fault; other is another entry.
func corrupt(random *rand.Rand, way int, data, other []byte) []byte {
	bad := slices.Clone(data)
	switch way % 7 {
	case 0: // a flipped bit
		bad[random.IntN(len(bad))] ^= 1 << random.IntN(8)
	case 1: // truncated
		bad = bad[:random.IntN(len(bad))]
	case 2: // nothing was written
		bad = nil
	case 3: // the entry of another key
		bad = slices.Clone(other)
	case 4: // a block that never reached the disk
		from := random.IntN(len(bad))
		for i := from; i < min(from+512, len(bad)); i++ {
			bad[i] ^= 0xa5
		}
	case 5: // two writers
		bad = append(bad[:random.IntN(len(bad))], other...)
	case 6: // more than was written
		bad = append(bad, byte(random.Uint32()))
	}
	return bad
}

// readAll reads the files in a folder and below it.
func readAll(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("there is no entry in %s", dir)
	}
	return files
}
