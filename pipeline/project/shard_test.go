package project

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// TestShardsDivide checks that each name is in exactly one part, independent of the other names on a machine, and that
// long proofs are distributed.
func TestShardsDivide(t *testing.T) {
	times := map[string]int64{"gone": 40, "a": 100, "b": 60, "c": 50, "d": 30, "e": 0}
	for of := 1; of <= 5; of++ {
		part := Shard{Of: of, Times: times}.parts()
		again := Shard{Of: of, Times: maps.Clone(times)}.parts()
		load := make([]int64, of)
		for i := range 300 {
			name := fmt.Sprint("proof", i)
			if p := part(name); p < 0 || p >= of || p != again(name) {
				t.Fatalf("%s of %d parts: %d and %d", name, of, p, again(name))
			}
		}
		for name, ms := range times {
			if part(name) != again(name) {
				t.Fatalf("%s of %d parts is in two", name, of)
			}
			load[part(name)] += ms
		}
		if most := slices.Max(load); most > max(100, 280/int64(of)*4/3) {
			t.Errorf("%d parts: %v", of, load)
		}
	}
	// Without times, the hash of the name decides; with 300 names each of 4 parts has about 75.
	part, count := (Shard{Of: 4}).parts(), make([]int, 4)
	for i := range 300 {
		count[part(fmt.Sprint("proof", i))]++
	}
	if slices.Min(count) < 50 {
		t.Errorf("by hash: %v", count)
	}
}

// TestShardPlan checks that different divisions have different plans.
func TestShardPlan(t *testing.T) {
	a := Shard{Index: 1, Of: 2}
	plan := a.Plan([]string{"x", "y"})
	if other := (Shard{Index: 2, Of: 2}).Plan([]string{"y", "x"}); other != plan {
		t.Error("two shards of one run have different plans")
	}
	for _, other := range []string{a.Plan([]string{"x"}), Shard{Of: 3}.Plan([]string{"x", "y"}),
		Shard{Of: 2, Times: map[string]int64{"x": 1}}.Plan([]string{"x", "y"})} {
		if other == plan {
			t.Error("another division has the same plan")
		}
	}
}

// TestShardsListed checks that all shards together list each proof once, and that each returns the names of all.
func TestShardsListed(t *testing.T) {
	dir := acceptance(t)
	all := list(t, open(t, dir, Flags{}))
	for _, of := range []int{2, 5} {
		times := map[string]int64{}
		for i, p := range all {
			if i%2 == 0 {
				times[p.Name] = int64(i * i)
			}
		}
		count := map[string]int{}
		for i := 1; i <= of; i++ {
			w := open(t, dir, Flags{Shard: Shard{i, of, times}})
			for _, p := range list(t, w) {
				count[p.Name]++
			}
			if len(w.Names()) != len(all) {
				t.Fatalf("shard %d/%d knows %d names of %d", i, of, len(w.Names()), len(all))
			}
		}
		for _, p := range all {
			if count[p.Name] != 1 {
				t.Errorf("%s is in %d of %d shards", p.Name, count[p.Name], of)
			}
		}
	}
}
