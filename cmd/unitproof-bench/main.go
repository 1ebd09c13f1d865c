// Command unitproof-bench measures unitproof and attacks its verdicts. It is for those who work on the program, and for
// those who doubt its figures; docs/benchmarks.md tells how it is used and what it writes. Each subcommand has a file
// of its own:
//
//   - stages: the costs of proofs by stage, cold and warm, compared with earlier ones or with another build
//     (against.go)
//   - scaling: generated programs of growing size (package scaling)
//   - cbmc: the same proofs by an installed CBMC (package cbmc)
//   - replay, editor: what the user of an editor waits for (package editor)
//   - corpus: other people's proofs, imported from CBMC's starter kits
//   - libraries: proofs of public libraries at growing sizes, and with planted bugs
//   - seahorn: the unitproof.toml of SeaHorn's proofs of aws-c-common
//   - cores: what proofs rest on, checked without it
//   - attack: proved programs, run natively with random inputs
//   - mutate: the engine itself, changed in small ways (package mutants)
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

// rootCommand is what takes the arguments of a call. It is its own worker: what is measured is the engine that it was
// built with.
func rootCommand(std cli.Streams, _ []string) *cobra.Command {
	root := cli.Root(&cobra.Command{Use: "unitproof-bench", Short: "Measure unitproof, and attack its verdicts"}, std)
	root.AddCommand(stagesCommand(std), scalingCommand(std), cbmcCommand(std), replayCommand(std), editorCommand(std),
		attackCommand(std), coresCommand(std), corpusCommand(std), librariesCommand(std), seahornCommand(std),
		mutateCommand(std),
		cli.WorkerCommand(std))
	return root
}

// selected is what a measurement is about.
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

// measured is what all measurements of proofs ask for.
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

// people is where the text for people goes.
func (m *measured) people(std cli.Streams) *cli.Sticky {
	if m.json == "-" {
		return &cli.Sticky{W: std.Err}
	}
	return &cli.Sticky{W: std.Out}
}

// write writes a document where --json wants it.
func (m *measured) write(std cli.Streams, doc any) error { return writeJSON(std, m.json, doc) }

// writeJSON writes a document to a file; "" is nowhere.
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

// machine says on what was measured: the processor's name, where the system tells.
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
