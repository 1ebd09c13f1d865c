package state

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/space"
)

// A run changes a state at random by the calls that the machine and its recorder make.
type run struct {
	rng     *rand.Rand
	s       *State
	j       *Journal
	objects []*Object // all objects ever created; the journal has weak references
	globals []*llvmir.Global
	funcs   []*llvmir.Func
}

func newRun(seed int64) *run {
	r := &run{rng: rand.New(rand.NewSource(seed)), s: New(space.Of(64, 16), false)}
	r.j = NewJournal(r.s)
	for range 3 {
		r.globals, r.funcs = append(r.globals, &llvmir.Global{}), append(r.funcs, &llvmir.Func{})
	}
	r.j.Open()
	r.push()
	return r
}

func (r *run) push() {
	fr := &Frame{Regs: make([]Value, 4), Serial: r.s.Pushes, Prev: -1}
	r.s.Frames = append(r.s.Frames, fr)
	r.s.Pushes++
	r.j.Born(fr)
}

func (r *run) object() *Object { return r.objects[r.rng.Intn(len(r.objects))] }

// live returns a live object that has bytes; nil if there is none.
func (r *run) live() *Object {
	for range 10 {
		if len(r.objects) > 0 {
			if o := r.object(); o.Live {
				return o
			}
		}
	}
	return nil
}

func (r *run) value() Value {
	switch r.rng.Intn(4) {
	case 0:
		if o := r.live(); o != nil {
			v := PointerTo(o, uint64(r.rng.Intn(9)))
			v.Loose = r.rng.Intn(3) == 0
			return v
		}
	case 1:
		if o := r.live(); o != nil {
			return Value{Bits: o.Base >> 16, Obj: o, From: 2, N: 4}
		}
	}
	return IntValue(r.rng.Uint64())
}

// make creates an object. Objects are numbered again in a replay.
func (r *run) make() {
	sizes := []uint64{1, 8, 8, 40, PageSize, 3*PageSize + 5, DirectCopy + 3*PageSize}
	o := &Object{Kind: ObjectKind(r.rng.Intn(3)), Site: r.rng.Intn(4), Size: sizes[r.rng.Intn(len(sizes))]}
	wanted := uint64(0)
	if r.rng.Intn(4) == 0 {
		wanted = uint64(1+r.rng.Intn(1000)) << 20
	}
	if !r.s.AddObject(o, 8, wanted) {
		return
	}
	r.j.Made(o)
	r.objects = append(r.objects, o)
	switch o.Kind {
	case OnHeap:
		r.s.Blocks++
		r.s.Heap = append(r.s.Heap, o)
	case Static:
		if g := r.globals[r.rng.Intn(len(r.globals))]; r.s.Globals[g] == nil {
			r.s.SetGlobal(g, o)
		} else if f := r.funcs[r.rng.Intn(len(r.funcs))]; r.s.Funcs[f] == nil {
			r.s.SetFunction(f, o)
		}
	case OnStack:
		fr := r.s.Top()
		fr.Own = append(fr.Own, o)
		if r.rng.Intn(2) == 0 {
			fr.VLAs = append(fr.VLAs, o)
		}
	}
}

// bytes changes or reads bytes of an object.
func (r *run) bytes(o *Object) {
	n := min(1+uint64(r.rng.Intn(8)), o.Size)
	off := uint64(r.rng.Int63n(int64(o.Size - n + 1)))
	switch r.rng.Intn(8) {
	case 0:
		o.Read(off, int(n))
	case 1:
		unwritten := make([]byte, n)
		r.rng.Read(unwritten)
		o.SetUnwritten(off, unwritten)
	case 2:
		o.Set(off, Cell{B: byte(r.rng.Intn(256)), State: ByteState(1 + r.rng.Intn(2))})
	case 3:
		salt := byte(r.rng.Intn(256))
		high := off + uint64(r.rng.Int63n(int64(o.Size-off)+1))
		o.Cover(off, high, func(off uint64) Cell { return Cell{B: byte(off) ^ salt, State: Arbitrary} })
	case 4:
		if from := r.live(); from != nil {
			n = min(o.Size, from.Size)
			CopyBytes(o, o.Size-n, from, from.Size-n, n)
		}
	case 5:
		if r.rng.Intn(2) == 0 {
			o.Change()
			o.Modified, o.Written = !o.Modified, true
		} else {
			r.s.Expose(o)
		}
	default:
		o.Write(off, r.value(), int(n))
	}
}

