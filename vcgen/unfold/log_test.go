package unfold_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

var update = flag.Bool("update", false, "write the logs of testdata/log anew")

// prelude precedes the C of each page. It replaces unitproof.h and the C library, as far as pages use them, and the
// primitives of contracts. Real headers would take clang longer than all the rest.
const prelude = `typedef _Bool bool;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t, intptr_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long uint64_t, uintptr_t, size_t;
#define true 1
#define false 0
#define NULL ((void *)0)
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_end(list) __builtin_va_end(list)
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void exit(int) __attribute__((noreturn)); void abort(void) __attribute__((noreturn));
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
void assume(bool); void sassert(bool); void memhavoc(void *, size_t);
int nd_int(void); unsigned nd_uint(void); uint8_t nd_uint8_t(void); uint64_t nd_uint64_t(void); bool nd_bool(void);
char nd_char(void); float nd_float(void); double nd_double(void); void *nd_voidp(void); size_t nd_size_t(void);
bool sea_is_dereferenceable(const void *, intptr_t); bool sea_is_modified(char *); void sea_reset_modified(char *);
void sea_tracking_on(void);
int __unitproof_loops(void); void __unitproof_stop(void); void __unitproof_assuming(int);
void __unitproof_assume(bool); void __unitproof_requires(bool, const char *, const char *);
void __unitproof_ensures(bool, const char *, const char *);
void __unitproof_invariant(bool, const char *, const char *);
void __unitproof_variant(bool, const char *, const char *);
void __unitproof_frame_begin(int); void __unitproof_frame_add(const void *, size_t);
void __unitproof_frame_free(const void *); void __unitproof_frame_written(int); void __unitproof_frame_end(void);
void __unitproof_frame_pause(void); void __unitproof_frame_go_on(void); void __unitproof_loop_leave(void);
void __unitproof_loop_leaving(bool); bool __unitproof_is_new(const void *); size_t __unitproof_size(const void *);
void *__unitproof_malloc(size_t); void __unitproof_free(void *);
bool __unitproof_forall(bool, ...); bool __unitproof_exists(bool, ...); size_t __unitproof_bound(void);
size_t unitproof_find(const void *, size_t, unsigned char, bool);
size_t unitproof_find_last(const void *, size_t, unsigned char);
size_t unitproof_differ(const void *, const void *, size_t, bool);
int __CPROVER_uninterpreted_f(int, int); size_t __CPROVER_OBJECT_SIZE(const void *);
size_t __CPROVER_POINTER_OFFSET(const void *); _Bool __CPROVER_r_ok(const void *, size_t);
void __unitproof_havoc(void *, size_t); bool __unitproof_is_freeable(void *); bool __unitproof_was_freed(void *);
#line 1 "page.c"
`

// TestLogs compares the log of each page of testdata/log with the expected one. A page is a txtar archive: a comment
// with its subject and options, the C, and the log; "-update" writes the logs.
func TestLogs(t *testing.T) { clangtest.Pages(t, "testdata/log", 40, "log", *update, printed) }

