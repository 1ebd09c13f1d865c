package pipeline

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestTreeTime: the time of a process is that of its children, too, of those that live and of those that ended.
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
