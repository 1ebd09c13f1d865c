package clang

import (
	"context"
	"testing"
)

func TestDoctor(t *testing.T) {
	for _, c := range Doctor(context.Background(), "") {
		if !c.OK {
			t.Errorf("%s: %s: %s", c.Name, c.Detail, c.Remedy)
		}
		if c.Remedy == "" || c.Detail == "" {
			t.Errorf("%s: empty detail or remedy: %+v", c.Name, c)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if c := Doctor(context.Background(), "")[0]; c.OK != (c.Detail != "" && c.Detail[0] == '/') {
		t.Errorf("without PATH: %+v", c)
	}
}
