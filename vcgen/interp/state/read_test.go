package state

import (
	"math/rand/v2"
	"testing"
)

// TestRead compares Read and Write, which have shorter ways for the most frequent contents, with accesses byte by byte:
// on random bytes, some of them unwritten, arbitrary, or bytes of pointers, at the end of pages and of objects.
func TestRead(t *testing.T) {
	rnd := rand.New(rand.NewPCG(43, 1))
	targets := []*Object{{Base: 1 << 20, Size: 8}, {Base: 1 << 21, Size: 8}}
	ended := map[string]int{}
	for range 20_000 {
		size := []uint64{1, 3, 8, 12, PageSize, PageSize + 5}[rnd.IntN(6)]
		o := &Object{Size: size, BigEndian: rnd.IntN(4) == 0}
		for range 1 + rnd.IntN(4) {
			n := min(uint64(1+rnd.IntN(8)), size)
			off := rnd.Uint64N(size - n + 1)
			if rnd.IntN(2) == 0 {
				off = size - n
			}
			v := Value{Bits: rnd.Uint64()}
			if rnd.IntN(2) == 0 {
				v = Value{Bits: rnd.Uint64(), Obj: targets[rnd.IntN(2)], N: uint8(1 + rnd.IntN(8)), Loose: rnd.IntN(4) == 0}
				v.From = uint8(rnd.IntN(9 - int(v.N)))
			}
			o.Write(off, v, int(n))
			for k := range int(n) {
				want := Cell{B: byte(v.Bits >> (8 * k)), State: Written}
				if v.Obj != nil && k < int(v.N) {
					want.Ref = Ref{v.Obj, v.From + uint8(k), v.Loose}
				}
				if got := o.Get(o.at(off, k, int(n))); got != want {
					t.Fatalf("byte %d of %d bytes at %d: %+v, want %+v", k, n, off, got, want)
				}
			}
			if rnd.IntN(3) == 0 {
				c := o.Get(off)
				c.State = []ByteState{Arbitrary, Uninitialized, 1 << 8}[rnd.IntN(3)]
				o.Set(off, c)
			}
			got, seen := o.Read(off, int(n))
			want, wantSeen := readBytes(o, off, int(n))
			if got != want || seen != wantSeen {
				t.Fatalf("%d bytes at %d of %d: %+v %+v, want %+v %+v", n, off, size, got, seen, want, wantSeen)
			}
			switch {
			case seen.Uninit:
				ended["unwritten"]++
			case seen.Mixed:
				ended["mixed"]++
			case got.Obj != nil:
				ended["pointer"]++
			default:
				ended["number"]++
			}
		}
	}
	for _, kind := range []string{"unwritten", "mixed", "pointer", "number"} {
		if ended[kind] < 1000 {
			t.Errorf("only %d reads are %s", ended[kind], kind)
		}
	}
}

// readBytes is Read by Get.
func readBytes(o *Object, off uint64, n int) (v Value, seen BytesSeen) {
	seen.AllUninit = true
	var first Ref
	same, pointers := true, false
	for k := range n {
		c := o.Get(o.at(off, k, n))
		v.Bits |= uint64(c.B) << (8 * k)
		seen.Add(c.State)
		if k == 0 {
			first = c.Ref
		}
		same = same && c.Ref.Obj == first.Obj && (first.Obj == nil || c.Ref.I == first.I+uint8(k))
		pointers = pointers || c.Ref.Obj != nil
	}
	if first.Obj != nil && same {
		v.Obj, v.From, v.N, v.Loose = first.Obj, first.I, uint8(n), first.Loose
	} else {
		seen.Mixed = pointers
	}
	return v, seen
}
