package interptest

import (
	"math/big"
	"math/rand/v2"

	"github.com/unitproof/unitproof/vcgen/choice"
)

type random struct {
	r *rand.Rand
	// style of the run: some seeds prefer small values
	small bool
}

// Random returns random inputs that prefer small numbers and the ends of ranges, at which programs often fail.
//
// The same seed produces the same choices.
func Random(seed uint64) choice.Inputs {
	r := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	return (&random{r: r, small: r.IntN(3) == 0}).choose
}

func (in *random) choose(q choice.Question) choice.Answer {
	switch {
	case q.Content:
		return choice.Answer{Content: in.content()}
	case q.Kind == choice.AllocFails: // now and then
		return choice.Answer{Value: big.NewInt(int64(1 - min(in.r.IntN(12), 1)))}
	case q.Kind == choice.Writes:
		return choice.Answer{Value: big.NewInt(int64(1 - in.r.IntN(2)))}
	case q.Kind == choice.Object:
		return choice.Answer{}
	case q.Kind == choice.Size: // a few hundred bytes or none
		return choice.Answer{Value: big.NewInt(in.r.Int64N(512))}
	}
	return choice.Answer{Value: in.value(q.Bits)}
}

// value returns a random integer of the given width.
func (in *random) value(bits int) *big.Int {
	if bits == 1 {
		return big.NewInt(in.r.Int64N(2))
	}
	pick := in.r.IntN(10)
	if in.small && pick > 5 {
		pick = in.r.IntN(3)
	}
	one := big.NewInt(1)
	v := new(big.Int)
	switch pick {
	case 0, 1:
		v.SetInt64(in.r.Int64N(5))
	case 2:
		v.SetInt64(in.r.Int64N(40) - 8)
	case 3: // around a power of two
		v.Lsh(one, uint(in.r.IntN(bits)))
		v.Add(v, big.NewInt(in.r.Int64N(3)-1))
	case 4: // the ends of the signed and unsigned ranges
		v.Lsh(one, uint(bits-1))
		v.Add(v, big.NewInt(in.r.Int64N(5)-2))
	case 5:
		v.SetInt64(-in.r.Int64N(4))
	default:
		for range (bits + 63) / 64 {
			v.Lsh(v, 64)
			v.Or(v, new(big.Int).SetUint64(in.r.Uint64()))
		}
		// All lengths have the same probability.
		v.Rsh(v, uint(in.r.IntN(bits)))
	}
	m := new(big.Int).Lsh(one, uint(bits))
	return v.And(v, m.Sub(m, one))
}

// content returns random bytes.
func (in *random) content() func(uint64) byte {
	key, style := in.r.Uint64(), in.r.IntN(5)
	return func(off uint64) byte {
		x := key + off*0x9e3779b97f4a7c15 // splitmix64
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
		switch style {
		case 0:
			return 0
		case 1: // small words
			if off%4 != 0 {
				return 0
			}
			return byte(x % 6)
		case 2: // text
			return "0 aAz9\x00-,x"[x%10]
		}
		return byte(x)
	}
}
