package pipeline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxDescendants bounds the walk over a process tree that changes while it is read.
const maxDescendants = 64

// residentSize is the resident memory in bytes of a process and its descendants; 0 where the
// system does not tell. The address space is no measure: Go and the sanitizers reserve far more
// than they use.
func residentSize(pid int) int64 {
	page := int64(os.Getpagesize())
	var sum int64
	pids := []int{pid}
	for i := 0; i < len(pids) && i < maxDescendants; i++ {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pids[i]))
		if err != nil {
			continue
		}
		if fields := strings.Fields(string(data)); len(fields) > 1 {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			sum += n * page
		}
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pids[i]))
		for _, t := range tasks {
			data, _ := os.ReadFile(t)
			for _, f := range strings.Fields(string(data)) {
				if child, err := strconv.Atoi(f); err == nil {
					pids = append(pids, child)
				}
			}
		}
	}
	return sum
}

// SystemMemory is the memory of the machine in bytes; 0 where the system does not tell.
func SystemMemory() int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	var kib int64
	_, _ = fmt.Sscanf(string(data), "MemTotal: %d kB", &kib) // else 0
	return kib << 10
}

// peakSize is the highest resident memory in bytes of a process alone; 0 where unknown.
func peakSize(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(data, []byte("VmHWM:"))
	if !found {
		return 0
	}
	fields := strings.Fields(string(rest[:min(len(rest), 64)]))
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[0], 10, 64)
	return n << 10
}

// forgetPeak lets the system count the peak of this process anew.
func forgetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // without it a peak is one of several proofs
}
