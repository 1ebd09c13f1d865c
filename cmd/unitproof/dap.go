package main

import (
	"fmt"
	"net"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/lsp/dap"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

func dapCommand(std cli.Streams) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "dap [--listen ADDRESS]",
		Short: "Debug adapter: step through a counterexample, forward and back",
		Long: `dap is a Debug Adapter Protocol server on standard input and output; an editor starts it
(docs/debugging.md). A launch request names a C file; the proof in it is checked, and the
execution of a counterexample is shown, stopped at the violation.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pool := pipeline.NewPool(pipeline.PoolOptions{})
			pool.Warm()
			defer pool.Close()
			opts := dap.Options{Pool: pool, ParseArgs: parseProofFlags}
			if dir, err := pipeline.CacheDir(); err == nil {
				opts.CacheDir = dir
			}
			if listen == "" {
				return dap.Serve(cmd.Context(), std.In, std.Out, opts)
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("--listen %s: %w", listen, err)
			}
			fmt.Fprintf(std.Err, "listening on %s\n", l.Addr())
			return dap.Listen(cmd.Context(), l, opts)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "",
		"serve connections at `ADDRESS`, like 127.0.0.1:4711 (port 0: any free one); only you should\nbe able to "+
			"connect there")
	cmd.Flags().Bool("stdio", false, "use standard input and output (the default)")
	return cmd
}

// parseProofFlags parses the flags of check that affect compilation and checking.
func parseProofFlags(args []string) (project.Flags, error) {
	var p project.Flags
	f := pflag.NewFlagSet("args", pflag.ContinueOnError)
	cli.AddSelection(f, &p)
	cli.AddSettings(f, &p)
	if err := f.Parse(args); err != nil {
		return p, err
	}
	if f.NArg() > 0 {
		return p, fmt.Errorf("%q is not a flag; the file is the \"program\"", f.Arg(0))
	}
	return p, nil
}
