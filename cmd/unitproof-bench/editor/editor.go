// Package editor measures what an editor's user feels, with the fake editor and a server as a process.
//
// Times are wall clock in milliseconds, medians unless a name says otherwise; each bar is for two idle cores. The files
// are made in a temporary folder, but for those of [Options.Corpus].
package editor

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// figure is one measured value.
type figure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Bar   float64 `json:"bar"` // at most
	OK    bool    `json:"ok"`
	Note  string  `json:"note,omitempty"`
}

type document struct {
	Schema  int      `json:"schema"`
	CPUs    int      `json:"cpus"`
	Load    string   `json:"load"` // of the machine while it was measured
	Figures []figure `json:"figures"`
}

// bench is one run of the program.
type bench struct {
	Options
	dir     string
	figures []figure
}

// Options say what is measured.
type Options struct {
	Program  string   // the unitproof to measure
	Runs     int      // how often each step is taken
	JSON     string   // the file for the figures, "": none
	Only     []string // the measurements to take; none: all
	Out, Err io.Writer

	// Corpus is a workspace with a proof of a real code base: Proof is measured while Edit, a file of the code under
	// proof, is written to.
	Corpus, Proof, Edit string
}

// Measure takes the measurements and tells of them.
func Measure(opts Options) error {
	b := &bench{Options: opts}
	if err := b.measure(); err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg")
	doc := document{Schema: 1, CPUs: runtime.NumCPU(), Load: strings.TrimSpace(string(load)), Figures: b.figures}
	for _, f := range b.figures {
		state := "ok"
		if !f.OK {
			state = "OVER"
		}
		fmt.Fprintf(b.Out, "%-46s %10.1f %-3s (bar %6g) %s %s\n", f.Name, f.Value, f.Unit, f.Bar, state, f.Note)
	}
	if b.JSON == "" {
		return nil
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(b.JSON, append(data, '\n'), 0o644)
}

// measurements are the parts of a run; each has sessions of its own.
var measurements = []struct {
	name string
	run  func(b *bench)
}{
	{"initialize", (*bench).initialize},
	{"small", (*bench).small},
	{"header", (*bench).header},
	{"busy", (*bench).busy},
	{"reopen", (*bench).reopen},
	{"edits", (*bench).edits},
	{"scan", (*bench).scan},
}

func (b *bench) measure() (err error) {
	if b.dir, err = os.MkdirTemp("", "unitproof-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = failed.error
		}
	}()
	for _, m := range measurements {
		if len(b.Only) == 0 || slices.Contains(b.Only, m.name) {
			fmt.Fprintln(b.Err, "measuring:", m.name)
			m.run(b)
		}
	}
	if b.Corpus != "" {
		b.corpus(b.Corpus, b.Proof, b.Edit)
	}
	return nil
}

func (b *bench) add(name, unit string, value, bar float64, note string) {
	b.figures = append(b.figures, figure{name, unit, value, bar, value <= bar, note})
}

// times collects durations.
type times []time.Duration

func (t times) median() float64 { return t.quantile(0.5) }

// quantile in milliseconds.
func (t times) quantile(q float64) float64 {
	s := slices.Clone(t)
	slices.Sort(s)
	return float64(s[min(int(q*float64(len(s))), len(s)-1)].Microseconds()) / 1000
}

func since(start time.Time) time.Duration { return time.Since(start) }
