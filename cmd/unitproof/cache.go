package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/pipeline"
)

func cacheCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "cache", Short: "Look at what is kept between runs: compiled files",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "info", Short: "Say where it is and how large", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				dir, err := pipeline.CacheDir()
				if err != nil {
					return err
				}
				entries, bytes, err := pipeline.CacheSize(dir)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(std.out, "%s: %d compiled files, %.1f MB\n", dir, entries, float64(bytes)/1e6)
				return err
			},
		},
		&cobra.Command{
			Use: "clean", Short: "Remove it", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				dir, err := pipeline.CacheDir()
				if err != nil {
					return err
				}
				return pipeline.CleanCache(dir)
			},
		},
		&cobra.Command{
			Use: "verify", Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return fmt.Errorf("cache verify: not in this version") },
		})
	return cmd
}
