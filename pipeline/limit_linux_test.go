package pipeline

import (
	"os"
	"os/exec"
	"syscall"
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

// TestWants: what computes would go on, and so would a process whose child does; what sleeps or was stopped would not.
func TestWants(t *testing.T) {
	for _, c := range []struct {
		script string
		signal os.Signal
		want   bool
	}{
		{"while :; do :; done", nil, true},
		{"sh -c 'while :; do :; done' & wait", nil, true},
		{"sleep 100", nil, false},
		{"while :; do :; done", syscall.SIGSTOP, false},
	} {
		cmd := exec.Command("sh", "-c", c.script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if c.signal != nil {
			_ = cmd.Process.Signal(c.signal)
		}
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) { // it has to start first
			if got := wants(cmd.Process.Pid, 0); got == c.want && time.Since(began) > 200*time.Millisecond {
				break
			} else if time.Since(began) > time.Minute {
				t.Errorf("%s, %v: wants to go on is %v", c.script, c.signal, got)
				break
			}
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}
}
