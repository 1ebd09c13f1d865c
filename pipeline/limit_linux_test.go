package pipeline

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestTreeTime checks that the time of a process includes its children, living and ended.
func TestTreeTime(t *testing.T) {
	// A shell that waits for one child, and has another that lives: each computes for a moment.
	work := "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
	cmd := exec.Command("sh", "-c", "sh -c '"+work+"'; sh -c '"+work+"; sleep 100' & wait")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	own, _ := treeTime(os.Getpid())
	if processTime() < own-50*time.Millisecond {
		t.Errorf("the own time is %v, and %v by /proc", processTime(), own)
	}
	for range 1000 {
		at, ok := timeOf(cmd.Process.Pid)
		tree, _ := treeTime(cmd.Process.Pid)
		if !ok {
			t.Fatal("the time of a child is not known")
		}
		if at > 0 && tree > at {
			for _, pid := range descendants(cmd.Process.Pid) {
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill()
				}
			}
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("what the children took is not seen")
}

// TestYield checks that a worker's niceness is raised and never lowered.
func TestYield(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w, err := startProcess([]string{self, "worker"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	own := niceness(0)
	for _, step := range []struct{ yield, want int }{{0, own}, {7, min(own+7, 19)}, {3, min(own+7, 19)}} {
		w.yield(step.yield)
		wantNiceness(t, w.cmd.Process.Pid, step.want)
	}
}

// wantNiceness checks the niceness of a process's first thread; setpriority may miss a thread that is being created.
func wantNiceness(t *testing.T, pid, want int) {
	t.Helper()
	if got := niceness(pid); got != want {
		t.Errorf("a worker has the niceness %d, want %d", got, want)
	}
}

// TestYieldBesideCluster checks that only workers that compile for a cluster have a higher niceness.
func TestYieldBesideCluster(t *testing.T) {
	for _, c := range []struct {
		cluster string
		more    int
	}{{"", 0}, {"grpc://127.0.0.1:1", niceBeside}} { // no server listens there, so that the check ends here
		pool := NewPool(faulty(t, ""))
		b := Batch{Proofs: []project.Proof{program(t, simple)}}
		b.Cluster.URL = c.cluster
		if r := pool.Run(t.Context(), b, nil); r[0].Proof.Verdict != found.Proved {
			t.Errorf("with cluster %q: %s %s", c.cluster, r[0].Proof.Verdict, r[0].Proof.Reason)
		}
		_, idle := pool.Workers()
		if len(idle) == 0 {
			t.Errorf("with cluster %q no worker is left", c.cluster)
		}
		for _, pid := range idle {
			wantNiceness(t, pid, min(niceness(0)+c.more, 19))
		}
		pool.Close()
	}
}
