// Package fuzz makes random inputs for executions: small numbers, numbers that the program compares with, and bytes
// that it knows (inputs.go); in most executions the same answer for a place each time, if wanted (alike.go); and
// changes of choices that got to where none before them did (guided.go).
//
// It does not know what executions are for, nor how many of them there are.
package fuzz

import (
	"math"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Inputs makes random inputs. The same seed makes the same ones.
type Inputs struct {
	seeds   uint64 // of executions so far
	state   uint64
	seed    uint64   // of this execution
	given   []uint64 // in this execution so far
	near    []uint64 // constants of the entry
	numbers []uint64 // those of the whole program
	bytes   []byte   // those of them that are bytes
	// compared are numbers with which something is compared, or that are passed on, and matched those that are bytes.
	compared  []uint64
	matched   []byte
	matchedIn map[int][]byte // the same of each block, by the ID of its first instruction
	// Far: large numbers, and arrays of equal bytes, to get through many iterations.
	Far bool
	// first are the first numbers of far executions, by their seeds: each number that the program compares with has its
	// turn.
	first map[uint64]uint64
	// Cut are seeds of executions that got to no end, where those are to be longer the next time.
	Cut []uint64
	// Infos is for the interpreter, of all executions.
	Infos interp.Infos
	fails bool // allocations may fail in this execution; where there are many, one fails nearly always
	// alike makes executions in most of which a place gets the same answer each time (alike.go).
	alike bool
	met   []uint64                     // numbers that it may choose
	same  map[choice.Key]choice.Answer // of this execution; nil: answers differ
	blank bool                         // all content of this execution is zero
	// guide changes choices that got somewhere; nil: all are new.
	guide *guide
}

// New returns random inputs for the entry of a module: every seed is another execution.
func New(m *llvmir.Module, entry string) *Inputs {
	x := &Inputs{matchedIn: map[int][]byte{}, first: map[uint64]uint64{}}
	seen := map[uint64]bool{}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == llvmir.OpGEP || in.Op == llvmir.OpAlloca {
					continue // sizes and places of members
				}
				for _, a := range in.Args {
					if a.Kind != llvmir.OperandConst || a.Const.Int == nil {
						continue
					}
					v := new(big.Int).And(a.Const.Int, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
					if f.Name == entry {
						x.near = append(x.near, v)
					}
					switch in.Op {
					case llvmir.OpICmp, llvmir.OpSwitch, llvmir.OpCall:
						if id := b.Instrs[0].ID; v < 256 {
							x.matchedIn[id] = append(x.matchedIn[id], byte(v))
						}
						if !slices.Contains(x.compared, v) && len(x.compared) < 500 {
							x.compared = append(x.compared, v)
							if v < 256 {
								x.matched = append(x.matched, byte(v))
							}
						}
					}
					if seen[v] || len(x.numbers) > 500 {
						continue
					}
					seen[v] = true
					x.numbers = append(x.numbers, v)
					if v < 256 {
						x.bytes = append(x.bytes, byte(v))
					}
				}
			}
		}
	}
	slices.Sort(x.near)
	x.near = slices.Compact(x.near)
	return x
}

// Fresh is the seed of the next execution.
func (x *Inputs) Fresh() uint64 {
	x.seeds++
	return mix(x.seeds * 0x9e3779b97f4a7c15)
}

// Begin is called before an execution.
func (x *Inputs) Begin(seed uint64) {
	x.state, x.given, x.seed = seed, x.given[:0], seed
	if turn := len(x.first); x.Far && turn < len(x.compared) {
		if _, ok := x.first[seed]; !ok {
			x.first[seed] = x.compared[turn] + 2 // so that a counter that goes up to it passes the constant
		}
	}
	x.fails = x.below(3) == 0
	if x.alike {
		x.beginAlike()
	}
	if x.guide != nil {
		x.guide.begin(x)
	}
}

// next is a step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func (x *Inputs) next() uint64 {
	x.state += 0x9e3779b97f4a7c15
	return mix(x.state)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (x *Inputs) below(n int) int { return int(x.next() % uint64(n)) }

