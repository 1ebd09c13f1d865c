package kit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/project"
)

// askTime limits the time of make for one proof.
const askTime = time.Minute

// mark is the prefix of our lines in the output of make.
const mark = "unitproof-import:"

// ask returns the values of variables according to make. makefile is the text of a Makefile; "" stands for the folder's
// own. $(info) is expanded while the file is read, so no rule is executed, but $(shell) is.
func ask(ctx context.Context, dir, makefile string, names []string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	text := makefile + "\n"
	for _, name := range names {
		text += fmt.Sprintf("$(info %s%s)\n$(info $(%s))\n", mark, name, name)
	}
	text += "$(info " + mark + ")\n.PHONY: unitproof-import\nunitproof-import: ;\n"
	args := []string{"--silent", "--no-print-directory"}
	if makefile == "" {
		args = append(args, "-f", "Makefile")
	}
	cmd := command(ctx, dir, append(args, "-f", "-", "unitproof-import")...)
	cmd.Stdin = strings.NewReader(text)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		switch {
		case errors.Is(err, exec.ErrNotFound):
			return nil, errors.New("make is needed to read the kit's Makefiles, and is not installed")
		case ctx.Err() != nil:
			return nil, fmt.Errorf("make did not end: %w", ctx.Err())
		}
		return nil, fmt.Errorf("make: %s (%w)", firstLine(errs.String()), err)
	}
	values := map[string]string{}
	for _, part := range strings.Split("\n"+out.String(), "\n"+mark)[1:] {
		name, value, _ := strings.Cut(part, "\n")
		values[name] = strings.TrimSpace(value)
	}
	if _, complete := values[""]; !complete {
		return nil, fmt.Errorf("make did not print the variables of %s", filepath.Join(dir, "Makefile"))
	}
	return values, nil
}

// makeFile generates a file by the rule in the Makefile of its folder, and reports whether there is a rule. Rules of
// kits pass commands to litani, which runs them later and need not be installed: such a command is run here.
func makeFile(ctx context.Context, path string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	dir := filepath.Dir(path)
	recipe, err := command(ctx, dir, "--silent", "--no-print-directory", "--dry-run", "--always-make", "--", path).Output()
	words, split := project.SplitShell(string(recipe))
	if err != nil || len(words) == 0 {
		return false, nil
	}
	at := slices.Index(words, "add-job")
	if at < 0 || split != nil {
		if out, err := command(ctx, dir, "--silent", "--no-print-directory", "--", path).CombinedOutput(); err != nil {
			return true, fmt.Errorf("make: %s (%w)", firstLine(string(out)), err)
		}
		return true, nil
	}
	job := map[string]string{}
	for i := at; i+1 < len(words); i++ {
		if strings.HasPrefix(words[i], "--") {
			job[words[i]] = words[i+1]
		}
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", job["--command"])
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	out, err := cmd.Output()
	if err != nil {
		return true, fmt.Errorf("%s: %w", job["--command"], err)
	}
	if job["--stdout-file"] != path {
		return true, nil
	}
	return true, os.WriteFile(path, out, 0o644)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// command returns a make that is independent of a make that started this program.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "make", args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEFILES", "GNUMAKEFLAGS", "PWD"}, name)
	})
	cmd.Env = append(cmd.Env, "PWD="+dir, "LC_ALL=C")
	return cmd
}
