package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
)

// TestProgressShowsViolations checks that violations of a slow proof are shown before its result on a terminal.
func TestProgressShowsViolations(t *testing.T) {
	f := &diagnostics.Finding{File: "p.c", Line: 3, Column: 5, Kind: "assertion", Message: "`x` is false"}
	for _, c := range []struct {
		watched bool
		after   time.Duration
		want    string
	}{
		{true, 3 * time.Second, "p.c:3:5: failed [assertion] `x` is false (slow goes on)\n"},
		{true, time.Second, ""},
		{false, 3 * time.Second, ""},
	} {
		var out bytes.Buffer
		p := newProgress(&out, 1, c.watched)
		now := time.Unix(0, 0)
		p.now = func() time.Time { return now }
		p.started("slow")
		now = now.Add(c.after)
		p.found("slow", f)
		p.close()
		if out.String() != c.want {
			t.Errorf("%+v: %q", c, out.String())
		}
	}
}
