// Command unitproof-bench measures unitproof and attacks its verdicts. It is for developers of unitproof, and for
// users who doubt its figures; docs/benchmarks.md describes its use and its output. Each subcommand has its own file:
//
//   - stages: the costs of proofs by stage, cold and warm, compared with earlier ones or with another build
//     (against.go)
//   - scaling: generated programs of growing size (package scaling)
//   - cbmc: the same proofs by an installed CBMC (package cbmc)
//   - replay, editor: response times for the user of an editor (package editor)
//   - corpus: proofs of other projects, imported from CBMC's starter kits
//   - libraries: proofs of public libraries at growing sizes, and with planted bugs
//   - first: first proofs of functions of public libraries, and with bugs planted by rule (firstbugs.go)
//   - any-length: functions of public libraries with inputs of any length, and with bugs (anylengthbugs.go)
//   - seahorn: the unitproof.toml of SeaHorn's proofs of aws-c-common (package seahorn)
//   - sets: the failing sets that suggest finds for failing programs
//   - cores: reported cores of proofs, checked by omitting assumptions
//   - attack: proved programs, run natively with random inputs
//   - mutate: the engine itself, with small changes (package mutants)
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline/project"
)

func main() { cli.Main(rootCommand) }

// rootCommand returns the root command. The program is its own worker, so that it measures the engine that it is
// built with.
func rootCommand(std cli.Streams, _ []string) *cobra.Command {
	root := cli.Root(&cobra.Command{Use: "unitproof-bench", Short: "Measure unitproof, and attack its verdicts"}, std)
	root.AddCommand(stagesCommand(std), scalingCommand(std), cbmcCommand(std), replayCommand(std), editorCommand(std),
		attackCommand(std), coresCommand(std), corpusCommand(std), librariesCommand(std), seahornCommand(std),
		mutateCommand(std), limitsCommand(std), firstCommand(std), refactoringsCommand(std),
		setsCommand(std), anyLengthCommand(std),
		cli.WorkerCommand(std))
	return root
}

// selected are the flags that select the proofs of a measurement.
type selected struct {
	project project.Flags
	engine  cli.Engine
}

func (s *selected) add(f *pflag.FlagSet) {
	f.SortFlags = false
	cli.AddSelection(f, &s.project)
	cli.AddSettings(f, &s.project)
	cli.AddEngine(f, &s.engine)
}

// measured are the flags of all measurements of proofs.
type measured struct {
	selected
	runs int
	json string
}

func (m *measured) add(f *pflag.FlagSet) {
	f.SortFlags = false
	f.IntVar(&m.runs, "runs", 5, "how often each proof is checked, `N`")
	f.StringVar(&m.json, "json", "", "write the numbers to `FILE`; - is standard output")
	m.selected.add(f)
}

func (m *measured) contradiction() error {
	if m.runs < 1 {
		return fmt.Errorf("--runs %d: at least 1 is wanted", m.runs)
	}
	return nil
}

// people returns the output for the text.
func (m *measured) people(std cli.Streams) *cli.Sticky {
	if m.json == "-" {
		return &cli.Sticky{W: std.Err}
	}
	return &cli.Sticky{W: std.Out}
}

// write writes a document to the file of --json.
func (m *measured) write(std cli.Streams, doc any) error { return writeJSON(std, m.json, doc) }

// writeJSON writes a document to a file; nothing if name is "".
func writeJSON(std cli.Streams, name string, doc any) error {
	if name == "" {
		return nil
	}
	return cli.WriteOutput(std, name, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(doc)
	})
}

// machine returns the name of the processor, or its architecture if that is unknown.
func machine() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