// number is one of up to 64 bits: one time in four next to an earlier one, as an index is to a length.
func (x *Inputs) number() uint64 {
	v := uint64(0)
	if first, ok := x.first[x.seed]; ok && len(x.given) == 0 {
		v = first
	} else if n := len(x.given); n > 0 && x.below(4) == 0 {
		v = x.given[x.below(n)] + uint64(x.below(4)) - 2
	} else {
		v = x.single()
	}
	x.given = append(x.given, v)
	return v
}

// single is a number that has nothing to do with others.
func (x *Inputs) single() uint64 {
	switch {
	case x.alike && len(x.met) > 0 && x.below(3) == 0:
		return x.met[x.below(len(x.met))]
	case x.alike && len(x.compared) > 0 && x.below(4) == 0:
		return x.compared[x.below(len(x.compared))] + uint64(x.below(3)) - 1
	}
	if x.Far && x.below(3) > 0 {
		if x.below(2) == 0 && len(x.compared) > 0 {
			return x.compared[x.below(len(x.compared))] + uint64(x.below(4)) - 1
		}
		return 1<<x.below(21) + uint64(x.below(3)) - 1
	}
	switch k := x.below(20); {
	case k < 7:
		return uint64(x.below(9))
	case k < 13 && len(x.near) > 0:
		return x.near[x.below(len(x.near))] + uint64(x.below(3)) - 1
	case k < 16 && len(x.numbers) > 0:
		return x.numbers[x.below(len(x.numbers))] + uint64(x.below(3)) - 1
	case k < 18:
		return x.next() >> x.below(64)
	case k == 18:
		return -uint64(x.below(4))
	}
	return []uint64{math.MaxInt32, 1 << 31, math.MaxUint32, math.MaxInt64, 1 << 63, math.MaxInt16, 255, 128}[x.below(8)]
}

var floats = []float64{0, 1, -1, 0.5, 2, 10, -0.25, 1e9, 1e300, math.Inf(1), math.Inf(-1), math.NaN(),
	math.SmallestNonzeroFloat64}

// Choose is choice.Inputs.
func (x *Inputs) Choose(q choice.Question) choice.Answer {
	if x.alike {
		return x.chooseAlike(q)
	}
	if x.guide != nil && x.guide.left != nil {
		return x.guide.choose(x, q)
	}
	return x.any(q)
}

// any answers a question at random.
func (x *Inputs) any(q choice.Question) choice.Answer {
	switch {
	case q.Content:
		return choice.Answer{Content: x.content()}
	case q.Kind == choice.Object, q.Kind == choice.Size, q.Kind == choice.Writes:
		return choice.Answer{}
	case q.Kind == choice.Defined:
		return choice.Answer{Value: big.NewInt(int64(x.below(2)))}
	case q.Kind == choice.AllocFails:
		if !x.fails || x.below(8) > 0 {
			return choice.Answer{}
		}
		return choice.Answer{Value: big.NewInt(1)}
	case q.Float && q.Bits == 64:
		return choice.Answer{Value: new(big.Int).SetUint64(math.Float64bits(floats[x.below(len(floats))]))}
	case q.Float && q.Bits == 32:
		return choice.Answer{Value: new(big.Int).SetUint64(uint64(math.Float32bits(float32(floats[x.below(len(floats))]))))}
	}
	v := new(big.Int).SetUint64(x.number())
	if q.Bits < 64 {
		v.And(v, new(big.Int).SetUint64(1<<q.Bits-1))
	}
	return choice.Answer{Value: v}
}

// content is zero, or bytes that the program knows, small ones, or any.
func (x *Inputs) content() func(off uint64) byte {
	how, seed := x.below(5), x.next()
	if x.Far && x.below(2) == 0 && len(x.matched) > 0 {
		b := x.matched[x.below(len(x.matched))]
		return func(uint64) byte { return b }
	}
	return func(off uint64) byte {
		r := mix(seed + off*0x9e3779b97f4a7c15)
		switch {
		case how == 0:
			return 0
		case how < 3 && len(x.bytes) > 0:
			return x.bytes[r%uint64(len(x.bytes))]
		case how == 3:
			return byte(r % 4)
		}
		return byte(r)
	}
}
