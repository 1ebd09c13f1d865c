package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/wrap"
)

func wrapCommand(std cli.Streams) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:   "wrap [flags] COMMAND...",
		Short: "Record the compile commands of a build",
		Long: `wrap runs a build (make -j4, ./build.sh) and writes compile_commands.json, which has the flags
of each C file that the build compiled. check, new and editors read it. Files that the build
did not compile keep their entries, so a build of a few changed files loses nothing.

The calls of compilers are seen through PATH, in which links to this program come first, and
through a variable (CC=/opt/gcc/bin/gcc) in the environment or in the words of COMMAND. The exit
status is that of COMMAND. CMake and Meson run unseen, as they write the file themselves.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("which build? unitproof wrap make")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return record(cmd.Context(), std, output, args) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // the flags behind COMMAND are its own
	f.StringVarP(&output, "output", "o", "compile_commands.json", "write to `FILE`")
	return cmd
}

// record runs a build and writes the compile commands of it.
func record(ctx context.Context, std cli.Streams, output string, command []string) error {
	if err := cli.CheckOutputs(output); err != nil {
		return err
	}
	if output == "-" {
		return errors.New("-o must be a file: standard output belongs to the build")
	}
	output, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	if _, _, err := merged(output, nil); err != nil { // before a long build
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	session, err := wrap.Open(self)
	if err != nil {
		return err
	}
	defer session.Close()
	words, env, err := session.Command(command, os.Environ())
	if err != nil {
		return err
	}
	build := exec.Command(session.Program(words[0]), words[1:]...)
	build.Args[0] = words[0]
	build.Env = env
	build.Stdin, build.Stdout, build.Stderr = std.In, std.Out, std.Err
	added := 0
	failed := runBuild(build, func() { // a second interrupt loses nothing
		if r, err := writeCommands(session, output); err == nil { // errors are reported at the end
			added += r.New
		}
	})
	var status *exec.ExitError
	if failed != nil && !errors.As(failed, &status) {
		return failed // it did not start
	}
	summary, err := writeCommands(session, output)
	if err != nil {
		fmt.Fprintf(std.Err, "unitproof wrap: %v\n", err)
	} else {
		summary.New += added
		summary.print(std.Err, output, command)
	}
	switch {
	case status != nil:
		return cli.ExitCode(statusOf(status.ProcessState))
	case ctx.Err() != nil:
		return cli.ExitCode(cli.ExitInterrupted)
	case err != nil:
		return cli.ExitCode(diagnostics.ExitError)
	}
	return nil
}

// runBuild runs a build to its end, and passes signals on to it. It calls interrupted after each one.
func runBuild(build *exec.Cmd, interrupted func()) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := build.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- build.Wait() }()
	for {
		select {
		case err := <-done:
			return err
		case s := <-signals:
			if s != os.Interrupt || !inForeground() {
				_ = build.Process.Signal(s) // it may have ended
			}
			interrupted()
		}
	}
}

// inForeground reports whether the terminal sends its interrupts to this process and to the build.
func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// statusOf returns the exit status of a process as shells do: 128 and the signal for a killed one.
func statusOf(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}

// recorded is the result of a build for its user.
type recorded struct {
	*wrap.Merged
	calls    int
	problems []string
}

// writeCommands writes the compile commands of the build so far. The folder of the file is locked, as builds may run
// in parallel.
func writeCommands(session *wrap.Session, output string) (*recorded, error) {
	records, err := session.Records()
	if err != nil {
		return nil, err
	}
	r := &recorded{calls: len(records)}
	var entries []wrap.Entry
	for _, call := range records {
		entries = append(entries, call.Entries...)
		if call.Problem != "" && !slices.Contains(r.problems, call.Problem) {
			r.problems = append(r.problems, call.Problem)
		}
	}
	folder, err := os.Open(filepath.Dir(output))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	_ = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX) // some file systems have no locks
	earlier, m, err := merged(output, entries)
	r.Merged = m
	if err != nil || m.Compiled == 0 || string(m.Text) == string(earlier) {
		return r, err
	}
	return r, cli.WriteOutput(cli.Streams{}, output, func(w io.Writer) error {
		_, err := w.Write(m.Text)
		return err
	})
}

// merged returns the text of a compile_commands.json, and the text with further entries.
func merged(file string, entries []wrap.Entry) (earlier []byte, m *wrap.Merged, err error) {
	earlier, err = regular.ReadFile(file, regular.MaxDatabase)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if m, err = wrap.Merge(earlier, filepath.Dir(file), entries); err != nil {
		return nil, nil, fmt.Errorf("%s %w", file, err)
	}
	return earlier, m, nil
}

// print reports the recorded files, or the remedy if there are none.
func (r *recorded) print(w io.Writer, output string, command []string) {
	for _, p := range r.problems {
		fmt.Fprintf(w, "unitproof wrap: a call of a compiler could not be recorded exactly: %s\n", p)
	}
	name := filepath.Base(output)
	if r.Compiled > 0 {
		fmt.Fprintf(w, "unitproof wrap: %s has %s (compiled now: %d, of these new: %d)\n", name,
			phrase.Count(r.Compiled+r.Kept, "C file"), r.Compiled, r.New)
		return
	}
	if r.Kept > 0 {
		fmt.Fprintf(w, "unitproof wrap: the build compiled no C file: %s stays as it was, with %s\n", name,
			phrase.Count(r.Kept, "C file"))
		return
	}
	if r.calls > 0 {
		fmt.Fprintf(w, "unitproof wrap: the build called a compiler (%s), but compiled no C file that still exists: "+
			"%s is not written\n", phrase.Count(r.calls, "call"), name)
	} else {
		fmt.Fprintf(w, "unitproof wrap: the build ran no compiler that could be recorded: %s is not written\n", name)
	}
	again := "clean first, so that it compiles its files again"
	if base := filepath.Base(command[0]); base == "make" || base == "gmake" {
		again += " (" + strings.Join(slices.Insert(slices.Clone(command), 1, "-B"), " ") + ")"
	}
	fmt.Fprintf(w, "  If there was nothing to compile, %s.\n", again)
	if r.calls == 0 {
		fmt.Fprint(w, "  If a file of the build names the compiler by its path, name it in the command: make CC=gcc.\n"+
			"  CMake (-DCMAKE_EXPORT_COMPILE_COMMANDS=ON) and Meson write compile_commands.json themselves.\n")
	}
}
