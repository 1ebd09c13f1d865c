package mem

import (
	"maps"
	"math/rand"
	"slices"
	"testing"
)

// TestTable takes random steps with several tables and compares each with a map.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	type pair struct {
		table table
		model map[int]*shadow
	}
	ids := []int{0, 1, 31, 32, 33, 1023, 1024, 1025, 40000, 1 << 20}
	all := []*pair{{model: map[int]*shadow{}}}
	for range 20000 {
		p := all[r.Intn(len(all))]
		switch id := ids[r.Intn(len(ids))]; r.Intn(8) {
		case 0:
			all = append(all, &pair{p.table.fork(), maps.Clone(p.model)})
			if len(all) > 20 {
				all = slices.Delete(all, 0, 1)
			}
		case 1:
			q := all[r.Intn(len(all))]
			want := map[int][2]*shadow{}
			for _, id := range ids {
				if x, y := p.model[id], q.model[id]; x != y {
					want[id] = [2]*shadow{x, y}
				}
			}
			last, have := -1, map[int][2]*shadow{}
			differences(&p.table, &q.table, func(id int, x, y *shadow) {
				if id <= last {
					t.Fatalf("difference at %d comes behind that at %d", id, last)
				}
				last, have[id] = id, [2]*shadow{x, y}
			})
			if !maps.Equal(have, want) {
				t.Fatalf("differences are %v, not %v", have, want)
			}
		default:
			s := &shadow{}
			p.table.set(id, s)
			p.model[id] = s
		}
		for _, p := range all {
			for _, id := range ids {
				if p.table.get(id) != p.model[id] {
					t.Fatalf("object %d is %p, not %p", id, p.table.get(id), p.model[id])
				}
			}
			if p.table.get(5) != nil || p.table.get(1<<25) != nil {
				t.Fatal("an object that was never set is there")
			}
		}
	}
}
