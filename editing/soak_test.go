package editing

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline"
)

// heap returns the memory in use after garbage collection.
func heap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSoak checks that hundreds of edits and saves leak no memory.
func TestSoak(t *testing.T) {
	files := map[string]string{"x.h": "int x;\n"}
	for i := range 20 {
		files[fmt.Sprintf("p%d_harness.c", i)] = fakeProof("x.h") + strings.Repeat("// some text\n", 400)
	}
	dir := tree(t, files)
	w := openFake(t, &fakeChecker{}, Options{Folders: []string{dir}})
	var begin uint64
	saves := 500
	if testing.Short() {
		saves = 300
	}
	for n := range saves {
		name := fmt.Sprintf("p%d_harness.c", n%20)
		text := fakeProof("x.h") + fmt.Sprintf("// %d\n", n) + strings.Repeat("// some text\n", 400)
		path := filepath.Join(dir, name)
		w.SetBuffer(path, []byte(text))
		put(t, dir, name, text)
		w.Saved(path)
		if n%2 == 0 {
			w.CloseBuffer(path)
		}
		s := syncNow(t, w)
		for _, p := range s.InFile(path) {
			s.Move(p, name, 5, 1)
		}
		if n == 100 {
			begin = heap()
		}
	}
	end := heap()
	t.Logf("%d kB after 100 saves, %d kB after %d", begin>>10, end>>10, saves)
	if end > begin+begin/10+1<<20 {
		t.Errorf("the heap grows from %d to %d bytes", begin, end)
	}
}

// TestIdle checks that an idle Workspace that watches the disk uses no processor time.
func TestIdle(t *testing.T) {
	dir := realTree(t)
	w := openReal(t, dir, Options{Watch: true}, pipeline.PoolOptions{Jobs: 2}, nil)
	s := syncNow(t, w)
	if got := overview(s); got != "a proved, b proved" {
		t.Fatal(got)
	}
	pool := w.state.opts.Pool
	spent := func() (self, workers time.Duration) {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		_, idle := pool.Workers()
		for _, pid := range idle {
			workers += cpuTime(pid)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()), workers
	}
	runtime.GC() // its after-effects are not part of the measurement
	time.Sleep(200 * time.Millisecond)
	self, workers := spent()
	const idle = 2 * time.Second
	time.Sleep(idle)
	selfEnd, workersEnd := spent()
	share := func(d time.Duration) float64 { return 100 * float64(d) / float64(idle) }
	t.Logf("idle: %.2f %% of a processor here, %.2f %% in workers", share(selfEnd-self), share(workersEnd-workers))
	if spent := selfEnd - self + workersEnd - workers; spent > idle/50 { // a loop would use ten times the limit
		t.Errorf("%s of processor time in %s of idleness", spent, idle)
	}
}

// cpuTime returns the processor time of a process, in ticks of 1/100 s.
func cpuTime(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	var user, system int64
	if len(fields) > 12 {
		fmt.Sscan(fields[11], &user)
		fmt.Sscan(fields[12], &system)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// TestNothingLeft checks that closing a Workspace during its work ends all processes and deletes their files.
func TestNothingLeft(t *testing.T) {
	dir := realTree(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 2, Command: workerCommand(t)})
	w := NewWorkspace(Options{Folders: []string{dir}, Trusted: true, Pool: pool}, nil)
	var pids []int
	for deadline := time.Now().Add(time.Minute); len(pids) < 2; time.Sleep(5 * time.Millisecond) {
		pids, _ = pool.Workers()
		if time.Now().After(deadline) {
			t.Fatal("no work is done")
		}
	}
	w.Close()
	pool.Close()
	for _, pid := range pids {
		if !ends(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	remaining, err := filepath.Glob(filepath.Join(temp, "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range remaining {
		t.Errorf("%s is left", name)
	}
}
