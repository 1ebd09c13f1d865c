// Package minimize makes counterexamples small: it looks for other inputs with the same violation in
// which more is zero and what is not is small, by running the program with changed inputs. The
// search is that of delta debugging (Zeller, Hildebrandt: Simplifying and Isolating
// Failure-Inducing Input, TSE 2002): choices are reset in chunks, halves first; what cannot
// be reset is brought down by bisection. It is deterministic: its budget is in instructions.
//
// The alternative, further queries to the solver with bounds on the inputs, was measured and
// rejected: docs/counterexamples.md has the figures.
//
// It knows nothing of solvers, of traces, and of what an input means.
package minimize

import (
	"context"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Budgets of a search: instructions in all its runs, and runs.
const (
	minimizeSteps = 2_000_000
	minimizeRuns  = 1_500
)

// Inputs returns inputs with the same violation as in has: the same kind, at the same place,
// reached by the same calls. A new one must be asked for per run. first is the outcome of a run
// with in, which has to be a violation.
func Inputs(ctx context.Context, m *llvmir.Module, entry string, in interp.Inputs, opts interp.Options) (again func() interp.Inputs, first *interp.Outcome) {
	opts.Trace, opts.Coverage, opts.Keep = false, false, nil
	opts.Infos = interp.Infos{}
	s := &search{ctx: ctx, m: m, entry: entry, opts: opts, book: book{lists: map[choiceKey][]*choice{}}, failed: map[uint64]bool{}}
	first = interp.Run(ctx, m, entry, &scribe{in: in, book: &s.book}, opts)
	s.book.settle()
	again = func() interp.Inputs { return s.book.inputs() }
	if first.End != interp.EndViolation || first.Executed > minimizeSteps/8 {
		return again, first // a handful of runs would find nothing
	}
	s.want = first.Violation
	s.opts.Brief, s.opts.Goal = true, goalOf(m, entry, first.Violation)
	s.opts.MaxSteps = min(opts.MaxSteps, 2*first.Executed+10_000)
	if opts.MaxSteps <= 0 {
		s.opts.MaxSteps = 2*first.Executed + 10_000
	}
	s.minimize()
	return again, first
}

type choiceKey struct {
	what string // kind of the question
	site int
	name string
}

// choice is the answer to one question: a number, or content.
type choice struct {
	value   *big.Int
	bits    int
	float   bool
	address bool
	content map[uint64]byte // the bytes that are not zero
	made    *state.Input    // what the first run noted of it; nil where it noted nothing
}

func (c *choice) isDefault() bool {
	if c.content != nil {
		return len(c.content) == 0
	}
	return c.value.Sign() == 0
}

// book holds answers by question; the n-th question of a kind at a place gets the n-th answer,
// so that it still fits where an execution goes another way.
type book struct {
	lists map[choiceKey][]*choice
	order []*choice // in the order of the execution
}

// settle drops zero bytes.
func (b *book) settle() {
	for _, c := range b.order {
		for off, x := range c.content {
			if x == 0 {
				delete(c.content, off)
			}
		}
	}
}

// scribe answers as another Inputs does, and fills a book.
type scribe struct {
	in   interp.Inputs
	book *book
	typ  *llvmir.Type // of the next value
	last *choice      // the content that was given last
}

func (s *scribe) Expect(t *llvmir.Type) { s.typ = t }
func (s *scribe) Noted(r *state.Input) {
	if s.last != nil {
		s.last.made = r
	}
}

func (s *scribe) add(k choiceKey, c *choice) *choice {
	s.book.lists[k] = append(s.book.lists[k], c)
	s.book.order = append(s.book.order, c)
	return c
}

func (s *scribe) Value(site int, kind string, bits int) *big.Int {
	v := s.in.Value(site, kind, bits)
	if v == nil {
		v = new(big.Int)
	}
	c := &choice{value: new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), uint(bits))), bits: bits}
	c.float = s.typ != nil && s.typ.Kind == llvmir.FloatType
	s.typ, s.last = nil, c
	s.add(choiceKey{"v" + kind, site, ""}, c)
	return v
}

func (s *scribe) Content(site int, kind, name string) func(uint64) byte {
	at := s.in.Content(site, kind, name)
	c := s.add(choiceKey{"c" + kind, site, name}, &choice{content: map[uint64]byte{}})
	if at == nil {
		return nil
	}
	s.last = c
	return func(off uint64) byte {
		b := at(off)
		c.content[off] = b
		return b
	}
}

func (s *scribe) truth(what string, site int, b bool) bool {
	c := &choice{value: new(big.Int), bits: 1}
	if b {
		c.value.SetInt64(1)
	}
	s.add(choiceKey{what, site, ""}, c)
	return b
}

