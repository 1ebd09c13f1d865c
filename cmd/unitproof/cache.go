package main

import (
	"fmt"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/remote"
)

func cacheCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "cache", Short: "Show, clean or verify the cache",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "info", Short: "Print its folder and its size", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				dir, err := pipeline.CacheDir()
				if err != nil {
					return err
				}
				usages, err := cache.Usages(dir)
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(std.Out, usageText(dir, usages))
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
			Use: "key", Short: "Make keys that sign entries of a shared cache", Args: cobra.NoArgs,
			Long: `key prints a new secret key and its public key. Machines that may write to the shared cache get the
secret; unitproof.toml has the public key (keys of [remote]), so that only entries signed with the
secret are used. The keys are not stored.`,
			RunE: func(*cobra.Command, []string) error {
				program, err := remote.Find()
				if err != nil {
					return err
				}
				cmd := exec.Command(program, "key")
				cmd.Stdout, cmd.Stderr = std.Out, std.Err
				return cmd.Run()
			},
		},
		cacheVerifyCommand(std))
	return cmd
}

// kindNames describe the entries of each kind.
var kindNames = map[cache.Kind]string{
	cache.Units: "compiled files", cache.Modules: "linked programs", cache.Reports: "reports",
	cache.Answers: "answers of the solver", cache.Results: "results of proofs",
}

func usageText(dir string, usages []cache.Usage) string {
	out := dir + "\n"
	total := int64(0)
	for _, u := range usages {
		out += fmt.Sprintf("  %-22s %7d entries %9.1f MB\n", kindNames[u.Kind], u.Entries, float64(u.Bytes)/1e6)
		total += u.Bytes
	}
	return out + fmt.Sprintf("  %-22s %25.1f MB of at most %.1f MB\n", "together", float64(total)/1e6,
		float64(cache.DefaultLimit)/1e6)
}
