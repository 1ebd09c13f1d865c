package clang

import (
	"context"
	"maps"
	"slices"
	"testing"
)

// TestModelNames: what the source seems to define is what it defines.
func TestModelNames(t *testing.T) {
	a, err := toolchain(t).models(context.Background(), nil, "x86_64-pc-linux-gnu")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range a.order {
		if s.kind == function && s.link == strong {
			want = append(want, s.name)
		}
	}
	slices.Sort(want)
	if have := slices.Sorted(maps.Keys(modelNames())); !slices.Equal(have, want) {
		t.Errorf("names read off the source:\n%q\ndefined:\n%q", have, want)
	}
}
