// Package editor measures the response times that an editor's user experiences, with the fake editor and a server
// process.
//
// For example, the measurement small edits a small proof and saves it:
//
//	s.Replace(d, "return 0;", ";return 0;")   // until the diagnostics are marked as stale
//	s.Save(d)                                 // until the new result is shown
//
// Measure runs the measurements (measure.go) in sessions (session.go), and compares each figure with its bar, the
// largest accepted value on two idle cores. Times are wall-clock in milliseconds, medians unless a name states
// otherwise. The files are generated in a temporary folder, except for those of [Options.Corpus].
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
	Bar   float64 `json:"bar"` // largest accepted value
	OK    bool    `json:"ok"`
	Note  string  `json:"note,omitempty"`
}

type document struct {
	Schema  int      `json:"schema"`
	CPUs    int      `json:"cpus"`
	Load    string   `json:"load"` // of the machine during the measurement
	Figures []figure `json:"figures"`
}

// bench is one run of the program.
type bench struct {
	Options
	dir     string
	figures []figure
}

// Options configure the measurements.
type Options struct {
	Program  string   // the unitproof to measure
	Runs     int      // number of repetitions of each step
	JSON     string   // the file for the figures, "" for none
	Only     []string // names of measurements; empty for all
	Out, Err io.Writer

	// Corpus is a workspace with a proof of real code: Proof is measured while Edit, a file of the code under proof,
	// is edited.
	Corpus, Proof, Edit string
}

// Measure runs the measurements and prints the figures.
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

// measurements are the parts of a run; each has its own sessions.
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

// times is a list of durations.
type times []time.Duration

func (t times) median() float64 { return t.quantile(0.5) }

// quantile returns a quantile in milliseconds.
func (t times) quantile(q float64) float64 {
	s := slices.Clone(t)
	slices.Sort(s)
	return float64(s[min(int(q*float64(len(s))), len(s)-1)].Microseconds()) / 1000
}

func since(start time.Time) time.Duration { return time.Since(start) }
