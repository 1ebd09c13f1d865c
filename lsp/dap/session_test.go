package dap

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	protocol "github.com/google/go-dap"
)

const acceptance = "../../testdata/acceptance"

const loop = `#include <stdlib.h>
static int sum;
int main(void) {
  int *a = malloc(4 * sizeof *a);
  if (!a)
    return 0;
  for (int i = 0; i <= 4; i++) {
    sum += i;
    a[i] = sum;
  }
  free(a);
  return 0;
}`

// TestLoop steps back through a loop that writes beyond its array, and checks earlier values.
func TestLoop(t *testing.T) {
	c, _ := open(t, loop)
	if got := c.where(); got != "main:10" {
		t.Fatalf("stopped at %s", got)
	}
	c.evals("i -> 4", "sum -> 10", "a[3] -> 6", "a[i] -> <outside of a block (16 bytes, malloc at t.c:5)>")
	c.moves("stepBack -> main:9 step")
	c.evals("i -> 4", "sum -> 6")
	c.moves("stepBack -> main:8 step", "stepBack -> main:10 step")
	c.evals("i -> 3", "a[2] -> 3", "a[3] -> <any value> (never written)")
	c.moves("next -> main:8 step", "next -> main:9 step", "next -> main:10 exception")
	c.evals("i -> 4")
	c.moves("reverseContinue -> main:5 entry", "reverseContinue -> main:5 entry", "stepBack -> main:5 entry",
		"continue -> main:10 exception", "continue -> main:10 exception",
		"next -> main:10 exception", "stepIn -> main:10 exception", "stepOut -> main:10 exception")
	info := ask[*protocol.ExceptionInfoResponse](c, "exceptionInfo", map[string]any{"threadId": 1}).Body
	if info.ExceptionId != "out-of-bounds-write" || !strings.Contains(info.Description, "writes 4 bytes at offset 16") {
		t.Errorf("exception info %s", text(info))
	}
}

// TestDataBreakpoint goes back to the last write and on to the next one.
func TestDataBreakpoint(t *testing.T) {
	c, _ := open(t, loop)
	info := func(name string, ref int) protocol.DataBreakpointInfoResponseBody {
		return ask[*protocol.DataBreakpointInfoResponse](c, "dataBreakpointInfo",
			map[string]any{"name": name, "variablesReference": ref, "frameId": c.stack()[0].Id}).Body
	}
	set := func(ids ...any) []protocol.Breakpoint {
		list := []map[string]any{}
		for _, id := range ids {
			list = append(list, map[string]any{"dataId": id, "accessType": "write"})
		}
		return ask[*protocol.SetDataBreakpointsResponse](c, "setDataBreakpoints",
			map[string]any{"breakpoints": list}).Body.Breakpoints
	}
	// For an expression, then for a line in the view of variables.
	if b := set(info("sum", 0).DataId); len(b) != 1 || !b[0].Verified {
		t.Fatalf("data breakpoint on sum: %s", text(b))
	}
	c.moves("reverseContinue -> main:9 data breakpoint")
	c.evals("sum -> 6", "i -> 4") // the write has not happened
	c.moves("reverseContinue -> main:9 data breakpoint")
	c.evals("sum -> 3", "i -> 3")
	if got := c.move("continue", nil); !strings.HasSuffix(got, "data breakpoint") {
		t.Errorf("forward: %s", got)
	}
	c.evals("sum -> 6", "i -> 3")
	a := find(t, c.vars(c.scope(c.stack()[0].Id, "Locals")), "a")
	if b := set(info("*", a.VariablesReference).DataId); !b[0].Verified {
		t.Fatalf("data breakpoint on *a: %s", text(b))
	}
	c.moves("reverseContinue -> main:10 data breakpoint")
	c.evals("i -> 0", "a[0] -> <any value> (never written)")
	c.moves("reverseContinue -> main:5 entry", "continue -> main:11 data breakpoint")
	c.evals("a[0] -> 0")
	// An expression without a location has no breakpoint, but an explanation.
	for _, name := range []string{"i + 1", "nothing", "a[9]"} {
		if b := info(name, 0); b.DataId != nil || b.Description == "" {
			t.Errorf("data breakpoint on %s: %s", name, text(b))
		}
	}
	if b := set("nonsense"); b[0].Verified || b[0].Message == "" {
		t.Errorf("a wrong data breakpoint: %s", text(b))
	}
}

