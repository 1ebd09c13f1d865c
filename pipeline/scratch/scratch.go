// Package scratch keeps the temporary files of this process in one folder, and removes those of processes that were
// killed:
//
//	$TMPDIR/unitproof-UID/        private to the user
//	    PID-RANDOM/               of a process, which holds a lock on it for as long as it lives
//	        worker-RANDOM/        of one of its workers, which gets it as TMPDIR and in Variable
//	        clang-RANDOM/ ...
//
// A process lives if and only if its folder is locked. Its number does not suffice: numbers are reused, and containers
// that share the folder have their own. The system releases locks when a process ends for any reason (flock(2)).
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// Variable is the environment variable with a worker's folder of temporary files, which its parent created.
const Variable = "UNITPROOF_WORKER_TEMP"

// Worker returns the folder that this process was given as a worker; "" if it is none.
func Worker() string { return os.Getenv(Variable) }

// System returns the system's folder of temporary files, which contains all others.
func System() string {
	if dir := Worker(); dir != "" {
		return filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	}
	return os.TempDir()
}

// Mkdir creates a folder with a name of a pattern ("clang-*") that only the user can read.
func Mkdir(pattern string) (string, error) {
	return in(func(dir string) (string, error) { return os.MkdirTemp(dir, pattern) })
}

// Create creates a file in the same way.
func Create(pattern string) (*os.File, error) {
	return in(func(dir string) (*os.File, error) { return os.CreateTemp(dir, pattern) })
}

// Path returns the path of a name in the folder of this process.
func Path(name string) (string, error) {
	dir, err := folder()
	return filepath.Join(dir, name), err
}

// in calls create with the folder of this process, and recreates the folder if it was deleted.
func in[T any](create func(dir string) (T, error)) (T, error) {
	for again := true; ; again = false {
		var made T
		dir, err := folder()
		if err == nil {
			made, err = create(dir)
		}
		if err == nil || !again || !errors.Is(err, fs.ErrNotExist) {
			return made, err
		}
		if dir := Worker(); dir != "" {
			_ = os.MkdirAll(dir, 0o700) // if it fails, the next attempt returns the error
		} else {
			Remove()
		}
	}
}

// own is the folder of this process; the first temporary file creates it.
var own struct {
	sync.Mutex
	system string   // TMPDIR at its creation
	dir    string   // "" if there is none
	lock   *os.File // nil: the file system has no locks
}

func folder() (string, error) {
	if dir := Worker(); dir != "" {
		return dir, nil
	}
	own.Lock()
	defer own.Unlock()
	if own.dir != "" && own.system == os.TempDir() {
		return own.dir, nil
	}
	removeOwn()
	own.system = os.TempDir()
	all := filepath.Join(own.system, "unitproof-"+strconv.Itoa(os.Geteuid()))
	pattern := strconv.Itoa(os.Getpid()) + "-*"
	var err error
	for range 10 { // other processes may sweep a folder without a lock, or remove the parent when it is empty
		if err = os.Mkdir(all, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if !private(all) { // of another user: use a folder elsewhere, and sweep nothing
			own.dir, err = os.MkdirTemp("", "unitproof-"+pattern)
			return own.dir, err
		}
		var dir string
		if dir, err = os.MkdirTemp(all, pattern); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return "", err
		}
		if own.lock, err = hold(dir); err == nil {
			own.dir = dir
			sweep(all, dir)
			return dir, nil
		}
		os.Remove(dir) // it may be gone
	}
	return "", fmt.Errorf("a folder for temporary files: %w", err)
}

// Remove removes all temporary files of this process. It must be called before the process ends; a worker's files are
// its parent's, too.
func Remove() {
	if dir := Worker(); dir != "" {
		os.RemoveAll(dir)
		return
	}
	own.Lock()
	defer own.Unlock()
	removeOwn()
}

func removeOwn() {
	if own.dir == "" {
		return
	}
	os.RemoveAll(own.dir)
	if own.lock != nil {
		own.lock.Close()
	}
	os.Remove(filepath.Join(own.system, "unitproof-"+strconv.Itoa(os.Geteuid()))) // unless others use it
	own.dir, own.lock = "", nil
}

// private reports whether a path is a folder that only the user can access.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid()
}

// errSwept is the error of a folder that another process has swept.
var errSwept = errors.New("another process deleted it")

// hold locks a folder for as long as the file is open, which no child inherits; nil if the file system has no locks.
func hold(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, errSwept
	case err != nil:
		f.Close()
		return nil, nil
	}
	held, err := f.Stat()
	if now, err2 := os.Lstat(dir); err != nil || err2 != nil || !os.SameFile(held, now) {
		f.Close()
		return nil, errSwept
	}
	return f, nil
}

// sweep removes the folders of processes that have ended.
func sweep(all, own string) {
	entries, err := os.ReadDir(all)
	if err != nil {
		return // another process removed it
	}
	for _, e := range entries {
		dir := filepath.Join(all, e.Name())
		if dir == own {
			continue
		}
		if lock, err := hold(dir); err == nil && lock != nil {
			os.RemoveAll(dir) // the next sweep removes the rest
			lock.Close()
		}
	}
}