func (s *scribe) AllocFails(site int) bool { return s.truth("alloc", site, s.in.AllocFails(site)) }

func (s *scribe) MissingBodyWrites(site int) bool {
	return s.truth("writes", site, s.in.MissingBodyWrites(site))
}

func (s *scribe) Address(site int, name string) (uint64, bool) {
	a, ok := s.in.Address(site, name)
	if !ok {
		a = 0
	}
	// An address is wished for or not, it is not made smaller.
	s.add(choiceKey{"address", site, name}, &choice{value: new(big.Int).SetUint64(a), bits: 1, address: true})
	return a, a != 0
}

func (s *scribe) UnknownSize(name string) uint64 {
	n := uint64(0)
	if in, ok := s.in.(interp.UnknownSizes); ok {
		n = in.UnknownSize(name)
	}
	s.add(choiceKey{"size", 0, name}, &choice{value: new(big.Int).SetUint64(n), bits: 64})
	return n
}

// clerk answers from a book; what the book does not know is zero.
type clerk struct {
	book *book
	next map[choiceKey]int
}

func (b *book) inputs() interp.Inputs { return &clerk{b, map[choiceKey]int{}} }

func (c *clerk) take(k choiceKey) *choice {
	n := c.next[k]
	c.next[k]++
	if l := c.book.lists[k]; n < len(l) {
		return l[n]
	}
	return nil
}

func (c *clerk) number(k choiceKey) *big.Int {
	if x := c.take(k); x != nil {
		return x.value
	}
	return new(big.Int)
}

func (c *clerk) Value(site int, kind string, _ int) *big.Int {
	return c.number(choiceKey{"v" + kind, site, ""})
}

func (c *clerk) Content(site int, kind, name string) func(uint64) byte {
	x := c.take(choiceKey{"c" + kind, site, name})
	if x == nil {
		return nil
	}
	// What is looked at later, by whoever renders an input, is what was there in the run.
	content := x.content
	return func(off uint64) byte { return content[off] }
}

func (c *clerk) AllocFails(site int) bool { return c.number(choiceKey{"alloc", site, ""}).Sign() != 0 }

func (c *clerk) MissingBodyWrites(site int) bool {
	return c.number(choiceKey{"writes", site, ""}).Sign() != 0
}

func (c *clerk) Address(site int, name string) (uint64, bool) {
	a := c.number(choiceKey{"address", site, name}).Uint64()
	return a, a != 0
}

func (c *clerk) UnknownSize(name string) uint64 {
	return c.number(choiceKey{"size", 0, name}).Uint64()
}

type search struct {
	ctx   context.Context
	m     *llvmir.Module
	entry string
	opts  interp.Options
	book  book
	want  *interp.Violation
	steps int64
	runs  int
	// failed has the digests of books that were run without success: a later round tries much of what an earlier one tried.
	failed map[uint64]bool
}

func (s *search) done() bool {
	return s.steps >= minimizeSteps || s.runs >= minimizeRuns || s.ctx.Err() != nil
}

// holds runs the book; it reports whether the violation is the wanted one.
func (s *search) holds() bool {
	if s.done() {
		return false
	}
	digest := s.book.digest()
	if s.failed[digest] {
		return false
	}
	out := interp.Run(s.ctx, s.m, s.entry, s.book.inputs(), s.opts)
	s.steps += out.Executed + 200 // a run has costs of its own
	s.runs++
	if v, w := out.Violation, s.want; out.End == interp.EndViolation && v.Kind == w.Kind && interp.SameStack(v.Stack, w.Stack) {
		return true
	}
	s.failed[digest] = true
	return false
}