// TestBreakpoints has line breakpoints with conditions and hit counts in both directions, log points, and functions.
func TestBreakpoints(t *testing.T) {
	c, file := open(t, `
static int twice(int x) {
  int y = x + x;
  return y;
}
static int never(void) { return 3; }
int main(void) {
  int n = 0;
  for (int i = 0; i < 10; i++) {
    n += twice(i);

    n++;
  }
  sassert(n != 100);
  return n == 7 ? never() : 0;
}`)
	set := func(list ...map[string]any) []protocol.Breakpoint {
		return ask[*protocol.SetBreakpointsResponse](c, "setBreakpoints",
			map[string]any{"source": map[string]any{"path": file}, "breakpoints": list}).Body.Breakpoints
	}
	b := set(map[string]any{"line": 12}, map[string]any{"line": 1000})
	if !b[0].Verified || b[0].Line != 13 || b[1].Verified || b[1].Message == "" {
		t.Fatalf("breakpoints: %s", text(b))
	}
	c.moves("reverseContinue -> main:13 breakpoint")
	c.evals("i -> 9", "n -> 99")
	c.moves("reverseContinue -> main:13 breakpoint")
	c.evals("i -> 8")
	set(map[string]any{"line": 5, "condition": "y == 6"})
	c.moves("reverseContinue -> twice:5 breakpoint")
	c.evals("x -> 3")
	c.moves("reverseContinue -> main:9 entry", "continue -> twice:5 breakpoint", "continue -> main:15 exception")
	set(map[string]any{"line": 11, "hitCondition": ">= 9"})
	c.moves("reverseContinue -> main:11 breakpoint")
	c.evals("i -> 9")
	c.moves("reverseContinue -> main:11 breakpoint", "reverseContinue -> main:9 entry")
	set(map[string]any{"line": 11, "hitCondition": "4"})
	c.moves("continue -> main:11 breakpoint")
	c.evals("i -> 3")
	// A breakpoint stops a step over the call that contains it.
	set(map[string]any{"line": 4})
	c.moves("next -> twice:4 breakpoint")
	set(map[string]any{"line": 13, "logMessage": "i is {i}, n is {n}, {oops}"})
	c.moves("continue -> main:15 exception")
	c.mu.Lock()
	log := c.console.String()
	c.mu.Unlock()
	if !strings.Contains(log, "i is 3, n is 15, <no variable oops") || strings.Count(log, "i is") != 7 {
		t.Errorf("log %s", log)
	}
	set()
	f := ask[*protocol.SetFunctionBreakpointsResponse](c, "setFunctionBreakpoints",
		map[string]any{"breakpoints": []map[string]any{{"name": "twice", "condition": "x > 4 && x < 7"}, {"name": "nope"},
			{"name": "never"}}}).Body.Breakpoints
	if !f[0].Verified || f[1].Verified || !f[2].Verified || f[2].Message == "" {
		t.Errorf("function breakpoints %s", text(f))
	}
	c.moves("reverseContinue -> twice:4 function breakpoint")
	c.evals("x -> 6")
	c.moves("reverseContinue -> twice:4 function breakpoint")
	c.evals("x -> 5")
	c.moves("stepOut -> main:11 step", "stepIn -> main:13 step")
	bad := set(map[string]any{"line": 13, "hitCondition": "often"})
	if bad[0].Verified || bad[0].Message == "" {
		t.Errorf("a wrong number of visits: %s", text(bad))
	}
	lines := ask[*protocol.BreakpointLocationsResponse](c, "breakpointLocations",
		map[string]any{"source": map[string]any{"path": file}, "line": 10, "endLine": 14}).Body.Breakpoints
	if fmt.Sprint(lines) != "[{10 0 0 0} {11 0 0 0} {13 0 0 0}]" {
		t.Errorf("lines with code: %v", lines)
	}
}

