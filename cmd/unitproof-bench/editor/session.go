package editor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// failure ends the run.
type failure struct{ error }

// checker receives the errors of the fake editor, in place of a test.
type checker struct{ testing.TB }

func (checker) Helper()                      {}
func (checker) Logf(string, ...any)          {}
func (checker) Errorf(f string, args ...any) { fmt.Fprintf(os.Stderr, "benchmark: "+f+"\n", args...) }
func (checker) Fatal(args ...any)            { panic(failure{fmt.Errorf("%s", fmt.Sprint(args...))}) }
func (checker) Fatalf(f string, args ...any) { panic(failure{fmt.Errorf(f, args...)}) }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// session is a server process with an editor.
type session struct {
	*lsptest.Editor
	cmd *exec.Cmd
	dir string
}

// files writes the files of a workspace.
func (b *bench) files(name string, files map[string]string) string {
	dir := filepath.Join(b.dir, name)
	for file, text := range files {
		path := filepath.Join(dir, file)
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		must(os.WriteFile(path, []byte(text), 0o644))
	}
	must(os.MkdirAll(dir, 0o755))
	return dir
}

// start starts a server on a folder, without sending messages. All servers share a cache folder.
func (b *bench) start(dir string) *session {
	cmd := exec.Command(b.Program, "lsp", "--stdio")
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(b.dir, "cache"))
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	return &session{lsptest.Connect(checker{}, out, in, lsptest.Options{Folders: []string{dir}}), cmd, dir}
}

// open starts a server, opens files and waits until all are verified.
func (b *bench) open(dir string, files ...string) (*session, []*lsptest.Document) {
	s := b.start(dir)
	s.Initialize()
	var docs []*lsptest.Document
	for _, f := range files {
		docs = append(docs, s.Open(filepath.Join(dir, f)))
	}
	s.Settle()
	return s, docs
}

// leave ends the server, and returns the number of processes that it left behind.
func (s *session) leave() int {
	below := descendants(s.cmd.Process.Pid)
	s.Leave()
	select {
	case <-s.Ended():
	case <-time.After(lsptest.Patience):
		must(s.cmd.Process.Signal(syscall.SIGQUIT)) // it prints its goroutines
		<-s.Ended()
		must(fmt.Errorf("the server did not leave within %s; its goroutines are above", lsptest.Patience))
	}
	must(s.cmd.Wait())
	// Workers end with their pipe.
	for range 100 {
		remaining := 0
		for _, pid := range below {
			if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil &&
				!strings.Contains(string(stat), ") Z ") {
				remaining++
			}
		}
		if remaining == 0 {
			return 0
		}
		time.Sleep(50 * time.Millisecond)
	}
	return len(below)
}

// shows waits until a condition on the diagnostics of a file holds.
func (s *session) shows(what string, path string, condition func(messages string) bool) {
	s.Await(what, func() bool {
		var b strings.Builder
		for _, d := range s.Diagnostics(path) {
			b.WriteString(d.Message + "\n")
		}
		return condition(b.String())
	})
}

// processes maps every process to its parent.
func processes() map[int]int {
	parents := map[int]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			parents[pid] = parent
		}
	}
	return parents
}

// descendants returns the descendants of a process.
func descendants(pid int) []int {
	parents := processes()
	var list []int
	for p := range parents {
		for q := parents[p]; q > 1; q = parents[q] {
			if q == pid {
				list = append(list, p)
				break
			}
		}
	}
	return list
}

// cpu returns the processor time of a process and its descendants, in seconds.
func cpu(pid int) float64 {
	total := 0.0
	for _, p := range append(descendants(pid), pid) {
		total += own(p)
	}
	return total
}

// own returns the processor time of one process in seconds, to a hundredth.
func own(pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0 // it has ended
	}
	total := 0.0
	for _, f := range strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[11:13] {
		ticks, _ := strconv.ParseFloat(f, 64)
		total += ticks / 100
	}
	return total
}

// resident returns the memory of a process in mebibytes.
func resident(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(err)
	for _, line := range strings.Split(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			must(err)
			return kib / 1024
		}
	}
	return 0
}
