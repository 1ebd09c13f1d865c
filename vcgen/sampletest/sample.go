// Package sampletest chooses the samples of tests that do not take all programs, cases or seeds.
//
// The sample changes each day, so that a regression is hidden for n days at most by a sample of one in n:
//
//	for _, p := range programs {
//		if !sampletest.Takes(t, p.name, 8) { // one in eight, each program once in eight days
//			continue
//		}
//
// The day is that of the last commit. Thus two runs of "make test" on one commit take the same sample, whenever they
// are made. The log of a test that fails has the number of its sample; SAMPLE=NUMBER in the environment repeats it.
package sampletest

import (
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Variable is the environment variable with the number of a sample.
const Variable = "SAMPLE"

// Takes reports whether a name is in the current sample of one in n, and logs the number of the sample. A sample of one
// in m is part of one in n if m is a multiple of n. The selection is by a hash of the name, so that a new program does
// not change the sample of the others.
func Takes(t testing.TB, name string, n uint32) bool {
	logNumber(t)
	return taken(name, n, number())
}

// Short reports whether a test takes a name: with -short those of the current sample of one in n, otherwise all.
func Short(t testing.TB, name string, n uint32) bool { return !testing.Short() || Takes(t, name, n) }

func taken(name string, n uint32, sample uint64) bool {
	return (uint64(crc32.ChecksumIEEE([]byte(name)))+sample)%uint64(n) == 0
}

// Seeds returns the seeds of a random test: 0 to n-1, or with -short a quarter of them, Rounds(n), by the number of the
// sample, which is logged.
func Seeds(t testing.TB, n int64) iter.Seq[int64] {
	quarter := uint64(0)
	if testing.Short() {
		logNumber(t)
		quarter = number() % 4
	}
	return func(yield func(int64) bool) {
		for i := range Rounds(n) {
			if !yield(int64(quarter)*Rounds(n) + i) {
				return
			}
		}
	}
}

// Rounds returns how many random cases a test takes: n, or with -short a quarter. Tests that count their cases must
// count in proportion.
func Rounds(n int64) int64 {
	if testing.Short() {
		return n / 4
	}
	return n
}

// number returns the number of the current sample: $SAMPLE, or the day of the last commit since 1970, or today.
var number = sync.OnceValue(func() uint64 {
	if text := os.Getenv(Variable); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", Variable, err))
		}
		return n
	}
	const day = 24 * 60 * 60
	if out, err := exec.Command("git", "log", "-1", "--format=%ct").Output(); err == nil {
		if seconds, err := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64); err == nil {
			return seconds / day
		}
	}
	return uint64(time.Now().Unix()) / day // no clone
})

// logged has the tests whose log has the number.
var logged sync.Map

func logNumber(t testing.TB) {
	if _, ok := logged.LoadOrStore(t, true); ok {
		return
	}
	t.Helper()
	t.Cleanup(func() { logged.Delete(t) })
	t.Logf("the sample of tests is %s=%d", Variable, number())
}
