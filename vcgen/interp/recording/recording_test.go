package recording

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// wanderer is a program that uses all parts of a machine's state.
//
// It has frames, objects of all kinds and ends of their lifetimes, large copies, variable length arrays, numbers made
// of pointers, missing bodies, and shadow memory.
const wanderer = `#include <stdlib.h>
#include <string.h>
struct node { struct node *next; int v; };
extern int table[4];
void log_msg(const char *text, void *to);
static struct node *head;
static int total;
static int depth(int n, int *best) { int here = n; if (here > *best) *best = here; return n <= 0 ? 0 : 1 + depth(n - 1, best); }
static int vla(int n) { int a[n + 1]; a[n] = n; { int b[n + 2]; b[0] = a[n]; a[n] += b[0]; } return a[n]; }
static char big[40000], copy[40000], again[8];
int proof(int argc) {
  int best = 0;
  sea_tracking_on();
  for (int i = 0; i < 10; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      break;
    n->v = i * argc;
    n->next = head;
    head = n;
    if (i % 3 == 2) {
      struct node *gone = head->next;
      head->next = gone->next;
      free(gone);
    }
    total += depth(i % 7, &best) + vla(i % 5);
    if (i % 10 == 4)
      log_msg("x", n);
    unsigned long number = (unsigned long)n;
    struct node *same = (struct node *)(number + table[i % 4] * 0);
    total += same->v == n->v;
    if (i == 5) {
      memset(big, 3, sizeof big);
      memcpy(copy, big, sizeof copy);
      big[5] = 1;
      total += copy[5] + copy[39999];
      head = realloc(head, 64);
      if (!head)
        break;
      sea_reset_modified((char *)n);
    }
    char text[8];
    memhavoc(text, 4);
    memhavoc(again + 2, 4);
    total += text[i % 4] + again[i % 8];
  }
  sassert(total == -1);
  return total;
}
`

// numberer assigns objects the same numbers as a recorder.
type numberer struct {
	recorder
	count int32
}

func (n *numberer) Executing(*state.Frame, *llvmir.Instr)                        {}
func (n *numberer) Pushed(*state.Frame)                                          {}
func (n *numberer) Popped(*state.Frame)                                          {}
func (n *numberer) Reading(*state.Object, uint64, uint64)                        {}
func (n *numberer) Writing(*state.Object, uint64, uint64)                        {}
func (n *numberer) Chosen(*state.Input, *state.Object, uint64)                   {}
func (n *numberer) Ended(*state.Object)                                          {}
func (n *numberer) Copying(*state.Object, uint64, *state.Object, uint64, uint64) {}
func (n *numberer) Checking(*state.Object, uint64, uint64, bool)                 {}
func (n *numberer) Made(o *state.Object)                                         { n.count++; o.Serial = n.count }

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// digest returns a digest of the whole state of a machine before the next instruction.
func digest(m *explain.View, p *choice.Cursor) string {
	h := fnv.New64a()
	var todo []*state.Object
	seen := map[*state.Object]bool{}
	ref := func(o *state.Object) int32 {
		if o == nil {
			return 0
		}
		if !seen[o] {
			seen[o] = true
			todo = append(todo, o)
		}
		return o.Serial
	}
	var val func(v state.Value) string
	val = func(v state.Value) string {
		s := fmt.Sprintf("%x:%d:%d:%d:%v", v.Bits, ref(v.Obj), v.From, v.N, v.Loose)
		if v.X != nil {
			s += fmt.Sprint(v.X.Wide)
			for _, e := range v.X.Elems {
				s += "," + val(e)
			}
		}
		return s
	}
	refs := func(list []*state.Object) string {
		var b strings.Builder
		for _, o := range list {
			fmt.Fprintf(&b, "%d ", ref(o))
		}
		return b.String()
	}
	fmt.Fprintf(h, "%d %d %d %d %d %v %d\n", m.Executed, m.Blocks, m.Choices, m.Pushes, m.Begun, m.Tracking, m.Layout.Next)
	fmt.Fprintln(h, refs(m.Exposed), refs(m.Heap), refs(m.Escaped), refs(m.Layout.Placed), p.Position())
	var laid []*state.Object
	for o := range m.Layout.Laid {
		laid = append(laid, o)
	}
	slices.SortFunc(laid, func(a, b *state.Object) int { return int(a.Serial - b.Serial) })
	fmt.Fprintln(h, refs(laid))
	for _, g := range m.Program.Globals {
		fmt.Fprintln(h, g.Name, ref(m.Globals[g]))
	}
	for _, f := range m.Program.Funcs {
		fmt.Fprintln(h, f.Name, ref(m.Funcs[f]))
	}
	for _, site := range sorted(m.Made) {
		if n := m.Made[site]; n != 0 {
			fmt.Fprintln(h, site, n)
		}
	}
	for _, fr := range m.Frames {
		fmt.Fprintln(h, fr.Fn.Name, fr.Block.Index, fr.Prev, fr.PC, fr.Depth, fr.Serial, fr.NoValue, refs(fr.Own),
			refs(fr.VLAs))
		for _, v := range fr.Regs {
			fmt.Fprintln(h, val(v))
		}
		for _, b := range fr.Bound {
			fmt.Fprintln(h, b.V.Name, val(b.Addr))
		}
	}
	for len(todo) > 0 {
		o := todo[0]
		todo = todo[1:]
		fmt.Fprintln(h, o.Serial, o.Kind, o.Name, o.Site, o.Ordinal, o.Size, o.Base, o.Live, o.Readonly, o.Modified,
			o.Written, o.Exposed, o.Escaped,
			o.Made, o.Ended, o.Source, o.Maker, o.Number, len(o.Layers))
		for _, l := range o.Layers {
			fmt.Fprintln(h, l.Lo, l.Hi, l.Copied != nil)
		}
		visit := func(k uint64, p *state.Page) {
			for i := range p.Val {
				if p.State[i] != state.Unfilled {
					r := p.Ref(uint64(i))
					fmt.Fprintln(h, k, i, p.Val[i], p.State[i], ref(r.Obj), r.I, r.Loose)
				}
			}
		}
		if o.First != nil {
			visit(0, o.First)
		}
		for _, k := range sorted(o.Pages) {
			visit(k, o.Pages[k])
		}
	}
	return fmt.Sprintf("%d/%x", m.Executed, h.Sum64())
}

