package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/assistant"
	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/docs"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
)

// tokenVariable names the variable with the token of mcp --http.
const tokenVariable = "UNITPROOF_MCP_TOKEN"

func mcpCommand(std cli.Streams) *cobra.Command {
	var instructions, noCache bool
	var address, attached string
	var jobs int
	level := slog.LevelWarn
	cmd := &cobra.Command{
		Use: "mcp [flags] [DIR]", Short: "Serve an assistant (Model Context Protocol)", Args: cobra.MaximumNArgs(1),
		Long: `mcp serves a program that writes proofs, on standard input and output, or with --http on a
port of this machine. Its tools check the proofs of the project that DIR (without it: the
working directory) belongs to, describe findings, and try edits that are not written. It
writes no file of the project, and compiles nothing of a folder before "unitproof trust"
has allowed what the folder asks for beyond the defaults.

With --http, clients send "Authorization: Bearer TOKEN". The token is that of the variable
` + tokenVariable + `, else a new one, which is told on standard error with the address.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if instructions {
				_, err := fmt.Fprint(std.Out, docs.Instructions())
				return err
			}
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			opts := assistant.Options{Version: cli.Version, Jobs: jobs, Log: slog.New(slog.NewTextHandler(std.Err,
				&slog.HandlerOptions{Level: level}))}
			if attached != "" {
				if address != "" {
					return errors.New("--attach and --http cannot be combined")
				}
				if err := attach(cmd.Context(), std, dir); attached == attachAlways || !errors.Is(err, errNoEditor) {
					return err
				}
			}
			if jobs < 0 {
				return fmt.Errorf("-j %d: must be 0 or more", jobs)
			}
			if folder, err := pipeline.CacheDir(); err == nil && !noCache {
				opts.CacheDir = folder
				defer cache.Open(folder, cache.Options{}).Trim()
			}
			s, err := assistant.New(dir, opts)
			if err != nil {
				return err
			}
			defer s.Close()
			if address == "" {
				return s.ServeStdio(cmd.Context())
			}
			return serveHTTP(cmd, std, s, address)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&address, "http", "", "serve on this `HOST:PORT` of the loopback interface; 127.0.0.1:0 takes any port")
	cli.AddParsed(f, "attach", "WHEN",
		"use the workspace of a running language server that has the project open: its unsaved\n"+
			"buffers are checked, and the editor shows the runs. WHEN: always (default), or auto, which\n"+
			"uses a workspace of its own if there is none",
		func(s string) error {
			if s != attachAlways && s != "auto" {
				return errors.New("must be always or auto")
			}
			attached = s
			return nil
		})
	f.Lookup("attach").NoOptDefVal = attachAlways
	cli.Offer(f, "attach", attachAlways, "auto")
	f.BoolVar(&instructions, "instructions", false, "print the manual for the assistant, and exit")
	f.IntVarP(&jobs, "jobs", "j", 0, "how many proofs are checked at the same time, `N`; 0: one per CPU")
	f.BoolVar(&noCache, "no-cache", false, "ignore cached results, and cache nothing")
	cli.AddParsed(f, "log", "LEVEL", "the level of messages on stderr: debug, info, warn (default) or error",
		func(s string) error { return level.UnmarshalText([]byte(s)) })
	cli.Offer(f, "log", "debug", "info", "warn", "error")
	return cmd
}

func serveHTTP(cmd *cobra.Command, std cli.Streams, s *assistant.Server, address string) error {
	token, given := os.LookupEnv(tokenVariable)
	switch {
	case !given:
		token = assistant.Token()
	case len(token) < 16:
		return errors.New(tokenVariable + " has less than 16 characters: too short for a secret")
	}
	l, err := assistant.Listen(address)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Err, "http://%s\n", l.Addr())
	if !given {
		fmt.Fprintf(std.Err, "Authorization: Bearer %s\n", token)
	}
	return s.ServeHTTP(cmd.Context(), l, token)
}
