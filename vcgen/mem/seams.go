package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// maxSeams bounds the number of seams listed.
const maxSeams = 64

// Seams lists the symbolic offsets at which the content of v may change abruptly, the most recent first.
//
// These are the offsets of symbolic stores, and both ends of fills and copies.
func (m *Memory) Seams(v *Version) (out []smt.Term) {
	c := m.C
	type visit struct {
		v     *Version
		shift smt.Term
	}
	zero := m.Int(0)
	seen := map[visit]bool{}
	listed := map[smt.Term]bool{}
	add := func(off, shift smt.Term) {
		if t := c.Add(off, shift); !c.IsConst(t) && !listed[t] && len(out) < maxSeams {
			listed[t] = true
			out = append(out, t)
		}
	}
	for queue := []visit{{v, zero}}; len(queue) > 0 && len(out) < maxSeams && len(seen) < 16*maxSeams; {
		x := queue[0]
		queue = queue[1:]
		if x.v == nil || seen[x] {
			continue
		}
		seen[x] = true
		switch x.v.kind {
		case layerStore:
			for k := range min(x.v.n, 8) {
				add(c.Add(x.v.off, m.Int(uint64(k))), x.shift)
			}
		case layerFill, layerCopy:
			if !x.v.wholeObject {
				add(x.v.off, x.shift)
				add(c.Add(x.v.off, x.v.len), x.shift)
			}
			if x.v.kind == layerCopy {
				queue = append(queue, visit{x.v.src, c.Add(x.shift, c.Sub(x.v.off, x.v.from))})
			}
		case layerMerge:
			queue = append(queue, visit{x.v.a, x.shift}, visit{x.v.b, x.shift})
			continue
		}
		queue = append(queue, visit{x.v.parent, x.shift})
	}
	return out
}
