package lsp

import (
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

// variants are the texts that each file of the interleavings test takes. Every combination is checked cold,
// once and when it is first met, which tells what may be shown as fresh.
var variants = map[string][]string{
	"one_harness.c": {
		"#include <unitproof.h>\n#include \"common.h\"\nint main(void) {\n\tint x = nd_int();\n\tassume(x > 0);\n\tsassert(x < LIMIT);\n}\n",
		"#include <unitproof.h>\n#include \"common.h\"\n\nint main(void) {\n\tint x = nd_int();\n\tassume(x > 0);\n\tassume(x < 3);\n\tsassert(x < LIMIT);\n}\n",
		"#include <unitproof.h>\n#include \"common.h\"\nint main(void) {\n\tint x = nd_int();\n\tassume(x > 0);\n\tassume(x < 0);\n\tsassert(x < LIMIT);\n}\n",
		"#include <unitproof.h>\n#include \"common.h\"\nint main(void) {\n\tint x = nd_int()\n\tsassert(x < LIMIT);\n}\n",
	},
	"two_harness.c": {
		"#include <unitproof.h>\n#include \"common.h\"\nint main(void) {\n\tint x = nd_int();\n\tsassert(pick(x) <= LIMIT);\n}\n",
		"#include <unitproof.h>\nint main(void) {\n\tint y = nd_int();\n\tsassert(y != 5);\n}\n",
	},
	"common.h": {
		"#define LIMIT 2\nstatic int pick(int a) { return a > LIMIT ? LIMIT : a; }\n",
		"#define LIMIT 10\n\nstatic int pick(int a) { return a; }\n",
		"#define LIMIT 10\nstatic int pick(int a) { return 10 / a; }\n",
	},
}

// interleavings is how many steps are taken: some for every run of the tests, many when asked for.
func interleavings(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("UNITPROOF_INTERLEAVINGS")); err == nil {
		return n
	}
	if testing.Short() {
		return 20
	}
	return 60
}

// Edits, saves, writes by others, renames, deletions, cancelled runs and killed workers in random order:
// after every step nothing stale looks fresh, and in the end what is shown is what a cold check says.
func TestFreshness(t *testing.T) {
	seed := uint64(1)
	if s, err := strconv.ParseUint(os.Getenv("UNITPROOF_SEED"), 10, 64); err == nil {
		seed = s
	}
	f := files{"unitproof.toml": ""}
	for name, texts := range variants {
		f[name] = texts[0]
	}
	dir := f.write(t)
	e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}}, Options{CacheDir: t.TempDir()})
	truth := &coldTruth{t: t, dir: dir, cacheDir: t.TempDir(), known: map[string]map[string][]string{}}
	e.Truth = truth.of
	e.Initialize()
	e.Settle()

	names := []string{"common.h", "one_harness.c", "two_harness.c"}
	r := rand.New(rand.NewPCG(seed, 0))
	open := map[string]*lsptest.Document{}
	away := map[string]bool{} // renamed
	for step := range interleavings(t) {
		name := names[r.IntN(len(names))]
		path := filepath.Join(dir, name)
		text := variants[name][r.IntN(len(variants[name]))]
		d := open[name]
		var did string
		switch op := r.IntN(14); {
		case op < 4 && d != nil:
			did = "edit"
			if op == 0 {
				e.SetText(d, text)
			} else {
				// Incremental: what is between the common ends.
				a, b := 0, 0
				for a < len(d.Text) && a < len(text) && d.Text[a] == text[a] {
					a++
				}
				for b < len(d.Text)-a && b < len(text)-a && d.Text[len(d.Text)-1-b] == text[len(text)-1-b] {
					b++
				}
				e.Edit(d, a, len(d.Text)-b, text[a:len(text)-b])
			}
		case op < 7 && d != nil:
			did = "save"
			e.Save(d)
			away[name] = false
		case op < 7 && !away[name]:
			did = "open"
			open[name] = e.Open(path)
		case op == 7 && d != nil:
			did = "close"
			e.Close(d)
			delete(open, name)
		case op == 8 || op == 9:
			did = "write"
			e.WriteFile(path, text)
			away[name] = false
		case op == 10 && !away[name]:
			did = "rename"
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			e.Watched(path)
			away[name] = true
		case op == 10:
			did = "rename back"
			if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
			e.Watched(path)
			away[name] = false
		case op == 11:
			did = "cancel"
			if err := e.Execute("cancel", nil, nil); err != nil {
				t.Fatal(err)
			}
		case op == 12:
			did = "kill a worker"
			killWorker(r)
		default:
			did = "settle"
			e.Settle()
		}
		e.Sync()
		if t.Failed() {
			for _, name := range names {
				disk, err := os.ReadFile(filepath.Join(dir, name))
				t.Logf("%s (open: %v, away: %v; %v)\n%s\non disk\n%s", name, open[name] != nil, away[name], err, e.Content(filepath.Join(dir, name)), disk)
			}
			t.Fatalf("step %d (seed %d): %s %s; shown is\n%s\nproofs are %+v", step, seed, did, name, strings.Join(e.Shown(), "\n"), proofItems(e))
		}
	}
	// Everything is saved and verified.
	for name, d := range open {
		e.Save(d)
		away[name] = false
	}
	for name, gone := range away {
		if gone {
			e.WriteFile(filepath.Join(dir, name), variants[name][0])
		}
	}
	if err := e.Execute("verify", map[string]any{"force": true}, nil); err != nil {
		t.Fatal(err)
	}
	e.Settle()
	want := map[string]bool{}
	for path, messages := range truth.of(e.Content) {
		for _, m := range messages {
			if strings.Contains(m, "` is ") || strings.Contains(m, "divi") {
				want[path+" "+m] = true
			}
		}
	}
	for path := range variants {
		path = filepath.Join(dir, path)
		for _, d := range e.Diagnostics(path) {
			for w := range want {
				if strings.HasPrefix(path+" "+d.Message, w) {
					delete(want, w)
				}
			}
			// What does not compile keeps its older findings.
			broken := strings.Contains(e.Content(path), "nd_int()\n")
			if strings.HasSuffix(d.Message, lsptest.StaleSuffix) && !broken {
				t.Errorf("still stale in the end: %s", d.Message)
			}
		}
	}
	for w := range want {
		t.Errorf("not shown in the end: %s", w)
	}
	if t.Failed() {
		t.Logf("shown is\n%s", strings.Join(e.Shown(), "\n"))
	}
}

// coldTruth checks contents cold, each combination once.
type coldTruth struct {
	t             testing.TB
	dir, cacheDir string
	known         map[string]map[string][]string
}

func (c *coldTruth) of(contents func(path string) string) map[string][]string {
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
		truth := map[string][]string{}
		for path, messages := range cold(c.t, other, c.cacheDir) {
			truth[strings.Replace(path, other, c.dir, 1)] = messages
		}
		// Of a killed worker's proof nothing is known, which is a result like any other.
		for _, name := range []string{"one", "two"} {
			path := filepath.Join(c.dir, name+"_harness.c")
			truth[path] = append(truth[path], name+" is unknown: the checking process was ended by signal 9")
		}
		c.known[key] = truth
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
