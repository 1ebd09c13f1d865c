package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/unitproof/unitproof/diagnostics"
)

// progress shows to people at a terminal how far a run is, and what fails while a proof goes on; to others it shows
// nothing.
type progress struct {
	w     io.Writer // nil: nobody watches
	bar   *progressbar.ProgressBar
	began map[string]time.Time // proofs, by name
	now   func() time.Time
}

// soon is how long a proof is waited for before its violations are shown ahead of its result.
const soon = 2 * time.Second

// newProgress starts a bar when people watch and there is something to wait for.
func newProgress(w io.Writer, total int, watched bool) *progress {
	p := &progress{began: map[string]time.Time{}, now: time.Now}
	if !watched {
		return p
	}
	p.w = w
	if total > 1 {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetWidth(20), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetDescription("checking"))
	}
	return p
}

// What a terminal cannot show is no reason to stop: errors of the bar are of no interest.

func (p *progress) started(name string) {
	p.began[name] = p.now()
	if p.bar != nil {
		p.bar.Describe(name)
	}
}

// found shows a violation of a proof that goes on.
func (p *progress) found(name string, f *diagnostics.Finding) {
	if p.w == nil || p.now().Sub(p.began[name]) < soon {
		return
	}
	p.hide()
	fmt.Fprintf(p.w, "%s:%d:%d: failed [%s] %s (%s goes on)\n", f.File, f.Line, f.Column, f.Kind, f.Message, name)
}

func (p *progress) hide() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func (p *progress) finished() {
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
}

func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
