package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/term"
)

// CheckOutputs reports output files that cannot be written, before a run: the folder does not exist, or the name is a
// folder. "" and "-" are no files.
func CheckOutputs(names ...string) error {
	for _, name := range names {
		if name == "" || name == "-" {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return fmt.Errorf("cannot write %s: it is a folder", name)
		}
		if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
			return fmt.Errorf("cannot write %s: there is no folder %s", name, filepath.Dir(name))
		}
	}
	return nil
}

// KeepsInputs returns an error if an output would overwrite an input: the files of the proofs and their
// configurations.
func (l *Listed) KeepsInputs(names ...string) error {
	inputs := []string{}
	for i := range l.Proofs {
		p := &l.Proofs[i]
		inputs = append(inputs, p.File, p.Config)
		for _, u := range slices.Concat(p.Sources, p.Overrides) {
			inputs = append(inputs, u.File)
		}
	}
	for _, name := range names {
		out, err := os.Stat(name)
		if name == "" || name == "-" || err != nil {
			continue
		}
		for _, path := range inputs {
			if in, err := os.Stat(path); err == nil && os.SameFile(in, out) {
				return fmt.Errorf("%s would be overwritten, but it is an input of the proofs", name)
			}
		}
	}
	return nil
}

// WriteOutput writes an output to standard output for "-", else to a file. The file is replaced atomically.
func WriteOutput(std Streams, name string, write func(io.Writer) error) error {
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if name == "-" {
		if _, err := std.Out.Write(buf.Bytes()); err != nil {
			return fmt.Errorf("write to standard output: %w", err)
		}
		return nil
	}
	// A device or a pipe cannot be replaced, only written.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		if err := os.WriteFile(name, buf.Bytes(), 0o644); err != nil {
			return err
		}
		return nil
	}
	return replaceFile(name, buf.Bytes())
}

// Beside returns the stream for text beside an output: standard error if the output is standard output.
func (s Streams) Beside(output string) io.Writer {
	if output == "-" {
		return s.Err
	}
	return s.Out
}

// WriteJSON writes a document as JSON to a file, as WriteOutput does; for "" it does nothing.
func WriteJSON(std Streams, name string, document any) error {
	if name == "" {
		return nil
	}
	return WriteOutput(std, name, func(w io.Writer) error { return EncodeJSON(w, document) })
}

// EncodeJSON writes a document as indented JSON.
func EncodeJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// replaceFile writes a temporary file in the same folder, and renames it.
func replaceFile(name string, data []byte) (err error) {
	if target, e := filepath.EvalSymlinks(name); e == nil {
		name = target // a link stays a link
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = fmt.Errorf("write %s: %w", name, err)
		}
	}()
	mode := os.FileMode(0o644)
	if info, e := os.Stat(name); e == nil {
		mode = info.Mode().Perm()
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// WantsColor reports whether to use colours on w: it is a terminal that supports them, and the user has not disabled
// them (no-color.org).
func WantsColor(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Sticky keeps the first error of a writer, and then writes nothing more.
type Sticky struct {
	W   io.Writer
	Err error
}

func (s *Sticky) Write(b []byte) (int, error) {
	if s.Err == nil {
		_, s.Err = s.W.Write(b)
	}
	return len(b), nil
}

// TerminalWidth returns the width of the terminal w, 0 if w is none.
func TerminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}
