package cbmc

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// bounds are the loop bounds that are tried until no loop needs more, if the proof's bound is automatic.
var bounds = []int{64, 256, 1024}

// boundsOf returns the bounds to try for a proof. The largest bound of any loop is used for all, as CBMC numbers
// loops in another order.
func boundsOf(p *project.Proof) []int {
	most := p.Options.Unwind
	for _, n := range p.Options.Loops {
		most = max(most, n)
	}
	if most > 0 {
		return []int{most}
	}
	return bounds
}

// options are the checks of CBMC with the kinds that they correspond to. CBMC does not check the other kinds, or only
// together with others (--conversion-check reports every narrowing conversion).
var options = []struct {
	option string
	kinds  []found.Kind
}{
	{"pointer-check", []found.Kind{"null-dereference", "invalid-pointer", "use-after-free", "use-after-scope",
		"out-of-bounds-read", "out-of-bounds-write", "double-free", "invalid-free"}},
	{"bounds-check", []found.Kind{"array-bounds"}},
	{"signed-overflow-check", []found.Kind{"signed-overflow"}},
	{"unsigned-overflow-check", []found.Kind{"unsigned-overflow"}},
	{"div-by-zero-check", []found.Kind{"division-by-zero"}},
	{"undefined-shift-check", []found.Kind{"invalid-shift"}},
	{"memory-leak-check", []found.Kind{"memory-leak"}},
}

// command is the call of cbmc for a proof.
type command struct {
	args    []string // without the bound and the object bits
	dropped []string // compiler options without equivalent in cbmc
}

// commandOf translates a proof. headers is the folder with unitproof.h for CBMC; standard reports that this cbmc
// enables some checks by default (from version 6.0 on). The error is the reason that CBMC cannot check the proof.
func commandOf(p *project.Proof, headers string, standard bool) (*command, error) {
	switch {
	case len(p.RemoveBodies) > 0:
		return nil, errors.New("functions whose bodies are removed: that takes goto-instrument")
	case p.Options.MissingBody == found.MissingError:
		return nil, errors.New("missing-body is error: cbmc has no such option")
	}
	c := &command{args: []string{"--function", p.Entry, "-I", headers}}
	if standard {
		c.args = append(c.args, "--no-standard-checks")
	}
	for _, o := range options {
		if slices.ContainsFunc(o.kinds, func(k found.Kind) bool { return p.Options.Checks[k] }) {
			c.args = append(c.args, "--"+o.option)
		}
	}
	if p.Options.MallocMayFail {
		c.args = append(c.args, "--malloc-may-fail", "--malloc-fail-null")
	}
	c.args = append(c.args, "--unwinding-assertions")
	seen := map[string]bool{}
	var files []string
	// Of two definitions cbmc uses the first, like unitproof (duplicate_code_symbol in linking/linking.cpp).
	for _, u := range slices.Concat(p.Overrides, []project.Unit{p.EntryUnit}, p.Sources) {
		if seen[u.File] {
			continue
		}
		seen[u.File] = true
		files = append(files, u.File)
		c.flags(u)
	}
	c.args = append(c.args, files...)
	return c, nil
}

// flags adds a unit's options. cbmc has one set for all files; duplicates are not added.
func (c *command) flags(u project.Unit) {
	add := func(args ...string) {
		for i := 0; i+len(args) <= len(c.args); i++ {
			if slices.Equal(c.args[i:i+len(args)], args) {
				return
			}
		}
		c.args = append(c.args, args...)
	}
	path := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(u.Dir, name)
	}
	for i := 0; i < len(u.Flags); i++ {
		f := u.Flags[i]
		value := func(prefix string) (string, bool) {
			rest, ok := strings.CutPrefix(f, prefix)
			if ok && rest == "" && i+1 < len(u.Flags) {
				i++
				rest = u.Flags[i]
			}
			return rest, ok && rest != ""
		}
		if v, ok := value("-I"); ok {
			add("-I", path(v))
		} else if v, ok := value("-D"); ok {
			add("-D", v)
		} else if v, ok := value("-isystem"); ok {
			add("-I", path(v))
		} else if v, ok := value("-iquote"); ok {
			add("-I", path(v))
		} else if v, ok := value("-include"); ok {
			if _, err := filepath.Abs(v); err == nil {
				add("--include", path(v))
			}
		} else if standard, ok := strings.CutPrefix(f, "-std="); ok {
			switch {
			case strings.HasSuffix(standard, "89") || strings.HasSuffix(standard, "90"):
				add("--c89")
			case strings.HasSuffix(standard, "99"):
				add("--c99")
			default:
				add("--c11")
			}
		} else if f == "-m32" {
			add("--32")
		} else if f == "-funsigned-char" {
			add("--unsigned-char")
		} else if !meaningless(f) && !slices.Contains(c.dropped, f) {
			c.dropped = append(c.dropped, f)
		}
	}
}

// meaningless reports whether an option has no effect on a program's semantics in CBMC.
func meaningless(flag string) bool {
	return strings.HasPrefix(flag, "-W") || strings.HasPrefix(flag, "-g") || strings.HasPrefix(flag, "-O") ||
		flag == "-c" || flag == "-pedantic" ||
		flag == "-w" || strings.HasPrefix(flag, "-fdiagnostics")
}

// unwind returns the option for loops that may run n times: cbmc counts the last evaluation of the condition as well.
func unwind(n int) []string { return []string{"--unwind", strconv.Itoa(n + 1)} }
