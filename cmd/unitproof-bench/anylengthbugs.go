package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics/csource"
)

// changeSeconds is how long a changed function is executed natively. A change is a bug if that shows a violation.
const changeSeconds = 10

// candidateBug is a change of a file of a library.
type candidateBug struct {
	seededBug
	file string // as the harness includes it
	text []byte // of the file, without the bug
}

// plantInParsers changes the functions by rule, one change at a time, until n changes are bugs. It returns the results
// of the checks with a bug, and the number of executed changes without a violation.
func plantInParsers(std cli.Streams, runs []*anyLengthRun, n int) (list []anyLengthOutcome, quiet int, err error) {
	candidates := make([][]candidateBug, len(runs))
	for i, r := range runs {
		if candidates[i], err = r.candidates(i); err != nil {
			return nil, 0, err
		}
	}
	for more := true; more; {
		more = false
		for i, r := range runs {
			if len(candidates[i]) == 0 {
				continue
			}
			b := candidates[i][0]
			candidates[i], more = candidates[i][1:], true
			out, err := r.plant(&b)
			switch {
			case err != nil:
				return nil, 0, err
			case out.Violation == "":
				if out.NotRun == "" {
					quiet++
				}
				continue
			}
			fmt.Fprintln(std.Err, out)
			if list = append(list, *out); len(list) == n {
				return list, quiet, nil
			}
		}
	}
	return list, quiet, nil
}

// candidates returns the places of the executed functions to which a rule applies: of each rule its first places, then
// its second ones. turn is the number of the rule that comes first.
func (r *anyLengthRun) candidates(turn int) (list []candidateBug, err error) {
	byRule := make([][]candidateBug, len(seeds))
	for _, file := range r.row.files {
		text, err := r.library(file)
		if err != nil {
			return nil, err
		}
		for _, name := range r.executed {
			f, ok := csource.NewSource(text).Function(name)
			if !ok {
				continue
			}
			for k := range seeds {
				for from := f.Body; ; {
					b, ok := seeds[k](text, from, f.End)
					if !ok {
						break
					}
					byRule[k] = append(byRule[k], candidateBug{b, file, text})
					from = max(b.end, b.start+1)
				}
			}
		}
	}
	for i := 0; ; i++ {
		before := len(list)
		for k := range byRule {
			if rule := byRule[(turn+k)%len(byRule)]; i < len(rule) {
				list = append(list, rule[i])
			}
		}
		if len(list) == before {
			return list, nil
		}
	}
}

// library returns the text of a file of the library.
func (r *anyLengthRun) library(file string) ([]byte, error) {
	for _, folder := range r.folders {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, fmt.Errorf("%s: no file %s", r.row.repository, file)
}

// plant executes the function with a change, checks it if that shows a violation, and reverts the change.
func (r *anyLengthRun) plant(b *candidateBug) (*anyLengthOutcome, error) {
	changed := filepath.Join(r.dir, b.file)
	err := errors.Join(os.MkdirAll(filepath.Dir(changed), 0o755), os.WriteFile(changed, b.in(b.text), 0o644))
	if err != nil {
		return nil, err
	}
	defer os.Remove(changed)
	var executed anyLengthOutcome
	if r.execute(&executed, changeSeconds); executed.Violation == "" {
		return &executed, r.ctx.Err()
	}
	out, err := r.check()
	if err != nil {
		return nil, err
	}
	out.Bug = filepath.Base(b.file) + ": " + b.describe(b.text)
	out.Runs, out.Violation = executed.Runs, executed.Violation
	return out, nil
}
