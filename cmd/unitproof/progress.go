package main

import (
	"io"

	"github.com/schollz/progressbar/v3"

	"github.com/unitproof/unitproof/cmd/internal/cli"
)

// progress shows on a terminal how far a run is; nil shows nothing.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress starts a bar when people watch and there is something to wait for.
func newProgress(w io.Writer, total int) *progress {
	if total < 2 || !cli.IsTerminal(w) {
		return nil
	}
	return &progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(20), progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetDescription("checking"))}
}

// What a terminal cannot show is no reason to stop: errors of the bar are of no interest.

func (p *progress) started(name string) {
	if p != nil {
		p.bar.Describe(name)
	}
}

func (p *progress) hide() {
	if p != nil {
		_ = p.bar.Clear()
	}
}

func (p *progress) finished() {
	if p != nil {
		_ = p.bar.Add(1)
	}
}

func (p *progress) close() {
	if p != nil {
		_ = p.bar.Finish()
	}
}
