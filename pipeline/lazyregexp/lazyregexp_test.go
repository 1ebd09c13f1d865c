package lazyregexp

import (
	"sync"
	"testing"
)

// TestNew checks that an invalid expression fails in any test of its package, used or not.
func TestNew(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("`(` is no expression")
		}
	}()
	New(`(`)
}

func TestConcurrent(t *testing.T) {
	r := New(`a(b+)`)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if m := r.FindStringSubmatch("xabbc"); len(m) != 2 || m[1] != "bb" {
				t.Errorf("%q", m)
			}
		})
	}
	wait.Wait()
}
