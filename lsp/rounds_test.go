package lsp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// sessionRounds is the number of rounds of one server, unless it is killed.
const sessionRounds = 25

// TestFaultRounds runs rounds of random edits, saves, external writes, renames and deletions with faults. The server,
// a worker or a compiler is killed, the disk is full, and the times of files jump. At the end of each round all
// diagnostics are compared with a cold check; at the end of each session no process and no temporary file is left.
func TestFaultRounds(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 8
	}
	rounds, seed := number(t, "UNITPROOF_ROUNDS", rounds), number(t, "UNITPROOF_SEED", 1)
	_, mounts := exec.Command("unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt").CombinedOutput()
	f := files{"unitproof.toml": ""}
	for name, texts := range variants {
		f[name] = texts[0]
	}
	dir, cacheDir := f.write(t), t.TempDir()
	truth := &coldTruth{t: t, dir: dir, cacheDir: t.TempDir(), known: map[string]*coldResult{}}
	did := map[string]int{}
	done := 0
	for first := 0; first < rounds && !t.Failed(); first += sessionRounds {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			for name, texts := range variants {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(texts[0]), 0o644); err != nil {
					t.Fatal(err)
				}
				os.Remove(filepath.Join(dir, name+".away")) // it may not exist
			}
			truth.t = t
			s := &faultSession{t: t, dir: dir, family: newFamily(t), cacheDir: cacheDir, did: did,
				random: rand.New(rand.NewPCG(uint64(seed), uint64(first)))}
			s.mode = []string{"save", "save", "idle"}[s.random.IntN(3)]
			// The disk with the cache and the user's files has room for nothing, for a part, or for most of it.
			if size := []string{"", "", "8k", "48k", "200k"}[s.random.IntN(5)]; size != "" && mounts == nil {
				disk := t.TempDir()
				s.before = []string{"unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=" + size +
					` none "$0" && export XDG_CACHE_HOME="$0/user" && exec "$@"`, disk}
				s.cacheDir = filepath.Join(disk, "cache")
				did["full disk"]++
			}
			s.start()
			for round := range min(sessionRounds, rounds-first) {
				var steps []string
				s.workerKilled = false
				for range 1 + s.random.IntN(5) {
					steps = append(steps, s.step())
				}
				s.editing.finish(truth)
				if t.Failed() {
					s.editing.fail(fmt.Sprintf("round %d of session %d (seed %d): %s", round, first, seed, strings.Join(steps, ", ")))
				}
				done++
			}
			s.family.ended(s.editing.e, false)
		})
	}
	t.Logf("%d rounds with seed %d, %d different states checked cold: %v", done, seed, len(truth.known), did)
}

// faultSession is a server with an editor, under faults.
type faultSession struct {
	t        *testing.T
	dir      string
	cacheDir string
	mode     string   // of check.on
	before   []string // prefix of the server's command line
	random   *rand.Rand
	family   *family
	server   *exec.Cmd
	editing  *freshSession
	did      map[string]int // number of events by name, over all sessions

	workerKilled bool // in this round
}

// start starts a server, and opens the documents that the editor had open before.
func (s *faultSession) start() {
	old := s.editing
	e, cmd := s.family.server(s.cacheDir, lsptest.Options{Folders: []string{s.dir},
		Settings: map[string]any{"check": map[string]any{"on": s.mode}}}, s.before...)
	s.server = cmd
	s.editing = &freshSession{t: s.t, e: e, dir: s.dir, random: s.random, open: map[string]*lsptest.Document{},
		away: map[string]bool{}, kill: s.killWorker}
	if old != nil {
		s.editing.away = old.away
		for name, d := range old.open {
			s.editing.open[name] = e.OpenText(filepath.Join(s.dir, name), d.Text)
		}
	}
}

// kill kills a process that the server has started, if there is one.
func (s *faultSession) kill(command string) {
	if pid := s.family.find(command); pid != 0 && pid != s.server.Process.Pid {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
}

// killWorker kills a worker, at most once per round: a run is repeated once, and after a second kill its proof would
// be unknown, unlike in a cold check.
func (s *faultSession) killWorker() {
	if !s.workerKilled {
		s.workerKilled = true
		s.kill(" worker")
	}
}

// step performs a random event, and returns its name.
func (s *faultSession) step() string {
	what := s.fault()
	if what == "" {
		what = s.editing.step()
	}
	s.did[strings.Fields(what)[0]]++
	return what
}

// fault causes a random fault, and returns its name; "" if there is none.
func (s *faultSession) fault() string {
	r := s.random
	switch r.IntN(24) {
	case 0:
		s.killWorker()
		return "worker-killed"
	case 1, 2:
		s.kill("clang")
		return "compiler-killed"
	case 3:
		if r.IntN(3) > 0 {
			return ""
		}
		s.editing.e.Abandon()
		if err := s.server.Process.Kill(); err != nil {
			s.t.Fatal(err)
		}
		s.family.ended(s.editing.e, true)
		s.start()
		return "server-killed"
	case 4, 5:
		// Files are written with another clock: the time of the new content is old, equal to that of the old content,
		// or in the future.
		names := []string{"common.h", "one_harness.c", "two_harness.c"}
		name := names[r.IntN(len(names))]
		path := filepath.Join(s.dir, name)
		info, err := os.Stat(path)
		if err != nil {
			return ""
		}
		then := []time.Time{info.ModTime(), info.ModTime().Add(-time.Hour), time.Unix(0, 0),
			time.Now().AddDate(1, 0, 0)}[r.IntN(4)]
		if err := os.WriteFile(path, []byte(variants[name][r.IntN(len(variants[name]))]), 0o644); err != nil {
			s.t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			s.t.Fatal(err)
		}
		s.editing.e.Watched(path)
		return "clock-step " + name
	}
	return ""
}
