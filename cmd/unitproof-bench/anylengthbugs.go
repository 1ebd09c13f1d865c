package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/vcgen/found"
)

// bugKind says what a change of a proved function is, as far as it is known.
type bugKind int

const (
	bugFound    bugKind = iota // the check fails
	bugMissed                  // a native run shows a violation, and the check does not decide
	bugWrong                   // a native run shows a violation of what is proved
	bugHarmless                // it is proved, and no native run shows a violation
	bugOpen                    // no native run shows a violation, and the check does not decide or there was no run
)

// kind returns what the change is.
func (o *anyLengthOutcome) kind() bugKind {
	switch {
	case o.Verdict == found.Failed:
		return bugFound
	case o.refuted():
		return bugWrong
	case o.Violation != "":
		return bugMissed
	case o.Verdict == found.Proved && o.Runs > 0:
		return bugHarmless
	}
	return bugOpen
}

// changeSeconds is how long a changed function that does not fail is executed natively.
const changeSeconds = 10

// candidateBug is a change of a file of a library.
type candidateBug struct {
	seededBug
	file string // as the harness includes it
	text []byte // of the file, without the bug
}

// plantInParsers puts one bug after the other into the functions, in turn, and returns the results of the changes that
// compile. It ends when n bugs are found or shown by a native run.
func plantInParsers(std cli.Streams, runs []*anyLengthRun, n int) (list []anyLengthOutcome, err error) {
	candidates := make([][]candidateBug, len(runs))
	for i, r := range runs {
		if candidates[i], err = r.candidates(i); err != nil {
			return nil, err
		}
	}
	for more, bugs := true, 0; more; {
		more = false
		for i, r := range runs {
			if len(candidates[i]) == 0 {
				continue
			}
			b := candidates[i][0]
			candidates[i], more = candidates[i][1:], true
			out, err := r.plant(&b)
			if err != nil {
				return nil, err
			}
			if out.Verdict == found.Error {
				continue
			}
			fmt.Fprintln(std.Err, out)
			list = append(list, *out)
			if k := out.kind(); k == bugFound || k == bugMissed || k == bugWrong {
				if bugs++; bugs == n {
					return list, nil
				}
			}
		}
	}
	return list, nil
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

// plant checks the function with a bug, executes it if it does not fail, and removes the bug again.
func (r *anyLengthRun) plant(b *candidateBug) (*anyLengthOutcome, error) {
	changed := filepath.Join(r.dir, b.file)
	err := errors.Join(os.MkdirAll(filepath.Dir(changed), 0o755), os.WriteFile(changed, b.in(b.text), 0o644))
	if err != nil {
		return nil, err
	}
	defer os.Remove(changed)
	out, err := r.check()
	if err != nil {
		return nil, err
	}
	out.Bug = filepath.Base(b.file) + ": " + b.describe(b.text)
	if out.Verdict != found.Failed && out.Verdict != found.Error {
		r.execute(out, changeSeconds)
	}
	return out, nil
}