// forward returns the digests of the moments of a new run, from first on.
func forward(t *testing.T, m *clangir.Module, entry string, tape []byte, opts interp.Options,
	every int64) (out map[int64]string) {
	t.Helper()
	list, err := choice.Decode(tape)
	if err != nil {
		t.Fatal(err)
	}
	p := list.Cursor()
	x := interp.New(context.Background(), m, entry, p.Choose, opts)
	x.Observe(&numberer{})
	out = map[int64]string{}
	for goesOn := x.EnterFirst(); goesOn; goesOn = x.Step() {
		if x.Executed%every == 0 {
			out[x.Executed] = digest(x.View, p)
		}
	}
	return out
}

// TestRecordingRandomWalk checks that after any steps forward and back the state equals that of a new run.
func TestRecordingRandomWalk(t *testing.T) {
	m := interptest.CompileText(t, wanderer)
	opts := interp.Options{
		Semantics: found.Semantics{Checks: map[found.Kind]bool{found.Assertion: true}, MissingBody: "havoc"}}
	steps, walk := 0, 1700
	if testing.Short() {
		walk = 400
	}
	for seed := range uint64(2) {
		tape := &choice.List{}
		interp.Run(context.Background(), m, "proof", tape.Record(interptest.Random(seed+4)), opts)
		want := forward(t, m, "proof", tape.Encode(), opts, 1)
		for _, bits := range []uint{5, 8, 16} {
			p, _ := choice.Decode(tape.Encode())
			h, err := recordRun(context.Background(), m, "proof", p, opts, streamLimits{bits, 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if int64(len(want)) != h.Len() {
				t.Fatalf("seed %d: %d moments, a fresh run has %d", seed, h.Len(), len(want))
			}
			if bits == 5 {
				t.Logf("seed %d: %d moments, %s", seed, h.Len(), h.Outcome.End)
			}
			r := rand.New(rand.NewPCG(seed, uint64(bits)))
			for range walk {
				at := h.At()
				switch r.IntN(8) {
				case 0:
					at = r.Int64N(h.Len())
				case 1, 2:
					at += r.Int64N(100)
				case 3, 4:
					at -= r.Int64N(100)
				case 5, 6:
					at--
				default:
					at++
				}
				at = min(max(at, 0), h.End())
				if err := h.GoTo(at); err != nil {
					t.Fatal(err)
				}
				steps++
				if got := digest(h.View, h.rec.choices); got != want[at] {
					t.Fatalf("seed %d, %d moments an epoch, moment %d of %d: another state than in a fresh run", seed, 1<<bits, at,
						h.Len())
				}
			}
		}
	}
	if steps != 6*walk {
		t.Errorf("%d steps only", steps)
	}
}

// TestRecordingWindow checks that the end of a run that is too long can be visited.
func TestRecordingWindow(t *testing.T) {
	m := interptest.CompileText(t, wanderer)
	opts := interp.Options{Semantics: found.Semantics{Checks: interptest.ChecksOn(), MissingBody: "havoc"}}
	tape := &choice.List{}
	interp.Run(context.Background(), m, "proof", tape.Record(choice.Zero), opts)
	want := forward(t, m, "proof", tape.Encode(), opts, 16)
	p, _ := choice.Decode(tape.Encode())
	h, err := recordRun(context.Background(), m, "proof", p, opts, streamLimits{6, 10})
	if err != nil {
		t.Fatal(err)
	}
	if (h.Len()+15)/16 != int64(len(want)) || h.First() == 0 || h.Len()-h.First() > 640 {
		t.Fatalf("moments %d to %d are kept", h.First(), h.End())
	}
	for at := h.First(); at < h.Len(); at += 48 {
		if err := h.GoTo(at); err != nil {
			t.Fatal(err)
		}
		if digest(h.View, h.rec.choices) != want[at] {
			t.Fatalf("moment %d: another state than in a fresh run", at)
		}
	}
	if err := h.GoTo(h.First() - 1); err == nil {
		t.Error("a moment that was dropped can be visited")
	}
}

// BenchmarkRecording measures recording a run of about 10^6 instructions, and moving to a random moment.
//
// ms/step is the median; MB is the size of the recording.
func BenchmarkRecording(b *testing.B) {
	m := interptest.CompileText(b, `
#include <stdlib.h>
struct node { struct node *next; int v; };
static int weigh(struct node *n, int by) { int s = 0; for (; n; n = n->next) s += n->v * by; return s & 0xff; }
int proof(void) {
  static int a[512];
  struct node *head = NULL;
  int sum = 0;
  for (int round = 0; round < 55; round++) {
    struct node *n = malloc(sizeof *n);
    n->next = head; n->v = round; head = n;
    for (int i = 0; i < 512; i++) { a[i] += i ^ round; sum ^= a[(i * 7) % 512]; }
    sum += weigh(head, round & 7);
  }
  sassert(sum == -1);
  return 0;
}`)
	opts := interp.Options{Semantics: found.Semantics{Checks: map[found.Kind]bool{found.Assertion: true}}}
	tape := &choice.List{}
	out := interp.Run(context.Background(), m, "proof", tape.Record(choice.Zero), opts)
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			interp.Run(context.Background(), m, "proof", choice.Zero, opts)
		}
		b.ReportMetric(float64(out.Executed), "instructions")
	})
	record := func() *Recording {
		p, _ := choice.Decode(tape.Encode())
		h, err := Of(context.Background(), m, "proof", p, opts)
		if err != nil {
			b.Fatal(err)
		}
		return h
	}
	b.Run("record", func(b *testing.B) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var h *Recording
		for b.Loop() {
			h = record()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
		runtime.KeepAlive(h)
	})
	h := record()
	r := rand.New(rand.NewPCG(1, 2))
	for _, w := range []struct {
		name string
		next func() int64
	}{
		{"random", func() int64 { return r.Int64N(h.Len()) }},
		{"back", func() int64 { return max(h.At()-1-r.Int64N(20), 0) }},
	} {
		b.Run(w.name, func(b *testing.B) {
			_ = h.GoTo(h.End())
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := h.GoTo(w.next()); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/step")
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "ms/step-95")
		})
	}
}
