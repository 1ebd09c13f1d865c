package cbmc

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/project"
)

//go:embed header/unitproof.h
var header []byte

// CBMC is an installed cbmc.
type CBMC struct {
	Path, Version string
	headers       string
	standard      bool // has standard checks: 6.0 and later
}

// Find looks for cbmc. headers is a folder in which the header may be put.
func Find(ctx context.Context, headers string) (*CBMC, error) {
	path, err := exec.LookPath("cbmc")
	if err != nil {
		return nil, errors.New("no cbmc on PATH; it is at https://github.com/diffblue/cbmc/releases, and in Debian from " +
			"version 13 on")
	}
	if err := os.WriteFile(filepath.Join(headers, "unitproof.h"), header, 0o600); err != nil {
		return nil, err
	}
	out, status, _, err := Measure(ctx, time.Minute, "", nil, path, "--version")
	version := strings.TrimSpace(string(out.Out))
	if err == nil && (status != 0 || version == "") {
		err = fmt.Errorf("exit status %d and %q", status, version)
	}
	if err != nil {
		return nil, fmt.Errorf("cbmc --version: %w", err)
	}
	major, _, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(major) // else an old one
	return &CBMC{Path: path, Version: version, headers: headers, standard: n >= 6}, nil
}

// Result is what cbmc says of a proof.
type Result struct {
	// Verdict is proved, bounded, failed, timeout, or unreadable: cbmc came to no verdict, and Reason says why.
	Verdict, Reason string
	Unwind          int      // how often loops may run
	Dropped         []string // options of the compiler that cbmc was not given
	Output          *Output  // may be nil
	Cost            Cost     // of the last call
	// Setting are options that made cbmc go through, for the next call on the same proof.
	Setting Setting
}

// Setting is what is found out by trying.
type Setting struct{ Unwind, ObjectBits int }

// objectBits are tried when objects have too few numbers; 0 is the default, 8.
var objectBits = []int{0, 12, 16}

// Run has cbmc do a proof, within a time for each call. Where its bound is automatic or cbmc needs more numbers for
// objects, several calls are made, and the cost is that of the last one alone. A setting of an earlier Run saves the
// others. The error is that of the context.
func (c *CBMC) Run(ctx context.Context, p *project.Proof, timeout time.Duration, known *Setting) (*Result, error) {
	cmd, err := commandOf(p, c.headers, c.standard)
	if err != nil {
		return &Result{Verdict: "unreadable", Reason: err.Error()}, nil
	}
	tried, bits := boundsOf(p), objectBits
	if known != nil {
		tried, bits = []int{known.Unwind}, []int{known.ObjectBits}
	}
	var r *Result
	for _, n := range tried {
		for len(bits) > 0 {
			r = &Result{Unwind: n, Dropped: cmd.dropped, Setting: Setting{n, bits[0]}}
			args := append(unwind(n), cmd.args...)
			if bits[0] > 0 {
				args = append(args, "--object-bits", strconv.Itoa(bits[0]))
			}
			if err := c.call(ctx, r, timeout, p.EntryUnit.Dir, args); err != nil {
				return nil, err
			}
			if len(bits) == 1 || !strings.Contains(r.Reason, "too many addressed objects") {
				break
			}
			bits = bits[1:]
		}
		if r.Verdict != "bounded" {
			break
		}
	}
	return r, nil
}

// call runs cbmc once.
func (c *CBMC) call(ctx context.Context, r *Result, timeout time.Duration, dir string, args []string) error {
	text, status, cost, err := Measure(ctx, timeout, dir, nil, c.Path, args...)
	r.Cost = cost
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrTimeout):
		r.Verdict, r.Reason = "timeout", fmt.Sprintf("more than %s", timeout)
		return nil
	case err != nil:
		r.Verdict, r.Reason = "unreadable", err.Error()
		return nil
	}
	out := Parse(text.Out, text.Err)
	r.Output, r.Verdict = out, out.Verdict
	if r.Verdict == "" {
		r.Verdict, r.Reason = "unreadable", fmt.Sprintf("exit status %d", status)
		if len(out.Errors) > 0 {
			r.Reason = strings.Join(out.Errors, "; ")
		}
	}
	return nil
}
