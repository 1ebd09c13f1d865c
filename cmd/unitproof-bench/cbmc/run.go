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
	standard      bool // enables standard checks by default: 6.0 and later
}

// Find searches for cbmc, and writes the header to the folder headers.
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
	n, _ := strconv.Atoi(major) // 0 for an unknown version, treated as old
	return &CBMC{Path: path, Version: version, headers: headers, standard: n >= 6}, nil
}

// Result is cbmc's result for a proof.
type Result struct {
	// Verdict is proved, bounded, failed, timeout or unreadable: cbmc has no verdict, for the reason in Reason.
	Verdict, Reason string
	Unwind          int      // the loop bound
	Dropped         []string // compiler options that were not passed to cbmc
	Output          *Output  // may be nil
	Cost            Cost     // of the last call
	// Setting are the options with which cbmc succeeded, for the next call on the same proof.
	Setting Setting
}

// Setting has the options that are found by trying.
type Setting struct{ Unwind, ObjectBits int }

// objectBits are tried if there are too many objects; 0 is the default, 8.
var objectBits = []int{0, 12, 16}

// Run runs cbmc on a proof, with a timeout for each call. If the loop bound is automatic, or if cbmc needs more
// object bits, there are several calls, and the cost is that of the last one alone. The setting of an earlier Run
// avoids the others. The error is that of the context.
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
