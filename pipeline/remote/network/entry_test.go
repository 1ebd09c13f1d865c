package network

import (
	"testing"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// TestInflation checks that an entry with a too large compression ratio is rejected.
func TestInflation(t *testing.T) {
	for size, want := range map[int]bool{1 << 19: true, 8 << 20: false} {
		entry, err := encode("reports", remote.Key{1}, make([]byte, size), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decode("reports", remote.Key{1}, entry, nil); (err == nil && len(got) == size) != want {
			t.Errorf("%d zeros in %d bytes: %d, %v", size, len(entry), len(got), err)
		}
	}
}
