package harness

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// returned returns the arguments from which the result of a call is derived, by number.
func (w *walk) returned(in *llvmir.Instr) set {
	f := in.Function()
	if f == nil || len(f.Blocks) == 0 || f == w.f || in.Dst < 0 || len(in.Args) < len(f.Params) {
		return 0
	}
	return w.analysis.of(f).returns
}

// call adds the facts that a called function has about its arguments.
func (w *walk) call(in *llvmir.Instr) {
	f := in.Function()
	if f == nil {
		w.callsMember(in)
		return
	}
	name := f.Name
	if in.Intrinsic != "" {
		name = in.Intrinsic
	}
	arg := func(i int) set {
		if i >= len(in.Args) {
			return 0
		}
		return w.rootsOf(in.Args[i])
	}
	part := func(i int) set { // with addresses of members
		if i >= len(in.Args) {
			return 0
		}
		p, _ := w.sources(in.Args[i])
		return p
	}
	if known := language.Lookup(name); known.Arguments != "" {
		w.library(known, in, arg, part)
		return
	}
	if len(f.Blocks) == 0 || f == w.f {
		return
	}
	callee := w.analysis.of(f)
	for i := range callee.params {
		c := &callee.params[i]
		if i < len(in.Args) && c.extent > 0 {
			if p, off, ok := w.farthest(in.Args[i], 0); ok {
				w.reaches(p, off+c.extent)
			}
			w.reachesBehind(in.Args[i], c.extent)
		}
		if i < len(in.Args) && len(c.as) > 0 {
			w.passedAs(in.Args[i], c.as)
		}
		w.pointers(part(i)).each(func(n int) {
			mine := &w.out.params[n]
			mine.accessed, mine.written = mine.accessed || c.accessed, mine.written || c.written
		})
		if c.beyond > 0 {
			w.numbers(arg(i)).each(func(n int) { w.out.params[n].exceeds(c.beyond) })
		}
		w.pointers(arg(i)).each(func(n int) {
			mine := &w.out.params[n]
			mine.checked = mine.checked || c.null || c.checked
			w.out.passes = append(w.out.passes, handedOn{f, n, i})
			for m := range c.storedIn {
				mine.storeIn(m)
			}
			mine.indexed, mine.freed = mine.indexed || c.indexed, mine.freed || c.freed
			mine.taken, mine.nullElements = mine.taken || c.taken, mine.nullElements || c.nullElements
			for size := range c.strides {
				mine.index(size)
			}
			mine.text, mine.ended, mine.filled = mine.text || c.text, mine.ended || c.ended, mine.filled || c.filled
			if c.ends >= 0 {
				w.pointers(arg(c.ends)).each(func(q int) {
					if q < n {
						mine.ends = q
					}
				})
			}
			if c.length >= 0 {
				w.numbers(arg(c.length)).each(func(q int) {
					w.pair(n, q, c.bytes, f.SourceName+" is given %s")
					mine.lengths[len(mine.lengths)-1].plus = c.plus + w.offsetFrom(n, in.Args[i])
				})
			}
		})
	}
}

// callsMember records which arguments of a callback in a struct are other members of the struct, as the context of an
// allocator is: s->free(p, s->user).
func (w *walk) callsMember(in *llvmir.Instr) {
	m, ok := w.loaded(in.Callee)
	if !ok {
		return
	}
	for i, a := range in.Args {
		if other, ok := w.loaded(a); ok && other.of == m.of && other != m {
			w.contexts[m] |= one(i)
		}
	}
}

// reachesBlock records the bytes that the C library accesses at an argument if their number is constant.
func (w *walk) reachesBlock(in *llvmir.Instr, i, length int) {
	if length < 0 || i >= len(in.Args) || length >= len(in.Args) || in.Args[length].Kind != llvmir.OperandConst {
		return
	}
	n, ok := smallConstant(in.Args[length])
	if !ok || n <= 0 {
		return
	}
	if p, off, ok := w.farthest(in.Args[i], 0); ok {
		w.reaches(p, off+n)
	}
	w.reachesBehind(in.Args[i], n)
}

// library records how a function of the C library uses its arguments. arg returns the parameters that an argument is,
// part also those that it is a part of.
func (w *walk) library(known language.Entry, in *llvmir.Instr, arg, part func(i int) set) {
	length := strings.IndexByte(known.Arguments, byte(language.UseLength))
	for i, use := range known.Arguments {
		if u := language.Use(use); (u == language.UseString || u == language.UseUpdate) && i < len(in.Args) {
			if members, off, ok := w.behind(in.Args[i], 0); ok && off == 0 {
				for m := range members {
					w.texts[m] = true
				}
			}
		}
		if language.Use(use) == language.UseBlock {
			w.reachesBlock(in, i, length)
			w.pointers(part(i)).each(func(n int) { w.out.params[n].accessed = true })
		}
		w.pointers(arg(i)).each(func(n int) {
			p := &w.out.params[n]
			switch language.Use(use) {
			case language.UseString:
				p.text = true
			case language.UseFill:
				p.filled = true
			case language.UseUpdate:
				p.text, p.filled = true, true
			case language.UseBlock:
				w.beyondFixed(in, length)
				w.numbers(arg(length)).each(func(q int) {
					w.pair(n, q, true, known.Name+" is given %s")
					p.lengths[len(p.lengths)-1].factor = w.factor(in.Args[length], 0)
					p.lengths[len(p.lengths)-1].plus = w.offsetFrom(n, in.Args[i])
				})
			case language.UseFree:
				p.freed = true
			}
		})
	}
}