// digest is a hash of the answers that are not zero. Where two books have the same one, a smaller counterexample is missed,
// and nothing else.
func (b *book) digest() uint64 {
	mix := func(x, y uint64) uint64 { // splitmix64
		x += y * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	sum := uint64(0)
	for i, c := range b.order {
		at := mix(uint64(i), 1)
		if c.content != nil {
			for off, x := range c.content { // in any order
				if x != 0 {
					sum += mix(mix(at, off), uint64(x))
				}
			}
			continue
		}
		for _, w := range c.value.Bits() {
			at = mix(at, uint64(w))
		}
		if c.value.Sign() != 0 {
			sum += at
		}
	}
	return sum
}

// maxRounds bounds how often everything is tried again after something else became smaller.
const maxRounds = 3

func (s *search) minimize() {
	// Wishes for addresses first: an execution without them is the easier one to follow.
	s.reset(func(c *choice) bool { return c.address })
	for range 2 * maxRounds {
		changed := s.reset(func(*choice) bool { return true })
		for _, c := range s.book.order {
			if s.done() {
				return
			}
			switch {
			case c.isDefault() || c.bits == 1:
			case c.content != nil:
				changed = s.shrinkContent(c) || changed
			case c.float:
				changed = s.shrinkFloat(c) || changed
			default:
				changed = s.shrinkNumber(c) || changed
			}
		}
		changed = s.together() || changed
		if !changed && !s.jointly() { // first what is cheap
			return
		}
	}
}

// together makes numbers smaller that depend on each other: from each number on upwards all of
// them by the same amount.
func (s *search) together() bool {
	var list []*choice
	for _, c := range s.book.order {
		if c.content == nil && !c.float && c.bits > 8 && c.value.IsUint64() && c.value.Sign() > 0 && c.value.BitLen() < min(c.bits, 48) {
			list = append(list, c)
		}
	}
	changed := false
	floor := uint64(0)
	for _, from := range distinct(list) {
		var group []*choice
		for _, c := range list {
			if c.value.Uint64() >= from {
				group = append(group, c)
			}
		}
		if len(group) < 2 {
			break
		}
		minus := func(d uint64) bool {
			for _, c := range group {
				c.value = new(big.Int).SetUint64(c.value.Uint64() - d)
			}
			if s.holds() {
				return true
			}
			for _, c := range group {
				c.value = new(big.Int).SetUint64(c.value.Uint64() + d)
			}
			return false
		}
		for d := from - floor; d > 0 && !s.done(); {
			if minus(d) {
				changed = true
				from -= d
				d = min(d, from-floor)
			} else {
				d /= 2
			}
		}
		floor = from
	}
	return changed
}

// distinct returns the different values in a list, ascending.
func distinct(list []*choice) []uint64 {
	var out []uint64
	for _, c := range list {
		out = append(out, c.value.Uint64())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// inChunks calls try for chunks of n things, the largest first; try reports whether the chunk
// is done with.
func inChunks(n int, try func(from, to int) bool) bool {
	changed := false
	open := make([]bool, n)
	for i := range open {
		open[i] = true
	}
	for size := n; size >= 1; size /= 2 {
		for to := n; to > 0; to -= size { // the high bytes of numbers first
			from := max(to-size, 0)
			if !slices.Contains(open[from:to], true) {
				continue
			}
			if try(from, to) {
				changed = true
				for i := from; i < to; i++ {
					open[i] = false
				}
			}
		}
	}
	return changed
}

// reset makes choices zero.
func (s *search) reset(which func(*choice) bool) bool {
	var list []*choice
	for _, c := range s.book.order {
		if !c.isDefault() && which(c) {
			list = append(list, c)
		}
	}
	return inChunks(len(list), func(from, to int) bool {
		old := make([]choice, to-from)
		for i, c := range list[from:to] {
			old[i] = *c
			if c.content != nil {
				c.content = map[uint64]byte{}
			} else {
				c.value = new(big.Int)
			}
		}
		if s.holds() {
			return true
		}
		for i, c := range list[from:to] {
			*c = old[i]
		}
		return false
	})
}

// try sets a number, and keeps it where the violation stays.
func (s *search) try(c *choice, v *big.Int) bool {
	if v.Cmp(c.value) == 0 {
		return true
	}
	old := c.value
	c.value = v
	if s.holds() {
		return true
	}
	c.value = old
	return false
}

// shrinkNumber looks for a smaller number: 1, of a signed one -1, then the smallest power of two
// that will do, and from there by bisection; of a negative one the same from the other side.
func (s *search) shrinkNumber(c *choice) bool {
	one := big.NewInt(1)
	before := c.value
	if c.value.Cmp(one) == 0 || s.try(c, one) {
		return before != c.value
	}
	end := new(big.Int).Lsh(one, uint(c.bits))
	negative := c.isSigned() && c.value.Bit(c.bits-1) == 1
	if negative && s.try(c, new(big.Int).Sub(end, one)) {
		return before.Cmp(c.value) != 0
	}
	top := uint(c.bits)
	if c.isSigned() {
		top--
	}
	s.climb(c, top, func(v *big.Int) *big.Int { return v })
	s.scan(c)
	if negative && c.value.Bit(c.bits-1) == 1 {
		s.climb(c, uint(c.bits), func(v *big.Int) *big.Int { return new(big.Int).Sub(end, v) })
	}
	return before.Cmp(c.value) != 0
}

// climb tries magnitudes 2, 4, 8 … below 2^top, and bisects below the first that will do, or
// below the present one.
func (s *search) climb(c *choice, top uint, of func(*big.Int) *big.Int) {
	low := big.NewInt(1)
	for k := uint(1); k < top; k++ {
		v := new(big.Int).Lsh(big.NewInt(1), k)
		if of(c.value).CmpAbs(v) <= 0 && of(c.value).Sign() > 0 {
			s.bisect(c, low, of, of(c.value))
			return
		}
		if s.try(c, of(v)) {
			s.bisect(c, low, of, v)
			return
		}
		low = v
	}
	if v := of(c.value); v.Cmp(low) > 0 && v.BitLen() <= int(top) {
		s.bisect(c, low, of, v)
	}
}

// maxScan is up to which number all are tried where bisection left something larger: remainders
// and masks have no order.
const maxScan = 96

// scan tries all small numbers.
func (s *search) scan(c *choice) {
	if !c.value.IsUint64() || c.value.Uint64() <= 16 {
		return
	}
	for v := uint64(2); v <= maxScan && v < c.value.Uint64() && !s.done(); v++ {
		if s.try(c, new(big.Int).SetUint64(v)) {
			return
		}
	}
}

// bisect looks for the smallest magnitude above low, which does not do, up to high, which does.
func (s *search) bisect(c *choice, low *big.Int, of func(*big.Int) *big.Int, high *big.Int) {
	low, high = new(big.Int).Set(low), new(big.Int).Set(high)
	for {
		mid := new(big.Int).Add(low, high)
		mid.Rsh(mid, 1)
		if mid.Cmp(low) <= 0 || mid.Cmp(high) >= 0 || s.done() {
			return
		}
		if s.try(c, of(mid)) {
			high = mid
		} else {
			low = mid
		}
	}
}

// shrinkFloat prefers whole and round numbers.
func (s *search) shrinkFloat(c *choice) bool {
	if c.bits != 32 && c.bits != 64 {
		return false
	}
	before := c.value
	x := state.ToFloat(state.IntValue(c.value.Uint64()), c.bits)
	list := []float64{1, -1, 2, -2, 0.5, 10, 100, 1000, 1e4, 1e5, 1e6}
	if x != 0 && !math.IsInf(x, 0) && x == x {
		for digits := 1; digits < 8; digits++ {
			unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-float64(digits-1))
			list = append(list, math.Round(x/unit)*unit)
		}
		list = append(list, math.Trunc(x))
	}
	for _, y := range list {
		v := state.FromFloat(y, c.bits)
		if v.Bits == c.value.Uint64() {
			return false // as round as it gets
		}
		if s.try(c, new(big.Int).SetUint64(v.Bits)) {
			break
		}
	}
	return before.Cmp(c.value) != 0
}

// shrinkContent makes bytes zero, and those that cannot be, small; of text, printable.
func (s *search) shrinkContent(c *choice) bool {
	changed := false
	offsets := slices.Sorted(maps.Keys(c.content))
	set := func(next map[uint64]byte) bool {
		old := c.content
		c.content = next
		if s.holds() {
			changed = true
			return true
		}
		c.content = old
		return false
	}
	inChunks(len(offsets), func(from, to int) bool {
		next := maps.Clone(c.content)
		for _, off := range offsets[from:to] {
			delete(next, off)
		}
		return len(next) < len(c.content) && set(next)
	})
	for _, off := range offsets {
		b := c.content[off]
		if b == 0 || s.done() || b == 1 && !c.isText() || b >= 0x20 && b < 0x7f && c.isText() {
			continue
		}
		with := func(x byte) bool {
			next := maps.Clone(c.content)
			next[off] = x
			return set(next)
		}
		if c.isText() && with('a') || b == 1 || with(1) {
			continue
		}
		low, high := byte(1), b
		for high-low > 1 && !s.done() {
			if mid := low + (high-low)/2; with(mid) {
				high = mid
			} else {
				low = mid
			}
		}
	}
	return changed
}

// isText reports whether content is shown as characters: that of arrays of them, and of what has no type.
func (c *choice) isText() bool {
	if c.made == nil {
		return true
	}
	t := c.made.DIType
	if t == nil {
		t = c.made.Points
	}
	if t == nil || t.Kind == llvmir.DIVoid {
		return true
	}
	return t.Kind == llvmir.DIChar && t.Signed || t.Kind == llvmir.DIArray && t.Elem != nil && t.Elem.Kind == llvmir.DIChar && t.Elem.Signed
}

// isSigned reports whether a number is shown with a sign.
func (c *choice) isSigned() bool {
	return c.bits > 1 && (c.made == nil || c.made.DIType == nil || c.made.DIType.Signed)
}
