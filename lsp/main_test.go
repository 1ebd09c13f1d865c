package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
	"github.com/unitproof/unitproof/pipeline/workertest"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestMain runs the tests. The test program is also the worker and, for tests that kill it, the server.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "worker":
			if len(os.Args) == 4 { // for a cluster
				if _, err := pipeline.ExecuteTask(context.Background(), os.Args[2], os.Args[3]); err != nil {
					fmt.Fprintln(os.Stderr, "unitproof:", err)
					os.Exit(1)
				}
				os.Exit(0)
			}
			workertest.Exec()
			if err := pipeline.ServeWorker(os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, "unitproof:", err)
				os.Exit(1)
			}
			os.Exit(0)
		case "lsp":
			ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM) // like the program
			status := Serve(ctx, os.Stdin, os.Stdout, Options{Version: "test", CacheDir: os.Args[2],
				Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
			pipeline.Cleanup()
			os.Exit(status)
		}
	}
	clientInterval = 20 * time.Millisecond // before a server reads it
	done, remove := remotetest.Program(), workertest.Build()
	status := m.Run()
	done()
	remove()
	os.Exit(status)
}

// files are the files of a workspace by relative path.
type files map[string]string

// write creates a folder with the files. Its name has characters that URIs escape.
func (f files) write(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "a work+space ä")
	for name, text := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// workspace opens an editor on files, with a cache folder of its own.
func workspace(t *testing.T, f files) (*lsptest.Editor, string) {
	t.Helper()
	dir := f.write(t)
	e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}}, Options{Version: "test", CacheDir: t.TempDir()})
	e.Initialize()
	return e, dir
}

// cold checks a folder like the command line, and returns by file the messages that may be shown as fresh.
func cold(t testing.TB, dir, cacheDir string) map[string][]string {
	t.Helper()
	return coldly(t, dir, cacheDir).truth
}

// coldCheck is the command line's result for a folder.
type coldCheck struct {
	truth    map[string][]string // by file: the messages that may be shown as fresh
	reported map[string][]string // by file: the messages that must be shown
	verdicts map[string]string   // by proof
	broken   bool                // a proof does not compile
}

func coldly(t testing.TB, dir, cacheDir string) *coldCheck {
	t.Helper()
	w, err := project.Open(dir, project.Flags{})
	if w == nil {
		t.Fatal(err)
	}
	c := &coldCheck{truth: map[string][]string{}, reported: map[string][]string{}, verdicts: map[string]string{}}
	truth := c.truth
	add := func(file, message string) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(w.Root, file)
		}
		truth[file] = append(truth[file], message)
	}
	if problems, ok := err.(project.Problems); ok {
		for _, p := range problems {
			add(p.File, p.Message)
		}
	}
	proofs, _ := w.Proofs(nil)
	results := pipeline.Run(context.Background(), pipeline.Batch{Settings: pipeline.Settings{Root: paths.Root(w.Root),
		CacheDir: cacheDir}, Proofs: proofs,
		Define: w.Definitions}, pipeline.PoolOptions{Jobs: 1}, nil)
	for i := range results {
		p := &results[i].Proof
		c.verdicts[p.Name] = string(p.Verdict)
		c.broken = c.broken || p.Verdict == found.Error
		for j := range p.Obligations {
			if f := &p.Obligations[j]; f.Reported() {
				add(f.File, f.Message)
				for k := range f.VacuityCore {
					add(f.VacuityCore[k].File, f.CoreSentence(k))
				}
				c.reported[paths.Root(w.Root).Find(f.File)] = append(c.reported[paths.Root(w.Root).Find(f.File)], f.Message)
			}
		}
		for _, e := range p.Errors {
			add(e.File, e.Message)
			add(p.File, p.Name+" has an error")
		}
		for _, a := range p.Assumptions {
			add(a.File, "assuming "+a.Message)
		}
		if p.Verdict != found.Proved {
			add(p.File, p.Name+" is "+string(p.Verdict))
		}
	}
	return c
}
