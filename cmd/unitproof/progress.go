package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/unitproof/unitproof/diagnostics"
)

// progress shows the progress of a run on a terminal, and violations during a proof. Without a terminal it shows
// nothing.
type progress struct {
	w     io.Writer // nil without a terminal
	bar   *progressbar.ProgressBar
	began map[string]time.Time // proofs, by name
	now   func() time.Time
}

// soon is the time after which violations of a proof are shown before its result.
const soon = 2 * time.Second

// newProgress starts a progress bar if w is a terminal and there are several proofs.
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

// started records the start of a proof. Errors of the bar are ignored: an unusual terminal must not stop a run.

func (p *progress) started(name string) {
	p.began[name] = p.now()
	if p.bar != nil {
		p.bar.Describe(name)
	}
}

// found shows a violation of an unfinished proof.
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
