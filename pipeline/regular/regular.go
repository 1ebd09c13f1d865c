// Package regular reads files of folders that may have been made to harm: only regular files, and only up to a limit.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Limits of what is read, in bytes. They lie far above what people write.
const (
	MaxConfig   = 1 << 20   // unitproof.toml, compile_flags.txt, a response file
	MaxDatabase = 512 << 20 // compile_commands.json
	MaxSource   = 64 << 20  // a C file
)

// ErrNotRegular is that of a folder, a device, a pipe, a socket, and of what the kernel shows as a file.
var ErrNotRegular = errors.New("is not a regular file")

// TooLarge is the error of a file beyond its limit.
type TooLarge struct{ Limit int64 }

func (e TooLarge) Error() string {
	if e.Limit%(1<<20) == 0 {
		return fmt.Sprintf("is larger than the limit of %d MB", e.Limit>>20)
	}
	return fmt.Sprintf("is larger than the limit of %d bytes", e.Limit)
}

// ReadFile is os.ReadFile for a regular file of at most limit bytes. It never waits for another process, as reading
// from a FIFO would, and errors are of type *fs.PathError.
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
	// It may grow, so the limit counts once more.
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

// Open opens a file that this program has written, and nothing else that may stand in its place: no link, no pipe, no
// device. It never waits for another process.
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

// ReadOwn is os.ReadFile for such a file.
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
	if err == io.EOF || err == io.ErrUnexpectedEOF { // it has become shorter
		err = nil
	}
	return data[:n], err
}

// Source is ReadFile with the limit of C files.
func Source(path string) ([]byte, error) { return ReadFile(path, MaxSource) }