// TestRecursion checks that each frame of a recursion has its own variables.
func TestRecursion(t *testing.T) {
	c, _ := open(t, `
static unsigned depth(unsigned n) {
  unsigned below = 0;
  sassert(n != 3);
  if (n < 8)
    below = depth(n + 1);
  return below + 1;
}
int main(void) {
  unsigned start = nd_uint();
  assume(start == 1);
  return (int)depth(start);
}`)
	var names []string
	stack := c.stack()
	for _, f := range stack {
		names = append(names, fmt.Sprintf("%s:%d", f.Name, f.Line))
	}
	if got := strings.Join(names, " "); got != "depth:5 depth:7 depth:7 main:13" {
		t.Fatalf("stack %s", got)
	}
	page := ask[*protocol.StackTraceResponse](c, "stackTrace", map[string]any{"threadId": 1, "startFrame": 1,
		"levels": 2}).Body
	if len(page.StackFrames) != 2 || page.StackFrames[0].Line != 7 || page.TotalFrames != 4 {
		t.Errorf("a page of the stack: %s", text(page))
	}
	for i, want := range []string{"n=3; below=0", "n=2; below=0", "n=1; below=0", "start=1"} {
		if got := list(c.vars(c.scope(stack[i].Id, "Locals"))); got != want {
			t.Errorf("frame %d: %s, want %s", i, got, want)
		}
	}
	r := ask[*protocol.EvaluateResponse](c, "evaluate", map[string]any{"expression": "n * 10", "frameId": stack[2].Id,
		"context": "hover"})
	if r.Body.Result != "10" {
		t.Errorf("n * 10 in the oldest call: %s", r.Body.Result)
	}
	if got := c.move("restartFrame", map[string]any{"frameId": stack[1].Id}); got != "depth:4 restart" {
		t.Errorf("restarting a frame: %s", got)
	}
	c.evals("n -> 2")
	c.moves("stepBack -> depth:7 step")
	c.evals("n -> 1")
	c.moves("stepIn -> depth:4 step", "next -> depth:5 step", "next -> depth:6 step", "next -> depth:7 step",
		"next -> depth:5 exception")
	if got := c.refused("scopes", map[string]any{"frameId": 999}); !strings.Contains(got, "not on the stack") {
		t.Errorf("a wrong frame: %s", got)
	}
}

// TestUseAfterFree checks the view of a freed object: its bytes, its end, and its last writers.
func TestUseAfterFree(t *testing.T) {
	file, err := filepath.Abs(filepath.Join(acceptance, "stale_pointer_free_realloc.c"))
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	e := c.launch(map[string]any{"program": file, "entry": "main"})
	if e.Body.Reason != "exception" || !strings.Contains(e.Body.Text, "freed") {
		t.Fatalf("stopped for %s", text(e))
	}
	if got := c.where(); got != "release_and_report:25" {
		t.Fatalf("stopped at %s", got)
	}
	lines := c.vars(c.scope(c.stack()[0].Id, "Violated object"))
	for _, w := range []struct{ name, part string }{
		{"object", "malloc#1 of 8 bytes, allocated at stale_pointer_free_realloc.c:38, freed at " +
			"stale_pointer_free_realloc.c:20"},
		{"violation", "reads 4 bytes at offset 0"}, {"bounds", "offsets 0 to 7"}, {"alive", "no"}, {"allocated", "main at"},
		{"freed", "session_release at"},
		{"last write", "4 bytes at offset 4 by session_release at stale_pointer_free_realloc.c:18"},
	} {
		if got := find(t, lines, w.name).Value; !strings.Contains(got, w.part) {
			t.Errorf("%s is %q, want %q in it", w.name, got, w.part)
		}
	}
	bytes := find(t, lines, "bytes")
	rows := c.vars(bytes.VariablesReference, 0, 1)
	if len(rows) != 1 || strings.Count(rows[0].Value, "*") != 3 && strings.Count(rows[0].Value, "*") != 4 ||
		!strings.Contains(rows[0].Value, "00 00 00 00") {
		t.Errorf("bytes %s", text(rows))
	}
	if each := list(c.vars(rows[0].VariablesReference)); !strings.Contains(each, "[3]=") ||
		!strings.Contains(each, "written by main at stale_pointer_free_realloc.c:42") ||
		!strings.Contains(each, "[7]=0x00, written by session_release at stale_pointer_free_realloc.c:18") {
		t.Errorf("the writers of the bytes: %s", each)
	}
	// The pointer still refers to the object; the memory view reads it.
	s := find(t, c.vars(c.scope(c.stack()[0].Id, "Locals")), "s")
	if !strings.Contains(s.Value, "(freed)") || s.MemoryReference == "" {
		t.Errorf("s is %s", text(s))
	}
	c.evals("s->refs -> 0")
	m := ask[*protocol.ReadMemoryResponse](c, "readMemory", map[string]any{"memoryReference": s.MemoryReference,
		"offset": 4, "count": 10}).Body
	if data, err := base64.StdEncoding.DecodeString(m.Data); err != nil || fmt.Sprint(data) != "[0 0 0 0]" ||
		m.UnreadableBytes != 6 {
		t.Errorf("memory %s", text(m))
	}
	m = ask[*protocol.ReadMemoryResponse](c, "readMemory", map[string]any{"memoryReference": s.MemoryReference,
		"offset": -4, "count": 2}).Body
	if m.Data != "" || m.UnreadableBytes != 2 {
		t.Errorf("memory before the object %s", text(m))
	}
	if got := c.refused("readMemory", map[string]any{"memoryReference": "0x1234", "count": 2}); got == "" {
		t.Error("a wrong reference is read")
	}
	// Before the free the object is alive, and before the allocation it does not exist.
	if got := c.eval(":last s->refs", "repl"); !strings.Contains(got, "stale_pointer_free_realloc.c:18") {
		t.Errorf("last write of refs: %s", got)
	}
	next[*protocol.StoppedEvent](c)
	if got := c.where(); got != "session_release:18" {
		t.Errorf("the last write of refs is at %s", got)
	}
	c.evals("s->refs -> 1")
	if got := find(t, c.vars(c.scope(c.stack()[0].Id, "Violated object")), "alive").Value; got != "yes" {
		t.Errorf("before the free it is alive: %s", got)
	}
	c.move("reverseContinue", nil)
	if c.scope(c.stack()[0].Id, "Violated object") != 0 {
		t.Error("the object is shown before it is allocated")
	}
	if ref := c.scope(c.stack()[0].Id, "Inputs"); ref == 0 || len(c.vars(ref)) == 0 {
		t.Error("no inputs")
	}
}

