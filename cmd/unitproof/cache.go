package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
)

func cacheCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "cache", Short: "Look at what is kept between runs",
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
				usages, err := cache.Usages(dir)
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(std.out, usageText(dir, usages))
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
		cacheVerifyCommand(std))
	return cmd
}

// kindNames say what the entries of a kind are, one and several.
var kindNames = map[cache.Kind][2]string{
	cache.Units: {"compiled file", "compiled files"}, cache.Modules: {"linked program", "linked programs"},
	cache.Reports: {"report", "reports"}, cache.Answers: {"proof with answers of the solver", "proofs with answers of the solver"},
}

func usageText(dir string, usages []cache.Usage) string {
	out := dir + "\n"
	total := int64(0)
	for _, u := range usages {
		name := kindNames[u.Kind][1]
		if u.Entries == 1 {
			name = kindNames[u.Kind][0]
		}
		out += fmt.Sprintf("%7d %-34s %8.1f MB\n", u.Entries, name, float64(u.Bytes)/1e6)
		total += u.Bytes
	}
	return out + fmt.Sprintf("%42s %8.1f MB of at most %.1f MB\n", "", float64(total)/1e6, float64(cache.DefaultLimit)/1e6)
}
