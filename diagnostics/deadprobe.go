package diagnostics

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// ProbeDead adds an error call to each way of a branch that is reported dead. It returns the text and the number of
// calls. Line numbers do not change.
//
//	if (c)      // c is never true: if (((c) ? (unitproof_dead_way(), 1) : 0))
//	switch (x)  // x is compared with the values of the dead cases
//
// Only branches of the file whose condition is located with certainty are probed. Of overlapping branches the
// outermost is probed.
func ProbeDead(sources Sources, file string, branches []Branch) (text []byte, n int) {
	src := source.NewCache(sources).File(file)
	if src == nil {
		return nil, 0
	}
	text = slices.Clone(src.Bytes())
	type probe struct {
		start, end, outcomes int
		with                 string
	}
	var probes []probe
	for i := range branches {
		b := &branches[i]
		dead := b.Dead()
		if b.File != file || b.Nth > 0 || !b.Entered || b.Text == "" || len(dead) == 0 || len(dead) == len(b.Ways) {
			continue
		}
		if b.Switch() {
			if start, end, ok := src.SwitchSpan(b.Line, b.Column); ok {
				probes = append(probes, probe{start, end, len(dead), switchProbe(b, string(text[start:end]))})
			}
			continue
		}
		start, end, certain, ok := src.BranchSpan(b.Line, b.Column)
		if !ok || !certain || end <= start {
			continue
		}
		yes, no := "(unitproof_dead_way(), 1)", "0"
		if dead[0].Way == "false" {
			yes, no = "1", "(unitproof_dead_way(), 0)"
		}
		probes = append(probes, probe{start, end, 1, "((" + string(text[start:end]) + ") ? " + yes + " : " + no + ")"})
	}
	// Replacing from the end leaves the earlier offsets valid.
	slices.SortFunc(probes, func(a, b probe) int { return cmp.Or(b.start-a.start, a.end-b.end) })
	for i, p := range probes {
		inside := func(q probe) bool { return q.start <= p.start && q.end >= p.end }
		if slices.ContainsFunc(probes[i+1:], inside) || slices.ContainsFunc(probes[:i], inside) {
			continue
		}
		n += p.outcomes
		text = slices.Replace(text, p.start, p.end, []byte(p.with)...)
	}
	// The file may be included, also by another file with probes.
	const declaration = "#ifndef unitproof_dead_way\nvoid __VERIFIER_error(void);\n" +
		"#define unitproof_dead_way() __VERIFIER_error()\n#endif\n#line 1\n"
	return append([]byte(declaration), text...), n
}

// switchProbe returns the controlling expression of a switch, with an error call if a dead way is taken.
func switchProbe(b *Branch, text string) string {
	var taken []string
	equal := func(w *BranchWay, op, join string) string {
		var list []string
		for _, v := range w.Values {
			k, _ := new(big.Int).SetString(v, 10)
			k.And(k, new(big.Int).SetUint64(math.MaxUint64))
			list = append(list, fmt.Sprintf("unitproof_v %s (__typeof__(unitproof_v))%#xull", op, k))
		}
		return "(" + strings.Join(list, join) + ")"
	}
	for i := range b.Ways {
		w := &b.Ways[i]
		switch {
		case w.Taken != found.NeverTaken:
		case w != b.Default():
			taken = append(taken, equal(w, "==", " || "))
		default: // every value that no other way has
			var others []string
			for k := range b.Ways[:i] {
				others = append(others, equal(&b.Ways[k], "!=", " && "))
			}
			taken = append(taken, "("+strings.Join(others, " && ")+")")
		}
	}
	return "({ __typeof__(+(" + text + ")) unitproof_v = (" + text + "); if (" + strings.Join(taken, " || ") +
		") unitproof_dead_way(); unitproof_v; })"
}
