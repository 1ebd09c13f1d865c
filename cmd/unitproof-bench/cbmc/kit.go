package cbmc

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed litani.sh
var litani []byte

// freeRTOS is a rule for FreeRTOS's kits: like their rule for cbmc.xml, except for the output format.
const freeRTOS = `.PHONY: unitproof-cbmc
unitproof-cbmc: $(ENTRY).goto
	cbmc $(CBMCFLAGS) $(SOLVER) --trace $<
`

// Kits runs goto-cc, goto-instrument and cbmc from PATH through the Makefiles of CBMC starter kits.
type Kits struct {
	Version      string
	litani, rule string // paths
}

// FindKits searches for the programs that kits need. It writes two files to the folder dir.
func FindKits(ctx context.Context, dir string) (*Kits, error) {
	for _, name := range []string{"make", "goto-cc", "goto-instrument", "cbmc"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil, fmt.Errorf("no %s on PATH", name)
		}
	}
	c, err := Find(ctx, dir)
	if err != nil {
		return nil, err
	}
	k := &Kits{c.Version, filepath.Join(dir, "litani"), filepath.Join(dir, "rule.mk")}
	if err := os.WriteFile(k.litani, litani, 0o700); err != nil {
		return nil, err
	}
	return k, os.WriteFile(k.rule, []byte(freeRTOS), 0o600)
}

// Run rebuilds a proof by the rules of its folder's Makefile, with the kit's own options, and parses cbmc's output.
// The cost includes make and all processes that it starts. The error is that of the context.
func (k *Kits) Run(ctx context.Context, dir string, timeout time.Duration) (*Result, error) {
	makefile, err := os.ReadFile(filepath.Join(dir, "Makefile"))
	if err != nil {
		return &Result{Verdict: "unreadable", Reason: err.Error() + " (FreeRTOS's prepare.py makes it)"}, nil
	}
	said := filepath.Join(dir, "logs", "result.txt")
	args := []string{"-s", "LITANI=" + k.litani, "_result"}
	if bytes.Contains(makefile, []byte("H_ENTRY")) {
		said = ""
		args = []string{"-s", "-B", "-f", "Makefile", "-f", k.rule, "unitproof-cbmc"}
	} else {
		made := []string{filepath.Join(dir, "gotos"), filepath.Dir(said)}
		if err := errors.Join(os.RemoveAll(made[0]), os.RemoveAll(made[1])); err != nil {
			return nil, err
		}
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") })
	text, status, cost, err := Measure(ctx, timeout, dir, env, "make", args...)
	r := &Result{Cost: cost}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, ErrTimeout):
		r.Verdict, r.Reason = "timeout", fmt.Sprintf("more than %s", timeout)
		return r, nil
	case err != nil:
		r.Verdict, r.Reason = "unreadable", err.Error()
		return r, nil
	}
	if said != "" {
		if text.Out, err = os.ReadFile(said); err != nil {
			text.Out = nil // the status and make's output are the reason
		}
	}
	r.Output = Parse(text.Out, nil)
	if r.Verdict = r.Output.Verdict; r.Verdict == "" {
		r.Verdict = "unreadable"
		lines := strings.Split(strings.TrimSpace(string(text.Err)), "\n")
		r.Reason = strings.TrimSpace(fmt.Sprintf("exit status %d: %s", status, lines[len(lines)-1]))
	}
	return r, nil
}
