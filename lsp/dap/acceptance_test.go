package dap

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/unitproof/unitproof/vcgen/sampletest"
)

var wantFailed = regexp.MustCompile(`// want failed `)

// failing returns the failing acceptance programs, each with its violated lines.
func failing(t testing.TB) map[string][]int {
	files, err := filepath.Glob(acceptance + "/*.c")
	if err != nil {
		t.Fatal(err)
	}
	traps, _ := filepath.Glob(acceptance + "/traps/*.c")
	out := map[string][]int{}
	for _, f := range append(files, traps...) {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(src, []byte("\nverdict: failed")) {
			continue
		}
		path, err := filepath.Abs(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			if wantFailed.MatchString(line) {
				out[path] = append(out[path], i+1)
			}
		}
	}
	if len(out) < 30 {
		t.Fatalf("%d failing programs in %s", len(out), acceptance)
	}
	return out
}

// flagsOf returns the flags in a program's header comment.
func flagsOf(t testing.TB, file string) []string {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(src), "\n") {
		if flags, ok := strings.CutPrefix(line, "flags: "); ok {
			return strings.Fields(flags)
		}
	}
	return nil
}

// snapshot returns everything that a client can see of the top frames at the current moment.
func (c *client) snapshot() string {
	var b strings.Builder
	for i, f := range c.stack() {
		fmt.Fprintf(&b, "%s:%d:%d\n", f.Name, f.Line, f.Column)
		if i > 2 {
			continue
		}
		for _, s := range ask[*protocol.ScopesResponse](c, "scopes", map[string]any{"frameId": f.Id}).Body.Scopes {
			for _, v := range c.vars(s.VariablesReference) {
				fmt.Fprintf(&b, "%s.%s=%s\n", s.Name, v.Name, v.Value)
				if v.VariablesReference > 0 && s.Name != "Inputs" {
					for _, w := range c.vars(v.VariablesReference) {
						fmt.Fprintf(&b, " %s=%s\n", w.Name, w.Value)
					}
				}
			}
		}
	}
	return b.String()
}

// TestAcceptanceOpens checks that every failing acceptance program opens at a violation, and that the same steps
// forth and back show the same state. With -short or the race detector it takes a sample of the programs.
func TestAcceptanceOpens(t *testing.T) {
	programs, share := failing(t), uint32(1)
	switch {
	case testing.Short():
		share = 12
	case raceEnabled:
		share = 6
	}
	for _, file := range slices.Sorted(maps.Keys(programs)) {
		lines := programs[file]
		if !sampletest.Takes(t, filepath.Base(file), share) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".c"), func(t *testing.T) {
			c := newClient(t)
			c.initialize()
			config := map[string]any{"program": file}
			if flags := flagsOf(t, file); flags != nil {
				config["args"] = flags
			}
			m := c.await("launch", c.send("launch", config))
			if e, ok := m.(*protocol.ErrorResponse); ok {
				t.Fatal(e.Message)
			}
			ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
			e := next[*protocol.StoppedEvent](c)
			if e.Body.Reason != "exception" || e.Body.Text == "" {
				t.Fatalf("stopped for %s", text(e))
			}
			at := -1
			for _, f := range c.stack() {
				if f.Source != nil && filepath.Base(f.Source.Path) == filepath.Base(file) {
					at = f.Line
					break
				}
			}
			if !slices.Contains(lines, at) && !strings.Contains(e.Body.Description, "memory-leak") {
				t.Fatalf("stopped at line %d, wanted one of %v", at, lines)
			}
			seen := []string{c.snapshot()}
			moments := []string{c.eval(":where", "repl")}
			for range 6 {
				c.move("stepBack", map[string]any{"granularity": "instruction"})
				c.move("stepBack", nil)
				seen = append(seen, c.snapshot())
				moments = append(moments, c.eval(":where", "repl"))
			}
			c.move("reverseContinue", nil)
			for i := len(seen) - 1; i > 0; i-- {
				for n := 0; c.eval(":where", "repl") != moments[i]; n++ {
					if n > 5000 {
						t.Fatalf("%s is not found again", moments[i])
					}
					if i == len(seen)-1 && n == 0 {
						c.move("continue", nil)
						for range 6 {
							c.move("stepBack", map[string]any{"granularity": "instruction"})
							c.move("stepBack", nil)
						}
						continue
					}
					c.move("next", map[string]any{"granularity": "instruction"})
				}
				if got := c.snapshot(); got != seen[i] {
					t.Fatalf("%s shows\n%s\nand before it showed\n%s", moments[i], got, seen[i])
				}
			}
		})
	}
}