const shapes = `
enum color { RED, GREEN = 4 };
struct flags { unsigned ready : 1; unsigned level : 5; int delta : 4; };
union word { unsigned u; unsigned char b[4]; };
struct item { struct item *next; const char *name; struct flags f; union word w; enum color c; int v[300]; int (*op)(int); struct { int inner; }; };
static int add(int x) { return x + 1; }
static struct item first = {.name = "one"};
static int apply(struct item *p, int x) {
  int r = p->op(x);
  sassert(r != 6);
  return r;
}
int main(void) {
  static struct item second;
  first.next = &second;
  second.f.ready = 1;
  second.f.level = 17;
  second.f.delta = -3;
  second.w.u = 0x01020341;
  second.c = GREEN;
  second.v[250] = 9;
  second.inner = 8;
  second.op = add;
  return apply(first.next, 5);
}`

// TestShapes checks structs, unions, bit-fields, enumerators, pages of arrays and pointers to functions.
func TestShapes(t *testing.T) {
	c, _ := open(t, shapes)
	locals := c.vars(c.scope(c.stack()[0].Id, "Locals"))
	p := find(t, locals, "p")
	if p.Value != "&second" || p.Type != "struct item *" || p.NamedVariables != 8 {
		t.Errorf("p is %s", text(p))
	}
	members := c.vars(p.VariablesReference)
	for _, w := range []struct{ name, value, expr string }{
		{"next", "NULL", "p->next"}, {"f", "{.ready = 1, .level = 17, .delta = -3}", "p->f"},
		{"w", "{.u = 16909121}", "p->w"}, {"c", "GREEN", "p->c"}, {"op", "add", "p->op"},
	} {
		if v := find(t, members, w.name); v.Value != w.value || v.EvaluateName != w.expr {
			t.Errorf("%s: %s", w.name, text(v))
		}
	}
	if got := list(c.vars(find(t, members, "f").VariablesReference)); got != "ready=1; level=17; delta=-3" {
		t.Errorf("bit-fields %s", got)
	}
	w := c.vars(find(t, members, "w").VariablesReference)
	if got := list(c.vars(find(t, w, "b").VariablesReference)); got != "[0]=65 'A'; [1]=3; [2]=2; [3]=1" {
		t.Errorf("bytes of the union %s", got)
	}
	v := find(t, members, "v")
	if v.IndexedVariables != 300 {
		t.Errorf("v: %s", text(v))
	}
	if page := c.vars(v.VariablesReference, 249, 3); list(page) != "[249]=0; [250]=9; [251]=0" ||
		page[1].EvaluateName != "p->v[250]" {
		t.Errorf("a page of v: %s", text(page))
	}
	c.evals("p->v[250] -> 9", "first.name -> \"one\"", "p->inner -> 8", "first.next->w.b[0] -> 65 'A'",
		"(*p).f.delta + 1 -> -2", "second.c == GREEN -> 1", "sizeof(struct item) -> 1248")
	globals := c.vars(c.scope(c.stack()[0].Id, "Globals"))
	find(t, globals, "first")
	// Into and out of a call through a pointer.
	c.moves("stepBack -> apply:10 step", "stepIn -> add:7 step")
	c.evals("x -> 5")
	c.moves("stepOut -> apply:10 step", "stepBack -> apply:10 step", "stepIn -> add:7 step", "stepBack -> apply:10 step",
		"stepBack -> main:25 step", "stepBack -> main:24 step")
	c.evals("second.op -> NULL", "second.f -> {.ready = 1, .level = 17, .delta = -3}", "p -> error: no variable p")
	old := find(t, members, "f").VariablesReference
	if got := c.refused("variables", map[string]any{"variablesReference": old}); !strings.Contains(got, "another moment") {
		t.Errorf("an old reference: %s", got)
	}
	// A data breakpoint on a bit-field finds the write of its bytes.
	if got := c.eval(":last second.f.delta", "repl"); !strings.Contains(got, "t.c:19") {
		t.Errorf("last write of a bit-field: %s", got)
	}
	next[*protocol.StoppedEvent](c)
	c.moves("next -> main:20 step")
}

