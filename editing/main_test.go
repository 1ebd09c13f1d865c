package editing

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/workertest"
)

// TestMain makes the test binary usable as a worker.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "worker" {
		done := workertest.Build()
		status := m.Run()
		done()
		os.Exit(status)
	}
	workertest.Exec()
	if err := pipeline.ServeWorker(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "unitproof:", err)
		os.Exit(3)
	}
}

// ends waits for the end of a process, and reports whether it ended; zombies count as ended.
func ends(pid int) bool {
	for range 300 {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(data), ") Z ") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}
