package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
)

// startProfile begins to profile this process, unless dir is "". The returned function writes the profiles cpu.pprof
// and allocs.pprof to dir; a second call does nothing.
func startProfile(dir string) (stop func() error, err error) {
	if dir == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	cpu, err := os.Create(filepath.Join(dir, "cpu.pprof"))
	if err != nil {
		return nil, err
	}
	runtime.MemProfileRate = 64 << 10 // finer than the default: a proof allocates some hundred mebibytes
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, errors.Join(err, cpu.Close())
	}
	return func() error {
		if cpu == nil {
			return nil
		}
		pprof.StopCPUProfile()
		err := cpu.Close()
		cpu = nil
		allocs, failed := os.Create(filepath.Join(dir, "allocs.pprof"))
		if failed != nil {
			return errors.Join(err, failed)
		}
		return errors.Join(err, pprof.Lookup("allocs").WriteTo(allocs, 0), allocs.Close())
	}, nil
}