// TestGoto checks that the targets of "jump to" are visits of a line.
func TestGoto(t *testing.T) {
	c, file := open(t, loop)
	targets := ask[*protocol.GotoTargetsResponse](c, "gotoTargets", map[string]any{"source": map[string]any{"path": file},
		"line": 9}).Body.Targets
	if len(targets) != 3 {
		t.Fatalf("targets %s", text(targets))
	}
	for i, want := range []string{"4", "0", "4"} {
		if got := c.move("goto", map[string]any{"targetId": targets[i].Id}); got != "main:9 goto" {
			t.Errorf("%s: %s", targets[i].Label, got)
		}
		c.evals("i -> " + want)
	}
	c.refused("goto", map[string]any{"threadId": 1, "targetId": 77})
	for _, w := range []struct{ command, part string }{{":where", "moment"}, {":help", ":last"},
		{":fly", "error: there is no command"}, {":last", "error: :last needs"}, {":next sum", "sum is written"}} {
		if got := c.eval(w.command, "repl"); !strings.HasPrefix(got, strings.Split(w.part, " is")[0]) &&
			!strings.Contains(got, w.part) {
			t.Errorf("%s: %s", w.command, got)
		}
	}
	next[*protocol.StoppedEvent](c)
	// Instructions are the smallest steps.
	here := c.eval(":where", "repl")
	c.move("next", map[string]any{"granularity": "instruction"})
	c.move("stepBack", map[string]any{"granularity": "instruction"})
	if again := c.eval(":where", "repl"); again != here {
		t.Errorf("an instruction on and back: %s, %s", here, again)
	}
	if got := c.eval(":start", "repl"); got == "" {
		t.Error("no answer")
	}
	next[*protocol.StoppedEvent](c)
	if got := c.where(); got != "main:5" {
		t.Errorf(":start is %s", got)
	}
}

