// Package fuzz generates random inputs for executions.
//
// For the program
//
//	unsigned n = nd_uint();
//	if (n == 4711) ...
//
// it chooses small numbers, and often 4711 and its neighbours, because the program compares with it (inputs.go). With
// Alike most executions give each place the same answer every time (uniform.go), with Habits many give it often
// (habits.go). Guided executions mutate the choices of executions that reached new blocks (guided.go).
//
// Principal types: Inputs, whose method Choose is a choice.Inputs for the interpreter. The package is independent of
// the purpose and the number of executions.
package fuzz

import (
	"math"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Inputs generates random inputs. The same seed produces the same inputs.
type Inputs struct {
	seeds   uint64 // number of executions so far
	state   uint64
	seed    uint64   // of this execution
	given   []uint64 // numbers chosen in this execution so far
	near    []uint64 // constants in the entry
	numbers []uint64 // constants in the whole program
	bytes   []byte   // constants that are bytes
	// compared are constants in comparisons, or that are passed on, and matched those that are bytes.
	compared  []uint64
	matched   []byte
	matchedIn map[int][]byte // the same for each block, by the ID of its first instruction
	// Far: choose large numbers, and arrays of equal bytes, to reach many iterations.
	Far bool
	// first has the first numbers of far executions, by seed: all constants in comparisons take turns.
	first map[uint64]uint64
	// Cut has the seeds of executions that did not end and should be executed longer.
	Cut []uint64
	// Infos is shared by all executions in the interpreter.
	Infos interp.Infos
	fails bool // allocations may fail in this execution; with many of them, almost always one fails
	// uniform: most executions answer each place uniformly (uniform.go).
	uniform bool
	extra   []uint64                     // additional numbers to choose from
	same    map[choice.Key]choice.Answer // answers of this execution; nil: not uniform
	blank   bool                         // all content of this execution is zero
	// Habits: executions with odd seeds repeat answers (habits.go). habit has those of this execution; nil if it has none.
	Habits bool
	habit  *habit
	// guide mutates kept executions; nil: all choices are new.
	guide *guide
}

// New returns random inputs for the entry of a module; each seed is another execution.
func New(m *llvmir.Module, entry string) *Inputs {
	x := &Inputs{matchedIn: map[int][]byte{}, first: map[uint64]uint64{}}
	seen := map[uint64]bool{}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == llvmir.OpGEP || in.Op == llvmir.OpAlloca {
					continue // sizes and offsets of members
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

// Fresh returns the seed of the next execution.
func (x *Inputs) Fresh() uint64 {
	x.seeds++
	return mix(x.seeds * 0x9e3779b97f4a7c15)
}

// Begin must be called before an execution.
func (x *Inputs) Begin(seed uint64) {
	x.state, x.given, x.seed = seed, x.given[:0], seed
	if turn := len(x.first); x.Far && turn < len(x.compared) {
		if _, ok := x.first[seed]; !ok {
			x.first[seed] = x.compared[turn] + 2 // so that a counter that reaches it exceeds the constant
		}
	}
	x.fails = x.below(3) == 0
	if x.uniform {
		x.beginAlike()
	}
	if x.Habits {
		x.habit = x.newHabit()
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

// number returns a number of up to 64 bits: in a quarter of cases near an earlier one, as an index is to a length.
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

// single returns a number that is independent of earlier ones.
func (x *Inputs) single() uint64 {
	switch {
	case x.uniform && len(x.extra) > 0 && x.below(3) == 0:
		return x.extra[x.below(len(x.extra))]
	case x.uniform && len(x.compared) > 0 && x.below(4) == 0:
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

// Choose implements choice.Inputs.
func (x *Inputs) Choose(q choice.Question) choice.Answer {
	if x.uniform {
		return x.chooseAlike(q)
	}
	if x.guide != nil && x.guide.planned != nil {
		return x.guide.choose(x, q)
	}
	if x.habit != nil && q.Kind == choice.Nondet && !q.Content {
		return x.habitual(q)
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

// content returns zeros, bytes that are constants in the program, small ones, or arbitrary ones.
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
