package vcgen

import (
	"math"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/slice"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A violation that many inputs have is met by executing the program with some of them, at sizes that no unfolding gets
// to the end of. So before its rounds, and then ever more rarely, a run that takes long pauses for a few executions
// with random inputs: small numbers, numbers that the program compares with, and bytes that it knows (Claessen, Hughes,
// QuickCheck, ICFP 2000). What such an execution violates it violates, whatever the formulas make of it later.
//
// Its cost is bounded by a part of the work that was done; without a violation it tells nothing.
const (
	// firstExecutions is the work of the whole after which programs are executed, and executionsPart the part of it that
	// is spent then; each time the work has doubled they are executed again.
	firstExecutions = 800_000
	executionsPart  = 64
	// executedPerWork is how many instructions the interpreter executes in a unit of work.
	executedPerWork = 8
	// longestExecution bounds one, in instructions, or longestShare times what all of that time may take: where loops of
	// many iterations are unfolded, a violation behind them is still executed before it is unfolded.
	longestExecution = 400_000
	longestShare     = 4
	// endless is after how many executions of which none got to its end no other one is taken to, where nothing is known
	// of longer ones; else it takes two.
	endless = 6
)

// farLooks are the executions that go through more iterations than are unrolled: the work of the whole after which they
// are due, and how many instructions are executed, and in one at most. Short ones come first: a violation that shows
// after 300 iterations is found and told in a hundredth of the time of one after 100,000.
//
// Most violations show with small inputs, as soon as loops have no end that is known and a question about many
// iterations is hard: those are tried first.
var farLooks = []struct {
	due, left, longest int64
	far                bool // with large numbers, and arrays of equal bytes
}{
	{firstInduction, 400_000, 4_000, false},
	{firstInduction, 2_000_000, 100_000, true},
	{2 * firstInduction, 4_000_000, 1_000_000, true},
	{4 * firstInduction, 14_000_000, 4_000_000, true},
	{4 * firstInduction, 1, 30_000_000, true}, // only where no input makes it shorter
}

// explorer makes random inputs. The same seed makes the same ones.
type explorer struct {
	seeds   uint64 // of executions so far
	state   uint64
	given   []uint64 // in this execution so far
	near    []uint64 // constants of the entry
	numbers []uint64 // those of the whole program
	bytes   []byte   // those of them that are bytes
	// compared are numbers with which something is compared, or that are passed on, and matched those that are bytes.
	compared  []uint64
	matched   []byte
	matchedIn map[int][]byte // the same of each block, by the ID of its first instruction
	far       bool           // to get through many iterations
	cut       []uint64       // seeds of executions that got to no end, where those are to be longer the next time
	infos     interp.Infos
	fails     bool // allocations may fail in this execution; where there are many, one fails nearly always
	// alike makes executions in most of which a place gets the same answer each time (alike.go).
	alike bool
	met   []uint64                     // numbers that it may choose
	same  map[choice.Key]choice.Answer // of this execution; nil: answers differ
	blank bool                         // all content of this execution is zero
	// guide changes choices that got somewhere; nil: all are new.
	guide *guide
}

func newExplorer(m *llvmir.Module, entry string) *explorer {
	x := &explorer{matchedIn: map[int][]byte{}}
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

// fresh is the seed of the next execution.
func (x *explorer) fresh() uint64 {
	x.seeds++
	return mix(x.seeds * 0x9e3779b97f4a7c15)
}

// begin is called before an execution.
func (x *explorer) begin(seed uint64) {
	x.state, x.given = seed, x.given[:0]
	x.fails = x.below(3) == 0
	if x.alike {
		x.beginAlike()
	}
	if x.guide != nil {
		x.guide.begin(x)
	}
}

// next is a step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func (x *explorer) next() uint64 {
	x.state += 0x9e3779b97f4a7c15
	return mix(x.state)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (x *explorer) below(n int) int { return int(x.next() % uint64(n)) }

// number is one of up to 64 bits: one time in four next to an earlier one, as an index is to a length.
func (x *explorer) number() uint64 {
	v := uint64(0)
	if n := len(x.given); n > 0 && x.below(4) == 0 {
		v = x.given[x.below(n)] + uint64(x.below(4)) - 2
	} else {
		v = x.single()
	}
	x.given = append(x.given, v)
	return v
}

// single is a number that has nothing to do with others.
func (x *explorer) single() uint64 {
	switch {
	case x.alike && len(x.met) > 0 && x.below(3) == 0:
		return x.met[x.below(len(x.met))]
	case x.alike && len(x.compared) > 0 && x.below(4) == 0:
		return x.compared[x.below(len(x.compared))] + uint64(x.below(3)) - 1
	}
	if x.far && x.below(3) > 0 {
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

// choose is choice.Inputs.
func (x *explorer) choose(q choice.Question) choice.Answer {
	if x.alike {
		return x.chooseAlike(q)
	}
	if x.guide != nil && x.guide.left != nil {
		return x.guide.choose(x, q)
	}
	return x.any(q)
}

// any answers a question at random.
func (x *explorer) any(q choice.Question) choice.Answer {
	switch {
	case q.Content:
		return choice.Answer{Content: x.content()}
	case q.Kind == choice.Object, q.Kind == choice.Size, q.Kind == choice.Writes:
		return choice.Answer{}
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
func (x *explorer) content() func(off uint64) byte {
	how, seed := x.below(5), x.next()
	if x.far && x.below(2) == 0 && len(x.matched) > 0 {
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

// execute runs the program with random inputs while the whole waits, which was due after some work.
func (d *deepening) execute(work int64) {
	if d.explorer == nil {
		d.explorer = newExplorer(d.m.Module, d.entry)
		d.explorer.guide = &guide{}
	}
	left := work / executionsPart * executedPerWork
	d.explore(d.explorer, left, max(longestExecution, longestShare*left), math.MaxInt)
}

// farDue is the work of the whole after which executeFar is to be called again, while nothing is known to be violated.
func (d *deepening) farDue() int64 {
	if d.far == len(farLooks) || len(d.violated) > 0 {
		return never
	}
	return farLooks[d.far].due
}

// executeFar looks for a violation that shows after more iterations than are unrolled, as long as the work of the whole
// allows, and tells whether there is one. Where no execution got to its end, unrolling will not either, so longer ones
// follow at once.
func (d *deepening) executeFar(work int64) bool {
	if d.farExplorer == nil {
		d.farExplorer = newExplorer(d.m.Module, d.entry)
	}
	before, short := len(d.executed), true // some execution gets to its end, as far as is known
	for d.far < len(farLooks) && (!short || farLooks[d.far].due <= work) && d.ctx.Err() == nil {
		l := farLooks[d.far]
		d.far++
		if l.far && d.far == len(farLooks) && short {
			break
		}
		d.farExplorer.far = l.far
		tries := endless
		if !short {
			tries = 2
		}
		short = d.explore(d.farExplorer, l.left, l.longest, tries) > 0
		if len(d.executed) > before {
			d.far = len(farLooks)
			return true
		}
	}
	return false
}

// explore runs the program with random inputs, for so many instructions, longest of one, and ends earlier where none of
// the first tries got to its end. It tells how many executions got to one.
func (d *deepening) explore(x *explorer, left, longest int64, tries int) (ended int) {
	if d.opts.Disable[Executions] {
		return 1
	}
	if d.opts.Stage != nil {
		defer d.opts.Stage("executions")()
	}
	if d.opts.unrolled != nil {
		defer d.opts.unrolled.execution()()
	}
	e := &engine{ctx: d.ctx, m: d.m, entry: d.entry, opts: d.opts}
	opts := e.interpOptions(false)
	opts.Coverage, opts.Brief, opts.MaxSteps, opts.Infos = false, true, longest, &x.infos
	if x.guide != nil {
		opts.Visits = &x.guide.visits
	}
	again := x.cut // longer now
	x.cut = nil
	executed := int64(0)
	for n := 0; executed < left && (n < tries || ended > 0) && d.ctx.Err() == nil; n++ {
		seed := uint64(0)
		if n < len(again) {
			seed = again[n]
		} else {
			seed = x.fresh()
		}
		x.begin(seed)
		out := interp.Run(d.ctx, d.m, d.entry, x.choose, opts)
		if out.End != interp.EndSteps {
			ended++
		} else if x.far {
			x.cut = append(x.cut, seed)
		}
		executed += out.Executed + 500 // and what it takes to begin
		d.opts.meter.executed(out.Executed + 500)
		if out.End == interp.EndUnsupported {
			break // others would get there, too
		}
		if tells(out) {
			d.keepExecuted(e, x, seed, out)
		}
		if x.guide != nil && x.guide.visits.Next() && out.End != interp.EndViolation {
			repeated := x.keep(d.ctx, d.m, d.entry, seed, opts)
			executed += repeated
			d.opts.meter.executed(repeated)
		}
	}
	return ended
}

// tells tells whether an execution violated something that it can tell of: a leak stands elsewhere, and what pointer is
// meant is for the formulas to say.
func tells(out *interp.Outcome) bool {
	return out.End == interp.EndViolation && out.ByAddress == nil && out.Violation.Loc != nil &&
		out.Violation.Kind != found.MemoryLeak && out.Violation.Kind != found.InvalidPointer
}

// keepExecuted has an execution that violated something told, once for each finding, and reports whether it is new.
func (d *deepening) keepExecuted(e *engine, x *explorer, seed uint64, seen *interp.Outcome) bool {
	in := e.violation(seen.Violation)
	if d.violated[keyOf(in)] {
		return false
	}
	x.begin(seed)
	var out *interp.Outcome
	var tape *choice.List
	if opts := e.interpOptions(true); seen.Executed > slice.Longest {
		out, tape = e.executeLong(x.choose, opts, seen.Executed)
	} else {
		out, tape = e.execute(x.choose, opts, true)
	}
	if !tells(out) {
		return false
	}
	in = e.violation(out.Violation)
	in.Counterexample = e.counterexample(out, tape)
	if _, needs := needsUnmodelled(in.Counterexample); needs || d.violated[keyOf(in)] {
		return false
	}
	d.violated[keyOf(in)] = true
	d.executed = append(d.executed, *in)
	d.tell(*in)
	return true
}