// TestErrors checks that errors name a remedy.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, src string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#include <unitproof.h>\n"+src), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	fine := write("fine.c", "int main(void) { sassert(1 + 1 == 2); return 0; }\n")
	broken := write("broken.c", "int main(void) { return x; }\n")
	two := write("two.c",
		"void a_harness(void) { sassert(nd_int() != 3); }\nvoid b_harness(void) { int y = nd_int(); sassert(y < 5); "+
			"}\nvoid c_harness(void) { int z = nd_int(); sassert(z == z); }\n")
	for _, w := range []struct {
		config map[string]any
		part   string
	}{
		{map[string]any{}, `"program"`},
		{map[string]any{"program": filepath.Join(dir, "none.c")}, "no such file"},
		{map[string]any{"program": dir}, "is a folder"},
		{map[string]any{"program": fine}, "it is proved, nothing fails"},
		{map[string]any{"program": broken}, "undeclared identifier"},
		{map[string]any{"program": write("empty.c", "int x;\n")}, "no unit proof"},
		{map[string]any{"program": two, "entry": "c_harness"}, "it is proved"},
		{map[string]any{"program": two, "entry": "a_harness", "finding": "gone"}, "no finding gone any more"},
		{map[string]any{"program": two, "args": []string{"--entry"}}, `"args"`},
		{map[string]any{"program": 3}, "not understood"},
	} {
		c := newClient(t)
		c.initialize()
		if got := c.refused("launch", w.config); !strings.Contains(got, w.part) {
			t.Errorf("%v: %q, want %q in it", w.config, got, w.part)
		}
		if got := c.refused("stackTrace", map[string]any{"threadId": 1}); !strings.Contains(got, "no counterexample open") {
			t.Errorf("a request without a session: %s", got)
		}
		ask[*protocol.DisconnectResponse](c, "disconnect", nil)
	}
	// Without an entry the first failing proof is taken, else the selected one.
	c := newClient(t)
	c.launch(map[string]any{"program": "two.c", "cwd": dir, "entry": "b_harness"})
	if got := c.where(); got != "b_harness:3" {
		t.Errorf("b_harness: %s", got)
	}
	if got := c.refused("launch", map[string]any{"program": two}); !strings.Contains(got, "already") {
		t.Errorf("a second launch: %s", got)
	}
	for _, command := range []string{"setVariable", "attach", "disassemble", "frobnicate"} {
		c.refused(command, map[string]any{"variablesReference": 1, "name": "y", "value": "3"})
	}
	d := newClient(t)
	e := d.launch(map[string]any{"program": two, "stopOnEntry": true})
	if got := d.where(); got != "a_harness:2" || e.Body.Reason != "entry" {
		t.Errorf("stopOnEntry: %s", got)
	}
}

// TestViolatedArray checks the view for an index beyond an array in a struct, which stays inside the object.
func TestViolatedArray(t *testing.T) {
	c, _ := open(t, `
struct frame { char type; unsigned char addr[6]; int length; };
static void set(struct frame *f, unsigned i) {
  f->addr[i] = 1;
}
int main(void) {
  struct frame f = {0};
  set(&f, 6);
  return 0;
}`)
	lines := c.vars(c.scope(c.stack()[0].Id, "Violated object"))
	if got := find(t, lines,
		"violation").Value; got != "uses 1 byte at offset 7: inside of the object, but outside of the array in it" {
		t.Errorf("violation: %s", got)
	}
	if got := find(t, lines, "object").Value; got != "f of 12 bytes, a variable of main at t.c:8" {
		t.Errorf("object: %s", got)
	}
	if got := list(c.vars(find(t, lines, "value").VariablesReference)); !strings.HasPrefix(got,
		"type=0; addr={0, 0, 0, 0, 0, 0}") {
		t.Errorf("value: %s", got)
	}
}

// TestLeak checks that a leak stops at the end of the entry, with the leaked block.
func TestLeak(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.c")
	src := "#include <unitproof.h>\n#include <stdlib.h>\nint main(void) {\n  int *p = malloc(4);\n  if (p)\n    *p = " +
		"7;\n  return 0;\n}\n"
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	e := c.launch(map[string]any{"program": file, "args": []string{"--check", "memory-leak"}})
	if !strings.Contains(e.Body.Description, "memory-leak") {
		t.Fatalf("stopped for %s", text(e))
	}
	lines := c.vars(c.scope(c.stack()[0].Id, "Violated object"))
	if got := find(t, lines, "object").Value; got != "malloc#1 of 4 bytes, allocated at t.c:4" {
		t.Errorf("object: %s", got)
	}
	if got := c.where(); got != "main:7" && got != "main:8" {
		t.Errorf("stopped at %s", got)
	}
	c.move("stepBack", nil)
	c.move("reverseContinue", nil)
	if got := c.where(); got != "main:4" {
		t.Errorf("the beginning is %s", got)
	}
}
