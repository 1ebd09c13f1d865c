package pipeline

import (
	"context"
	"fmt"
	"math/rand"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// RecheckOptions select the cached answers to verify.
type RecheckOptions struct {
	Dir    string
	Share  float64 // of the answers, 0 to 1
	Number int     // 0: no bound
	Seed   int64
	Solver string // solver of the second answers; "" is the default
}

// RecheckSummary has the counts of a recheck.
type RecheckSummary struct {
	Kept      int // answers of this version of the program
	Asked     int
	Undecided int
	Wrong     int
	Foreign   int // entries of other versions or that cannot be read; they are never used
	Bytes     int64
}

// RecheckCache solves a sample of the cached queries again, and calls tell for each answer that is not confirmed.
func RecheckCache(ctx context.Context, o RecheckOptions, tell func(ask.Recheck)) (RecheckSummary, error) {
	var sum RecheckSummary
	engine, err := cache.Engine()
	if err != nil {
		return sum, err
	}
	keys, err := cache.Keys(o.Dir, cache.Answers)
	if err != nil {
		return sum, err
	}
	random := rand.New(rand.NewSource(o.Seed))
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	store := cache.Open(o.Dir, cache.Options{ReadOnly: true})
	newSolver := func(c *smt.Context) (smt.Solver, error) { return solver.New(o.Solver, c, solver.Options{}) }
	choose := func() bool {
		sum.Kept++
		return random.Float64() < o.Share && (o.Number == 0 || sum.Asked < o.Number)
	}
	for _, key := range keys {
		data, ok := store.Get(cache.Answers, key)
		var stored keptAnswers
		if !ok || unpack(data, &stored, defaultMemory) != nil || stored.Engine != engine {
			sum.Foreign++
			continue
		}
		for _, segment := range stored.Segments {
			sum.Bytes += int64(len(segment))
			err := ask.RecheckSegment(ctx, segment, choose, newSolver, func(r ask.Recheck) {
				sum.Asked++
				if r.Undecided {
					sum.Undecided++
				}
				if r.Detail != "" {
					sum.Wrong++
					tell(r)
				}
			})
			if ctx.Err() != nil {
				return sum, ctx.Err()
			}
			if err != nil {
				return sum, fmt.Errorf("entry %x: %w", key[:8], err)
			}
		}
	}
	return sum, nil
}