// step executes an instruction.
func (r *run) step() {
	s, fr := r.s, r.s.Top()
	s.Executed++
	fr.PC++
	r.j.SaveFrame(fr, 1)
	switch r.rng.Intn(14) {
	case 0:
		if len(s.Frames) < 4 {
			r.push()
		}
	case 1:
		if len(s.Frames) > 1 {
			for _, o := range fr.Own {
				r.end(o)
			}
			s.Frames = s.Frames[:len(s.Frames)-1]
			r.j.SaveFrame(s.Top(), 0)
		}
	case 2:
		fr.Bound = append(fr.Bound, Binding{V: &llvmir.DIVar{}, Addr: r.value()})
	case 3:
		fr.Carry(r.rng.Intn(4), []byte{byte(r.rng.Intn(256))})
	case 4:
		if o := r.live(); o != nil && o.Kind == OnHeap {
			r.end(o)
		}
	case 5:
		s.Tracking, s.Paused, s.Begun = !s.Tracking, s.Paused+1, s.Begun+1
		s.Limits = &Limit{Outer: s.Limits, Since: s.Order}
		s.Assumes = append(slices.Clip(s.Assumes), r.rng.Uint64())
	case 6:
		if o := r.live(); o != nil && !o.Escaped {
			o.Change()
			o.Escaped = true
			s.Escaped = append(s.Escaped, o)
		}
	case 7, 8:
		r.make()
	default:
		fr.Regs[r.rng.Intn(len(fr.Regs))] = r.value()
		if o := r.live(); o != nil {
			r.bytes(o)
		}
	}
}

func (r *run) end(o *Object) {
	if o.Live {
		r.j.Ending(o)
		r.s.End(o)
	}
}