// BenchmarkOpen measures the time from launch to stopped, and that of steps, per program: for the first run (with a
// cache of libc's models only) and for a repeated one.
func BenchmarkOpen(b *testing.B) {
	files := []string{}
	for f := range failing(b) {
		files = append(files, f)
	}
	slices.Sort(files)
	launch := func(file string, keep bool) (*client, time.Duration) {
		c := newClient(b)
		c.initialize()
		config := map[string]any{"program": file, "noCache": !keep}
		if flags := flagsOf(b, file); flags != nil {
			config["args"] = flags
		}
		start := time.Now()
		m := c.await("launch", c.send("launch", config))
		if e, ok := m.(*protocol.ErrorResponse); ok {
			b.Fatalf("%s: %s", file, e.Message)
		}
		ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
		next[*protocol.StoppedEvent](c)
		c.stack()
		return c, time.Since(start)
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds()) / 1000
	}
	for b.Loop() {
		var cold, warm, steps []time.Duration
		for _, file := range files {
			_, d := launch(file, false)
			cold = append(cold, d)
			launch(file, true) // fills the cache
			c, d := launch(file, true)
			warm = append(warm, d)
			for i := range 20 {
				command := "stepBack"
				if i%4 == 3 {
					command = "stepIn"
				}
				start := time.Now()
				ch := c.send(command, map[string]any{"threadId": 1})
				c.await(command, ch)
				next[*protocol.StoppedEvent](c)
				c.stack()
				steps = append(steps, time.Since(start))
			}
		}
		b.ReportMetric(median(cold), "ms/open-cold")
		b.ReportMetric(median(warm), "ms/open")
		b.ReportMetric(median(steps), "ms/step")
		b.ReportMetric(float64(len(files)), "programs")
	}
}

// BenchmarkLongRun measures steps in a run of 10^6 instructions.
func BenchmarkLongRun(b *testing.B) {
	c, file := open(b, `
static unsigned mix(unsigned a, unsigned b) { return a * 31u + b; }
int main(void) {
  unsigned n = 0;
  static unsigned table[64];
  for (unsigned i = 0; i < 30000; i++) {
    n = mix(n, i);
    table[i % 64] = n;
  }
  sassert(n == 1);
  return 0;
}`)
	timed := func(times *[]time.Duration, command string, arguments map[string]any) {
		start := time.Now()
		c.await(command, c.send(command, arguments))
		next[*protocol.StoppedEvent](c)
		id := c.stack()[0].Id
		c.vars(c.scope(id, "Locals"))
		*times = append(*times, time.Since(start))
	}
	thread := func() map[string]any { return map[string]any{"threadId": 1} }
	var steps, conditions, writes []time.Duration
	for b.Loop() {
		for range 50 {
			timed(&steps, "stepBack", thread())
		}
		for range 10 {
			timed(&steps, "stepIn", thread())
		}
		ask[*protocol.SetBreakpointsResponse](c, "setBreakpoints", map[string]any{"source": map[string]any{"path": file},
			"breakpoints": []map[string]any{{"line": 9, "condition": "i % 5000 == 77"}}})
		timed(&conditions, "reverseContinue", thread())
		timed(&conditions, "reverseContinue", thread())
		ask[*protocol.SetBreakpointsResponse](c, "setBreakpoints", map[string]any{"source": map[string]any{"path": file},
			"breakpoints": []map[string]any{}})
		info := ask[*protocol.DataBreakpointInfoResponse](c, "dataBreakpointInfo", map[string]any{"name": "table[5]"}).Body
		ask[*protocol.SetDataBreakpointsResponse](c, "setDataBreakpoints",
			map[string]any{"breakpoints": []map[string]any{{"dataId": info.DataId}}})
		timed(&writes, "reverseContinue", thread())
		timed(&writes, "reverseContinue", thread())
		ask[*protocol.SetDataBreakpointsResponse](c, "setDataBreakpoints", map[string]any{"breakpoints": []map[string]any{}})
		timed(&steps, "continue", thread())
	}
	for _, w := range []struct {
		name  string
		times []time.Duration
	}{{"step", steps}, {"condition", conditions}, {"last-write", writes}} {
		slices.Sort(w.times)
		b.ReportMetric(float64(w.times[len(w.times)/2].Microseconds())/1000, "ms/"+w.name)
	}
	b.ReportMetric(0, "ns/op")
	b.Log(c.eval(":where", "repl"))
}