// printed unfolds the C of a page and prints the result.
func printed(t *testing.T, comment, source string) string {
	t.Helper()
	m, err := clangir.Read([]byte(clangtest.Compile(t, prelude+source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts, entry := options(t, comment)
	for {
		c := smt.NewContext()
		opts.At = nil
		p, err := unfold.Run(t.Context(), m, entry, c, &enumerating{c: c}, opts)
		if errors.Is(err, unfold.ErrRepeat) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if x := opts.Induction; x != nil && x.Changed {
			continue
		}
		var b strings.Builder
		if err := p.Log.Dump(&b); err != nil {
			t.Fatal(err)
		}
		besides(&b, p, opts.Induction)
		regions(&b, p, m)
		return b.String()
	}
}

// options parses the options of a page.
func options(t *testing.T, comment string) (unfold.Options, string) {
	t.Helper()
	o := unfold.Options{
		Semantics:     found.Semantics{Checks: found.DefaultChecks(), MissingBody: "havoc", MallocMayFail: true},
		LoopContracts: language.LoopsChecked}
	entry := "main"
	for line := range strings.SplitSeq(comment, "\n") {
		words, ok := strings.CutPrefix(line, "options:")
		if !ok {
			continue
		}
		for _, word := range strings.Fields(words) {
			key, value, _ := strings.Cut(word, "=")
			n, _ := strconv.Atoi(value)
			switch key {
			case "unwind":
				o.Unwind = n
			case "max-unwind":
				o.MaxUnwind = n
			case "depth":
				o.Depth = n
			case "max-instructions":
				o.MaxInstructions = int64(n)
			case "missing-body":
				o.MissingBody = found.MissingBodies(value)
			case "malloc-never-fails":
				o.MallocMayFail = false
			case "check", "no-check":
				o.Checks[found.Kind(value)] = key == "check"
			case "accept":
				o.Accepted = func(kind found.Kind, _ found.Pos, _ bool) bool { return kind == found.Kind(value) }
			case "loops":
				o.LoopContracts = map[string]language.Loops{"plain": language.LoopsPlain, "cut": language.LoopsCut}[value]
			case "no-facts":
				o.NoFacts = true
			case "no-cursors":
				o.NoCursors = true
			case "no-outcomes":
				o.NoOutcomes = true
			case "induction":
				o.Induction = unfold.NewInduction(strings.Split(value, ","))
				o.NoFacts, o.NoCursors, o.NoOutcomes, o.NoLifting = true, true, true, true
			case "entry":
				entry = value
			default:
				t.Fatalf("unknown option %q", word)
			}
		}
	}
	return o, entry
}

// besides prints the results of an unfolding other than its log.
func besides(b *strings.Builder, p *unfold.Program, x *unfold.Induction) {
	c, terms := p.Log.C, smt.NewInfix(p.Log.C)
	for _, a := range p.Assumptions {
		fmt.Fprintf(b, "assumption %s", a.What)
		for _, word := range append([]string{a.Name}, a.Names...) {
			if word != "" {
				b.WriteString(" " + word)
			}
		}
		for _, k := range a.Kinds {
			b.WriteString(" " + string(k))
		}
		if a.Site != nil {
			fmt.Fprintf(b, " at %d:%d", a.Site.Pos.Line, a.Site.Pos.Column)
		}
		if a.Writes != 0 {
			b.WriteString(", " + terms.Term(a.Writes))
		}
		b.WriteString("\n")
	}
	var lines []string
	for _, l := range p.Loops {
		text := fmt.Sprintf("loop %s at %d:%d: ", l.Name, l.Site.Pos.Line, l.Site.Pos.Column)
		if l.Cut {
			text += "cut by its contract"
		} else {
			text += fmt.Sprintf("%d iterations", l.Iterations)
		}
		for _, w := range l.Written {
			text += ", invariant " + w
		}
		lines = append(lines, text+"\n")
	}
	for _, d := range p.Dead {
		at := d.Branch.Site
		if at == nil {
			continue
		}
		lines = append(lines, fmt.Sprintf("dead: the way from %d:%d that is %s\n", at.Pos.Line, at.Pos.Column,
			map[bool]string{true: "taken", false: "not taken"}[d.Branch.Taken]))

	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
	for _, w := range p.Infeasible {
		fmt.Fprintf(b, "infeasible before event %d: %s\n", w.Event, c.String(w.Guard))
	}
	if x != nil {
		heads(b, x, c)
	}
}

// regions prints the lines that may follow the cuts, and the unsupported constructs.
func regions(b *strings.Builder, p *unfold.Program, m *clangir.Module) {
	for i, e := range p.Log.Events {
		if e.Kind != seair.Cut && e.Kind != seair.Unsupported {
			continue
		}
		lines := map[int]bool{}
		region := p.Region(e.Region)
		for _, f := range m.Funcs {
			for _, blk := range f.Blocks {
				for _, in := range blk.Instrs {
					if region[in.ID] && in.Loc != nil && in.Loc.Line > 0 {
						lines[in.Loc.Line] = true
					}
				}
			}
		}
		var to []string
		for _, n := range slices.Sorted(maps.Keys(lines)) {
			to = append(to, strconv.Itoa(n))
		}
		fmt.Fprintf(b, "event %d leads to lines %s\n", i, strings.Join(to, " "))
	}
}

// heads prints the loops that were cut at their heads.
func heads(b *strings.Builder, x *unfold.Induction, c *smt.Context) {
	if x.Refused != "" {
		fmt.Fprintf(b, "refused: %s\n", x.Refused)
	}
	for _, h := range x.Heads {
		fmt.Fprintf(b, "head of %s, entered before event %d, known before event %d\n", h.Loop, h.Entry, h.Event)
		for i, p := range h.Places {
			if p.Sym == 0 {
				continue // a cell that the loop leaves as it is, or the pointer of a block
			}
			fmt.Fprintf(b, "  %s: %s, on entry %s", p.Name, c.String(p.Sym), c.String(p.Old))
			if p.Pointer {
				b.WriteString(" (a distance)")
			}
			for _, back := range h.Back {
				fmt.Fprintf(b, ", then %s", c.String(back.Values[i]))
			}
			b.WriteString("\n")
		}
		for _, k := range h.Contents {
			fmt.Fprintf(b, "  object %d may change anywhere\n", k.Obj)
		}
	}
}

// enumerating is an oracle that tries all values of few symbols; with more symbols, a guard counts as feasible.
type enumerating struct{ c *smt.Context }

func (o *enumerating) Feasible(_ context.Context, alive, guard smt.Term) bool {
	vars := o.c.Symbols(alive, guard)
	bits := 0
	for _, v := range vars {
		bits += max(1, o.c.Width(v))
	}
	if bits > 10 || len(o.c.Funcs(alive, guard)) > 0 {
		return true
	}
	for n := range uint64(1) << bits {
		m, rest := smt.NewModel(), n
		for _, v := range vars {
			w := o.c.Width(v)
			if w == 0 {
				m.SetVar(v, smt.BoolValue(rest&1 == 1))
				rest >>= 1
				continue
			}
			m.SetVar(v, smt.UintValue(w, rest))
			rest >>= w
		}
		if e := o.c.NewEvaluator(m); e.EvalBool(alive) && e.EvalBool(guard) {
			return true
		}
	}
	return false
}
