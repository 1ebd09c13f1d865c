// Package scratch has the temporary files of this process in one folder, and takes away those of processes that were
// killed before they could:
//
//	$TMPDIR/unitproof-UID/        private to the user
//	    PID-RANDOM/               of a process, which holds a lock on it for as long as it lives
//	        worker-RANDOM/        of one of its workers, which gets it as TMPDIR and in Variable
//	        clang-RANDOM/ ...
//
// The lock and not the number tells whether a process lives: numbers are given again, and containers that share the
// folder have numbers of their own. The system gives locks back when a process ends, however that happens (flock(2)).
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

// Variable of the environment is set in workers: the folder of their temporary files, which their parent made.
const Variable = "UNITPROOF_WORKER_TEMP"

// Worker is the folder that this process was given as a worker, "" if it is none.
func Worker() string { return os.Getenv(Variable) }

// System is the folder that people know, in which all others lie.
func System() string {
	if dir := Worker(); dir != "" {
		return filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	}
	return os.TempDir()
}

// Mkdir makes a folder with such a name ("clang-*") that nobody but the user can read.
func Mkdir(pattern string) (string, error) {
	return in(func(dir string) (string, error) { return os.MkdirTemp(dir, pattern) })
}

// Create makes such a file.
func Create(pattern string) (*os.File, error) {
	return in(func(dir string) (*os.File, error) { return os.CreateTemp(dir, pattern) })
}

// Path is where a file or folder of such a name is, or can be made, in the folder of this process.
func Path(name string) (string, error) {
	dir, err := folder()
	return filepath.Join(dir, name), err
}

// in has something made in the folder of this process, which somebody may have cleaned away.
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
			_ = os.MkdirAll(dir, 0o700) // else the next attempt says why not
		} else {
			Remove()
		}
	}
}

// own is the folder of this process, made when the first temporary file is.
var own struct {
	sync.Mutex
	system string   // TMPDIR when it was made
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
	for range 10 { // others may sweep what has no lock yet, or remove the folder of all when it is empty
		if err = os.Mkdir(all, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if !private(all) { // somebody else made it: nobody has to look there, and nothing is swept
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

// Remove removes all temporary files of this process. To be called at its end; a worker's are its parent's, too.
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
	os.Remove(filepath.Join(own.system, "unitproof-"+strconv.Itoa(os.Geteuid()))) // others may have something there
	own.dir, own.lock = "", nil
}

// private tells whether a folder is one, of the user and of nobody else.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid()
}

// errSwept: who sweeps was faster.
var errSwept = errors.New("somebody swept it away")

// hold locks a folder for as long as the file is open, which no child inherits; nil where there are no locks.
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
		return // somebody removed it
	}
	for _, e := range entries {
		dir := filepath.Join(all, e.Name())
		if dir == own {
			continue
		}
		if lock, err := hold(dir); err == nil && lock != nil {
			os.RemoveAll(dir) // what is left of it is tried again
			lock.Close()
		}
	}
}
