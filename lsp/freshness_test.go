package lsp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// variants are the texts of each file in the interleavings test. Each combination is checked cold when it first
// occurs; the result determines the diagnostics that may be shown as fresh.
var variants = map[string][]string{
	"one_harness.c": {
		"#include <unitproof.h>\n#include \"common.h\"\nint main(void) {\n\tint x = nd_int();\n\tassume(x > " +
			"0);\n\tsassert(x < LIMIT);\n}\n",
		"#include <unitproof.h>\n#include \"common.h\"\n\nint main(void) {\n\tint x = nd_int();\n\tassume(x > " +
			"0);\n\tassume(x < 3);\n\tsassert(x < LIMIT);\n}\n",
		"#include <unitproof.h>\n#include \"common.h\"\nint main(void) {\n\tint x = nd_int();\n\tassume(x > " +
			"0);\n\tassume(x < 0);\n\tsassert(x < LIMIT);\n}\n",
		"#include <unitproof.h>\n#include \"common.h\"\nint main(void) {\n\tint x = nd_int()\n\tsassert(x < LIMIT);\n}\n",
	},
	"two_harness.c": {
		"#include <unitproof.h>\n#include \"common.h\"\nint main(void) {\n\tint x = nd_int();\n\tsassert(pick(x) <= " +
			"LIMIT);\n}\n",
		"#include <unitproof.h>\nint main(void) {\n\tint y = nd_int();\n\tsassert(y != 5);\n}\n",
	},
	"common.h": {
		"#define LIMIT 2\nstatic int pick(int a) { return a > LIMIT ? LIMIT : a; }\n",
		"#define LIMIT 10\n\nstatic int pick(int a) { return a; }\n",
		"#define LIMIT 10\nstatic int pick(int a) { return 10 / a; }\n",
	},
}

// number reads the length of a test from the environment; see "make freshness".
func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s: %q is no number", name, text)
	}
	return n
}

// sessionSteps is the number of steps between two full comparisons.
const sessionSteps = 100

// TestFreshness applies random sequences of edits, saves, external writes, renames, deletions, cancelled runs and
// killed workers. After every step no stale result looks fresh, and at the end of each session the results equal
// those of a cold check. Each session has its own server. Half of them reuse the cache, so that results are
// immediate; for the others everything is compiled and solved during the steps.
func TestFreshness(t *testing.T) {
	steps := 60
	if testing.Short() {
		steps = 40
	}
	steps, seed := number(t, "UNITPROOF_INTERLEAVINGS", steps), number(t, "UNITPROOF_SEED", 1)
	f := files{"unitproof.toml": ""}
	for name, texts := range variants {
		f[name] = texts[0]
	}
	dir, cacheDir := f.write(t), t.TempDir()
	truth := &coldTruth{t: t, dir: dir, cacheDir: t.TempDir(), known: map[string]*coldResult{}}
	done := map[string]int{}
	for first := 0; first < steps && !t.Failed(); first += sessionSteps {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			for name, texts := range variants {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(texts[0]), 0o644); err != nil {
					t.Fatal(err)
				}
				os.Remove(filepath.Join(dir, name+".away")) // it may not exist
			}
			random := rand.New(rand.NewPCG(uint64(seed), uint64(first)))
			server := Options{CacheDir: cacheDir}
			if random.IntN(2) == 0 {
				server.CacheDir = ""
			}
			mode := []string{"save", "save", "idle"}[random.IntN(3)]
			e, _ := connectWith(t,
				lsptest.Options{Folders: []string{dir}, Settings: map[string]any{"check": map[string]any{"on": mode}}}, server)
			truth.t, e.Truth = t, truth.of
			e.Initialize()
			e.Settle()
			s := &freshSession{t: t, e: e, dir: dir, random: random, open: map[string]*lsptest.Document{},
				away: map[string]bool{}, kill: func() { killWorker(random) }}
			for step := range min(sessionSteps, steps-first) {
				did := s.step()
				done[strings.Fields(did)[0]]++
				e.Sync()
				if t.Failed() {
					s.fail(fmt.Sprintf("step %d of session %d (seed %d): %s", step, first, seed, did))
				}
			}
			s.finish(truth)
			if t.Failed() {
				s.fail(fmt.Sprintf("end of session %d (seed %d)", first, seed))
			}
		})
	}
	t.Logf("%d steps with seed %d, %d different states checked cold: %v", steps, seed, len(truth.known), done)
}

// freshSession is a random sequence of events in a workspace with a server.
type freshSession struct {
	t      *testing.T
	e      *lsptest.Editor
	dir    string
	random *rand.Rand
	open   map[string]*lsptest.Document
	away   map[string]bool // renamed or deleted
	kill   func()          // kills a worker, if there is any
}

