package pipeline

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxDescendants bounds the walk over a process tree that changes while it is read.
const maxDescendants = 64

// residentSize returns the resident memory in bytes of a process and its descendants; 0 if the system does not provide
// it. The address space is no measure: Go and the sanitizers reserve far more than they use.
func residentSize(pid int) int64 { return ownSize(pid) + descendantsSize(pid) }

// ownSize returns the resident memory in bytes of a process alone.
func ownSize(pid int) int64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}

// descendantsSize returns the resident memory in bytes of the descendants of a process.
func descendantsSize(pid int) int64 {
	var sum int64
	for _, child := range descendants(pid) {
		sum += ownSize(child)
	}
	return sum
}

// descendants returns the descendants of a process. The search opens a file per thread.
func descendants(pid int) []int {
	pids := []int{pid}
	for i := 0; i < len(pids) && i < maxDescendants; i++ {
		dir := "/proc/" + strconv.Itoa(pids[i]) + "/task"
		f, err := os.Open(dir)
		if err != nil {
			continue
		}
		threads, _ := f.Readdirnames(-1)
		f.Close()
		for _, t := range threads {
			data, _ := os.ReadFile(dir + "/" + t + "/children") // the thread may have ended
			for _, f := range strings.Fields(string(data)) {
				if child, err := strconv.Atoi(f); err == nil {
					pids = append(pids, child)
				}
			}
		}
	}
	return pids[1:]
}

// SystemMemory returns the memory of the machine in bytes; 0 if the system does not provide it.
func SystemMemory() int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	var kib int64
	_, _ = fmt.Sscanf(string(data), "MemTotal: %d kB", &kib) // else 0
	return kib << 10
}

// peakSize returns the highest resident memory in bytes of a process alone; 0 if unknown.
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
	n, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// forgetPeak resets the peak of this process.
func forgetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // if it fails, the peak is that of several proofs
}
