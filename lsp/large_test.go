package lsp

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// largeDocument returns a proof followed by code, of about size bytes.
func largeDocument(size int) string {
	const line = "static int f(int x) { return x ? x + 1 : 0; } // a line of code as others are, too\n"
	return "#include <unitproof.h>\nint main(void) { int x = nd_int(); sassert(x != 7); }\n" +
		strings.Repeat(line, size/len(line))
}

// TestLargeDocument checks that the memory for an edit is proportional to the size of the document, with a small
// factor. Allocated bytes are the same on every machine.
func TestLargeDocument(t *testing.T) {
	cost := func(size int) float64 {
		e, dir := workspace(t, files{"large_harness.c": largeDocument(size), "unitproof.toml": "[check]\non = \"manual\"\n"})
		d := e.Open(filepath.Join(dir, "large_harness.c"))
		e.Sync()
		const edits = 4
		at := strings.Index(d.Text, "x != 7")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range edits {
			e.Edit(d, at, at, "x == 1 || ")
			e.Sync()
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / edits / float64(size)
	}
	sizes := []int{512 << 10, 2 << 20}
	if testing.Short() {
		sizes = []int{128 << 10, 512 << 10}
	}
	small, large := cost(sizes[0]), cost(sizes[1])
	t.Logf("an edit allocates %.1f times the size of a document of %d kB, %.1f times that of %d kB", small, sizes[0]>>10,
		large, sizes[1]>>10)
	// The editor's part is the text after the edit.
	if large > 12 || large > 2*small {
		t.Error("it allocates too much")
	}
}