// step performs a random event, and returns its name.
func (s *freshSession) step() string {
	r, e := s.random, s.e
	names := []string{"common.h", "one_harness.c", "two_harness.c"}
	name := names[r.IntN(len(names))]
	path := filepath.Join(s.dir, name)
	text := variants[name][r.IntN(len(variants[name]))]
	d := s.open[name]
	check := func(err error) {
		if err != nil {
			s.t.Fatal(err)
		}
	}
	switch op := r.IntN(15); {
	case op == 0 && d != nil:
		e.SetText(d, text)
		return "edit " + name
	case op < 4 && d != nil:
		// Incremental: the text between the common prefix and suffix.
		a, b := 0, 0
		for a < len(d.Text) && a < len(text) && d.Text[a] == text[a] {
			a++
		}
		for b < len(d.Text)-a && b < len(text)-a && d.Text[len(d.Text)-1-b] == text[len(text)-1-b] {
			b++
		}
		e.Edit(d, a, len(d.Text)-b, text[a:len(text)-b])
		return "edit " + name
	case op < 7 && d != nil:
		e.Save(d)
		s.away[name] = false
		return "save " + name
	case op < 7 && !s.away[name]:
		s.open[name] = e.Open(path)
		return "open " + name
	case op == 7 && d != nil:
		e.Close(d)
		delete(s.open, name)
		return "close " + name
	case op == 8 || op == 9:
		e.WriteFile(path, text)
		s.away[name] = false
		return "write " + name
	case op == 10 && !s.away[name]:
		check(os.Rename(path, path+".away"))
		e.Watched(path)
		s.away[name] = true
		return "rename " + name
	case op == 10:
		if os.Rename(path+".away", path) != nil {
			e.WriteFile(path, text) // it was deleted
		}
		e.Watched(path)
		s.away[name] = false
		return "restore " + name
	case op == 11:
		check(e.Execute("cancel", nil, nil))
		return "cancel"
	case op == 12:
		s.kill()
		return "kill a worker"
	case op == 13 && !s.away[name]:
		check(os.Remove(path))
		e.Watched(path)
		s.away[name] = true
		return "delete " + name
	}
	e.Settle()
	return "settle"
}

func (s *freshSession) fail(what string) {
	s.t.Helper()
	for name := range variants {
		disk, err := os.ReadFile(filepath.Join(s.dir, name))
		s.t.Logf("%s (open: %v, away: %v; %v)\n%s\non disk\n%s", name, s.open[name] != nil, s.away[name], err,
			s.e.Content(filepath.Join(s.dir, name)), disk)
	}
	s.t.Fatalf("%s; shown is\n%s\nproofs are %+v", what, strings.Join(s.e.Shown(), "\n"), proofItems(s.e))
}

// finish saves and verifies everything, and compares the results with the cold check: the verdict of each proof, and
// the diagnostics in both directions.
func (s *freshSession) finish(truth *coldTruth) {
	for name, d := range s.open {
		s.e.Save(d)
		s.away[name] = false
	}
	for name, gone := range s.away {
		if gone {
			s.e.WriteFile(filepath.Join(s.dir, name), variants[name][0])
		}
	}
	if err := s.e.Execute("verify", map[string]any{"force": true}, nil); err != nil {
		s.t.Fatal(err)
	}
	s.e.Settle()
	want := truth.check(s.e.Content)
	got := map[string]string{}
	for _, item := range proofItems(s.e) {
		got[item.Name] = item.Verdict
		if item.Stale || item.Phase != "idle" {
			s.t.Errorf("%s is stale, or not done, in the end: %+v", item.Name, item)
		}
	}
	if !maps.Equal(got, want.verdicts) {
		s.t.Errorf("in the end the verdicts are %v, cold %v", got, want.verdicts)
	}
	shown := map[string][]string{}
	for path := range variants {
		path = filepath.Join(s.dir, path)
		for _, d := range s.e.Diagnostics(path) {
			// A file that does not compile keeps its older findings, marked.
			if stale := strings.HasSuffix(d.Message, lsptest.StaleSuffix); stale && !want.broken {
				s.t.Errorf("still stale in the end: %s", d.Message)
			} else if !stale {
				shown[path] = append(shown[path], d.Message)
			}
		}
	}
	for path, messages := range want.reported {
		for _, m := range messages {
			if !slices.ContainsFunc(shown[path], func(other string) bool { return strings.HasPrefix(other, m) }) {
				s.t.Errorf("not shown in the end: %s: %s", path, m)
			}
		}
	}
}

// coldTruth checks contents cold, each combination once.
type coldTruth struct {
	t             testing.TB
	dir, cacheDir string
	known         map[string]*coldResult
}

// coldResult is the result of a cold check of one combination.
type coldResult struct {
	*coldCheck
	fresh map[string][]string // by path: prefixes of messages that may be shown as fresh
}

func (c *coldTruth) of(contents func(path string) string) map[string][]string {
	return c.check(contents).fresh
}

func (c *coldTruth) check(contents func(path string) string) *coldResult {
	f := files{"unitproof.toml": ""}
	var names []string
	for name := range variants {
		if text := contents(filepath.Join(c.dir, name)); text != "" {
			f[name] = text
		}
		names = append(names, name)
	}
	slices.Sort(names)
	key := ""
	for _, name := range names {
		key += name + "\x00" + f[name] + "\x00"
	}
	if c.known[key] == nil {
		other := f.write(c.t)
		check := coldly(c.t, other, c.cacheDir)
		moved := func(lists map[string][]string) map[string][]string {
			out := map[string][]string{}
			for path, messages := range lists {
				out[strings.Replace(path, other, c.dir, 1)] = messages
			}
			return out
		}
		check.reported = moved(check.reported)
		r := &coldResult{check, moved(check.truth)}
		// After its worker was killed a proof is unknown, which is a valid result.
		for _, name := range []string{"one", "two"} {
			path := filepath.Join(c.dir, name+"_harness.c")
			r.fresh[path] = append(r.fresh[path], name+" is unknown: the checking process was ended by signal 9")
		}
		c.known[key] = r
	}
	return c.known[key]
}

// killWorker kills one of this process's workers, if there is any.
func killWorker(r *rand.Rand) {
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()), "-f", "worker").Output()
	if err != nil {
		return // there is none
	}
	pids := strings.Fields(string(out))
	if pid, err := strconv.Atoi(pids[r.IntN(len(pids))]); err == nil {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
}