// picture returns a description of the state and of the first n objects, without changing them.
func (r *run) picture(n int) string {
	var b strings.Builder
	s := r.s
	number := func(o *Object) int { return slices.Index(r.objects, o) }
	numbers := func(list []*Object) (out []int) {
		for _, o := range list {
			out = append(out, number(o))
		}
		return out
	}
	value := func(v Value) string {
		return fmt.Sprintf("%x/%d/%d/%d/%t", v.Bits, number(v.Obj), v.From, v.N, v.Loose)
	}
	for _, fr := range s.Frames {
		fmt.Fprintf(&b, "frame %d at %d of %v %v:", fr.Serial, fr.PC, numbers(fr.Own), numbers(fr.VLAs))
		for _, v := range fr.Regs {
			b.WriteString(" " + value(v))
		}
		for _, x := range fr.Bound {
			fmt.Fprintf(&b, " %p=%s", x.V, value(x.Addr))
		}
		for _, k := range slices.Sorted(maps.Keys(fr.Carried)) {
			fmt.Fprintf(&b, " carries %d=%v", k, fr.Carried[k])
		}
		b.WriteString("\n")
	}
	laid := numbers(slices.Collect(maps.Keys(s.Layout.Laid)))
	slices.Sort(laid)
	made := ""
	for _, k := range slices.Sorted(maps.Keys(s.Made)) {
		if s.Made[k] > 0 {
			made += fmt.Sprintf(" %d:%d", k, s.Made[k])
		}
	}
	fmt.Fprintf(&b, "exposed %v heap %v escaped %v placed %v laid %v next %x\n", numbers(s.Exposed),
		numbers(s.Heap), numbers(s.Escaped), numbers(s.Layout.Placed), laid, s.Layout.Next)
	fmt.Fprintf(&b, "blocks %d pushes %d begun %d executed %d paused %d tracking %t assumes %v limits %p made%s\n",
		s.Blocks, s.Pushes, s.Begun, s.Executed, s.Paused, s.Tracking, s.Assumes, s.Limits, made)
	for i := range r.globals {
		fmt.Fprintf(&b, "global %d function %d\n", number(s.Globals[r.globals[i]]), number(s.Funcs[r.funcs[i]]))
	}
	for i, o := range r.objects[:n] {
		fmt.Fprintf(&b, "object %d at %x: live %t modified %t written %t exposed %t escaped %t", i, o.Base, o.Live,
			o.Modified, o.Written, o.Exposed, o.Escaped)
		for off := range o.Size {
			c, ok := o.Known(off)
			if !ok {
				c = o.below(off)
			}
			if c != (Cell{State: Written}) {
				fmt.Fprintf(&b, " %d:%x/%x/%d.%d.%t", off, c.B, c.State, number(c.Ref.Obj), c.Ref.I, c.Ref.Loose)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestUndo checks that undoing the epochs of a random run from the last one back restores each beginning.
//
// States are compared byte for byte with their shadow. Redoing the epochs must restore their ends.
func TestUndo(t *testing.T) {
	for seed := range int64(15) {
		r := newRun(seed)
		epochs, began := []*Epoch{r.j.now}, []string{""}
		counts := []int{0}
		for range 6 {
			for range 5 + r.rng.Intn(60) {
				r.step()
			}
			r.s.Executed++ // the recorder opens an epoch at an instruction that has been counted
			counts = append(counts, len(r.objects))
			r.s.Executed--
			began = append(began, r.picture(len(r.objects)))
			r.s.Executed++
			epochs = append(epochs, r.j.Open())
			r.s.Executed--
		}
		for range 5 + r.rng.Intn(60) {
			r.step()
		}
		r.j.Close()
		r.j.SaveInto(nil)
		last := r.j.present()
		end := r.picture(len(r.objects))
		for k := len(epochs) - 1; k > 0; k-- {
			epochs[k].Swap(r.s)
			r.j.restore(&epochs[k].begin)
			compare(t, fmt.Sprintf("seed %d: undoing epoch %d", seed, k), r.picture(counts[k]), began[k])
		}
		for k := 1; k < len(epochs); k++ {
			epochs[k].Swap(r.s)
			want := end
			if k+1 < len(epochs) {
				r.j.restore(&epochs[k+1].begin)
				want = began[k+1]
			} else {
				r.j.restore(&last)
			}
			n := len(r.objects)
			if k+1 < len(epochs) {
				n = counts[k+1]
			}
			compare(t, fmt.Sprintf("seed %d: doing epoch %d again", seed, k), r.picture(n), want)
		}
		if t.Failed() {
			return
		}
	}
}

// TestReplayIsUndone checks that random replays from the beginning of an epoch are undone like the first execution.
func TestReplayIsUndone(t *testing.T) {
	for seed := range int64(15) {
		r := newRun(seed)
		for range 80 {
			r.step()
		}
		count, was := len(r.objects), r.picture(len(r.objects))
		r.s.Executed++
		e := r.j.Open()
		r.s.Executed--
		for range 80 {
			r.step()
		}
		r.j.Close()
		e.Swap(r.s)
		for range 3 {
			scratch := r.j.Replay(e)
			compare(t, fmt.Sprintf("seed %d: the beginning of a replay", seed), r.picture(count), was)
			for range 40 {
				r.step()
			}
			r.j.SaveInto(nil)
			scratch.Swap(r.s)
		}
		r.j.restore(&e.begin)
		compare(t, fmt.Sprintf("seed %d: behind the replays", seed), r.picture(count), was)
		if t.Failed() {
			return
		}
	}
}

func compare(t *testing.T, what, got, want string) {
	t.Helper()
	x, y := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			t.Errorf("%s:\n got %.300s\nwant %.300s", what, x[i], y[i])
			return
		}
	}
	if len(x) != len(y) {
		t.Errorf("%s: %d lines, want %d", what, len(x), len(y))
	}
}
