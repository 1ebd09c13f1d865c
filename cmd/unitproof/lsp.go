package main

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/assistant"
	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/lsp"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
)

// lspCommand is the language server. Editors append --stdio.
func lspCommand(std cli.Streams) *cobra.Command {
	level := slog.LevelWarn
	cmd := &cobra.Command{
		Use: "lsp [--stdio]", Short: "Serve an editor on stdin and stdout (language server protocol)", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := lsp.Options{Version: cli.Version, Log: slog.New(slog.NewTextHandler(std.Err,
				&slog.HandlerOptions{Level: level}))}
			// Without a cache folder, nothing is cached.
			if dir, err := pipeline.CacheDir(); err == nil {
				opts.CacheDir = dir
				defer cache.Open(dir, cache.Options{}).Trim()
			}
			opts.Program, _ = os.Executable()
			opts.Started = offerTools(cmd.Context(), assistant.Options{Version: cli.Version, Log: opts.Log})
			pipeline.CollectOften()
			if status := lsp.Serve(cmd.Context(), std.In, std.Out, opts); status != 0 {
				return cli.ExitCode(status)
			}
			return nil
		},
	}
	cmd.Flags().Bool("stdio", true, "use stdin and stdout (always on)")
	cli.AddParsed(cmd.Flags(), "log", "LEVEL", "the level of messages on stderr: debug, info, warn (default) or error",
		func(s string) error {
			return level.UnmarshalText([]byte(s))
		})
	cli.Offer(cmd.Flags(), "log", "debug", "info", "warn", "error")
	return cmd
}
