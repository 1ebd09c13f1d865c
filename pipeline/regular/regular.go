// Package regular reads files in folders that may be malicious: only regular files, and only up to a limit.
//
// A checked project may contain a FIFO instead of a C file, a link to /dev/zero or /proc/kmsg, or a file of a terabyte.
// os.ReadFile would block forever or exhaust the memory; ReadFile returns an error of type *fs.PathError.
//
// ReadFile and Source are for the user's files, and follow links. Open and ReadOwn are for files that this program has
// written, and refuse links.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Limits of file sizes, in bytes. They are far above the sizes of hand-written files.
const (
	MaxConfig   = 1 << 20   // unitproof.toml, compile_flags.txt, a response file
	MaxDatabase = 512 << 20 // compile_commands.json
	MaxSource   = 64 << 20  // a C file
)

// ErrNotRegular is the error for a folder, a device, a pipe, a socket, or a file that the kernel generates.
var ErrNotRegular = errors.New("is not a regular file")

// TooLarge is the error for a file beyond its limit.
type TooLarge struct{ Limit int64 }

func (e TooLarge) Error() string {
	if e.Limit%(1<<20) == 0 {
		return fmt.Sprintf("is larger than the limit of %d MB", e.Limit>>20)
	}
	return fmt.Sprintf("is larger than the limit of %d bytes", e.Limit)
}

// ReadFile is like os.ReadFile for a regular file of at most limit bytes. It never waits for another process, as
// reading from a FIFO would. Errors are of type *fs.PathError.
func ReadFile(path string, limit int64) ([]byte, error) {
	fail := func(err error) ([]byte, error) { return nil, &fs.PathError{Op: "read", Path: path, Err: err} }
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || isOfKernel(path) { // opening some devices already has an effect
		return fail(ErrNotRegular)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return fail(ErrNotRegular)
	case info.Size() > limit:
		return fail(TooLarge{limit})
	}
	// The file may grow, so the limit is checked again.
	data := make([]byte, 0, info.Size()+512)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return fail(TooLarge{limit})
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// Open opens a file that this program has written. It refuses anything else in its place: a link, a pipe, a device. It
// never waits for another process.
func Open(path string) (*os.File, error) {
	fail := func() (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular} }
	if info, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // opening some devices already has an effect
		return fail()
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return fail()
	}
	return f, nil
}

// ReadOwn is like os.ReadFile for a file that this program has written.
func ReadOwn(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size(), info.Size()+1)
	n, err := io.ReadFull(f, data)
	if err == io.EOF || err == io.ErrUnexpectedEOF { // the file has shrunk
		err = nil
	}
	return data[:n], err
}

// Source is ReadFile with the limit for C files.
func Source(path string) ([]byte, error) { return ReadFile(path, MaxSource) }
