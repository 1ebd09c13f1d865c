// Command benchmark measures what an editor's user feels, with the fake editor and a server as a process:
//
//	go run ./lsp/lsptest/benchmark --program bin/unitproof --json bin/bench-editor.json
//
// Times are wall clock in milliseconds, medians unless a name says otherwise; each bar is the one of the
// plan, on two idle cores. The files are made in a temporary folder; with --corpus FOLDER --edit FILE a proof of
// a real code base is measured, whose file is written to.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	program string
	runs    int
	dir     string
	figures []figure
}

func main() {
	b := &bench{}
	flag.StringVar(&b.program, "program", "bin/unitproof", "the program to measure")
	flag.IntVar(&b.runs, "runs", 10, "how often each step is taken")
	output := flag.String("json", "", "write the figures to this file")
	only := flag.String("only", "", "the measurements to take, with commas between; all by default")
	corpus := flag.String("corpus", "", "a workspace with a proof of a real code base")
	proof := flag.String("proof", "array_list_back", "the proof of it to measure")
	edit := flag.String("edit", "", "the file of the code under proof to edit")
	flag.Parse()
	if err := b.measure(*only, *corpus, *proof, *edit); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	doc := document{Schema: 1, CPUs: runtime.NumCPU(), Load: strings.TrimSpace(string(load)), Figures: b.figures}
	for _, f := range b.figures {
		state := "ok"
		if !f.OK {
			state = "OVER"
		}
		fmt.Printf("%-46s %10.1f %-3s (bar %6g) %s %s\n", f.Name, f.Value, f.Unit, f.Bar, state, f.Note)
	}
	if *output != "" {
		data, err := json.MarshalIndent(doc, "", "  ")
		if err == nil {
			err = os.WriteFile(*output, append(data, '\n'), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "benchmark:", err)
			os.Exit(1)
		}
	}
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

func (b *bench) measure(only, corpus, proof, edit string) (err error) {
	program, err := filepath.Abs(b.program)
	if err != nil {
		return err
	}
	b.program = program
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
		if only == "" || slices.Contains(strings.Split(only, ","), m.name) {
			fmt.Fprintln(os.Stderr, "measuring:", m.name)
			m.run(b)
		}
	}
	if corpus != "" {
		b.corpus(corpus, proof, edit)
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
