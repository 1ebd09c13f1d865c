package clang

import (
	"bytes"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// FuzzManifests checks that reading any entry terminates, and that writing and reading the result preserves it.
func FuzzManifests(f *testing.F) {
	encoded, err := encodeManifests([]manifest{
		{inputs: []cacheInput{{"/a b.c", "00ff"}, {"/x.h", ""}}, folders: []string{"/", "/usr"}, names: []string{"x.h"},
			present: []string{"/usr/x.h"}, looked: []folderLook{{"/ a", "1 2"}}, library: []string{"memcpy"},
			macros: []string{"-DN=1 2"}, unasked: []string{"M"},
			notes: []found.Assumption{{}}, text: [32]byte{1, 2}},
		{},
	})
	if err != nil {
		f.Fatal(err)
	}
	text := strings.Repeat("00", 32)
	for _, seed := range []string{string(encoded), "", "t" + text + "\n", "t" + text, "i\n", "n{}\nt" + text + "\n",
		"n1\n",
		"t00\n",
		"t" + text + "ff\n", "\n", "l \nb\np\nh\nf\nt" + text + "\nx"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		var list []manifest
		for rest := data; rest != ""; {
			m, after, ok := nextManifest(rest)
			if !ok {
				break
			}
			if len(after) >= len(rest) {
				t.Fatalf("reading %q does not end", data)
			}
			list, rest = append(list, m), after
		}
		encoded, err := encodeManifests(list)
		if err != nil {
			t.Fatal(err)
		}
		var again []manifest
		for rest := string(encoded); rest != ""; {
			m, after, ok := nextManifest(rest)
			if !ok {
				t.Fatalf("%q: what was written cannot be read: %q", data, encoded)
			}
			again, rest = append(again, m), after
		}
		if twice, err := encodeManifests(again); err != nil || len(again) != len(list) || !bytes.Equal(twice, encoded) {
			t.Fatalf("%q: %d manifests are written as %q, then as %q, %v", data, len(list), encoded, twice, err)
		}
	})
}
