package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline/project"
)

// output returns the output of a successful call.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	std := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}
	if status := run(context.Background(), args, std); status != 0 {
		t.Fatalf("%q: status %d: %s", args, status, errs.String())
	}
	return out.String()
}

// TestManual checks that every visible command has a page, and that the pages cover every flag and every key of
// unitproof.toml. If groff is installed, it must accept the pages.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	output(t, "man", "--dir", dir)
	var files []string
	page := func(name string) string {
		files = append(files, filepath.Join(dir, "man"+name[len(name)-1:], name))
		data, err := os.ReadFile(files[len(files)-1])
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	top := page("unitproof.1")
	for _, c := range rootCommand(cli.Streams{}, nil).Commands() {
		if c.Hidden {
			if strings.Contains(top, "\n\\fB"+c.Name()+"\\fR\n") {
				t.Errorf("the hidden command %s is in unitproof.1", c.Name())
			}
			continue
		}
		text := page("unitproof-" + c.Name() + ".1")
		if !strings.Contains(top, "\n\\fB"+c.Name()+"\\fR\n") {
			t.Errorf("%s is missing in unitproof.1", c.Name())
		}
		for _, cmd := range append([]*cobra.Command{c}, c.Commands()...) {
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
				head := "\\fB\\-\\-" + strings.ReplaceAll(f.Name, "-", "\\-") + "\\fR"
				if strings.Contains(text, head) == (f.Hidden || f.Name == "help") {
					t.Errorf("%s: hidden %t, in its page %t", f.Name, f.Hidden, strings.Contains(text, head))
				}
			})
		}
	}
	config := page("unitproof.toml.5")
	for _, table := range project.Tables() {
		for _, k := range table.Keys {
			if !strings.Contains(config, "\n\\fB"+strings.ReplaceAll(k.Name, "-", "\\-")+"\\fR") {
				t.Errorf("the key %s is missing in unitproof.toml.5", k.Name)
			}
		}
	}
	if strings.ContainsAny(config, "`") {
		t.Errorf("Markdown is left in unitproof.toml.5:\n%s", config)
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		out, err := exec.Command(groff, append([]string{"-ww", "-z", "-man", "-Tutf8"}, files...)...).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("groff: %v\n%s", err, out)
		}
	}
	if got := output(t, "man", "check"); got != page("unitproof-check.1") {
		t.Errorf("man check writes\n%s", got)
	}
}

// TestCompletion requests completions like a shell.
func TestCompletion(t *testing.T) {
	const (
		nothing = ":4" // cobra's ShellCompDirectiveNoFileComp
		cFiles  = ":8"
		folders = ":16"
		files   = ":0"
	)
	for _, c := range []struct {
		call []string
		want []string // in this order; a subset if the shell filters
	}{
		{[]string{"check", "--vacuity", ""}, []string{"entry", "all", "off", nothing}},
		{[]string{"check", "--malloc-may-fail="}, []string{"true", "false", nothing}},
		{[]string{"check", "--no-check", "memory-"}, []string{"memory-leak", nothing}},
		{[]string{"check", "--accept", ""}, []string{"bounded", "unknown", "bounded,unknown", nothing}},
		{[]string{"check", "--unwind", ""}, []string{nothing}},
		{[]string{"check", "-I", ""}, []string{folders}},
		{[]string{"check", "--source", ""}, []string{files}},
		{[]string{"check", "src/"}, []string{"c", cFiles}},
		{[]string{"run", ""}, []string{"c", cFiles}},
		{[]string{"dump", "--stage", "s"}, []string{"sea", "smt2", nothing}},
		{[]string{"explain", "div"}, []string{"division-by-zero", nothing}},
		{[]string{"explain", "assertion", ""}, []string{nothing}},
		{[]string{"lsp", "--log", "i"}, []string{"info", nothing}},
		{[]string{"wa"}, []string{"watch\tVerify again whenever a file changes", nothing}},
		{[]string{"check", "--mal"}, []string{"--malloc-may-fail\twhether malloc and its like may return NULL (default true)",
			nothing}},
	} {
		got := strings.Fields(strings.ReplaceAll(output(t, append([]string{"__complete"}, c.call...)...), " ", "_"))
		want := strings.Fields(strings.ReplaceAll(strings.Join(c.want, "\n"), " ", "_"))
		got = slices.DeleteFunc(got, func(s string) bool {
			return len(want) > 1 && !strings.HasPrefix(s, ":") && !slices.Contains(want, s)
		})
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.call, got, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if script := output(t, "completion", shell); !strings.Contains(script, "unitproof") ||
			!strings.Contains(script, "__complete") {
			t.Errorf("the script of %s does not ask the program:\n%s", shell, script)
		}
	}
}
