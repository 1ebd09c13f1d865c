package unfold

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestVisitsComeInOrder executes random graphs and checks that each edge leads to a later visit. So states are merged
// before they are needed, and the unfolding itself terminates. The iterations of a visit count the arrivals at each
// loop's head since the loop was entered.
func TestVisitsComeInOrder(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	flowtest.OverRandomGraphs(t, func(t *testing.T, m *clangir.Module, f *llvmir.Func) {
		fn := flow.Analyse(m, f)
		name := func(b int) string { return fn.Blocks[b].Name }
		fr := &frame{fn: fn}
		v := &visit{block: 0, iters: make([]int32, len(fn.Nodes[0].Loops))}
		count := map[*flow.Loop]int32{}
		for range 30 {
			bi := &fn.Nodes[v.block]
			if len(bi.Succs) == 0 {
				return
			}
			to := bi.Succs[rng.Intn(len(bi.Succs))]
			iters, back := fr.target(v, to)
			for _, l := range fn.Nodes[to].Loops {
				switch {
				case !slices.Contains(bi.Loops, l):
					count[l] = 0
				case l.Head == to && fn.Nodes[v.block].Order >= fn.Nodes[to].Order:
					count[l]++
				}
			}
			for i, l := range fn.Nodes[to].Loops {
				if iters[i] != count[l] {
					t.Errorf("%s to %s: iteration %d of the loop of %s, want %d",
						name(v.block), name(to), iters[i], name(l.Head), count[l])
				}
			}
			if back != nil && back.Head != to {
				t.Errorf("%s to %s: begins an iteration of the loop of %s", name(v.block), name(to), name(back.Head))
			}
			w := &visit{block: to, iters: iters}
			if !fr.before(v, w) || fr.before(w, v) {
				t.Errorf("%s%v to %s%v does not lead on", name(v.block), v.iters, name(to), iters)
			}
			v = w
		}
	})
}
