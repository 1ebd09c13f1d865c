package project

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// View is how a Workspace sees files. The zero View is the disk.
type View struct {
	// ReadFile gives the texts of C files and configurations: an editor's unsaved buffers, else what
	// is on disk. Folders are always listed from the disk.
	ReadFile func(path string) ([]byte, error)
	// Stamp gives something comparable that differs whenever ReadFile may give another text; nil:
	// it is not known, and nothing is remembered.
	Stamp func(path string) any
	// Extra are C files that are not on disk and that ReadFile knows, absolute.
	Extra []string
	// Open are files that are no C and that an editor shows, absolute: their proofs are listed as if somebody had named
	// them.
	Open []string
	// Memory is shared by the Workspaces that are opened one after the other to see changes.
	Memory *Memory
}

// ReadFile reads a C file or a configuration from the disk, a regular file within its limit.
func ReadFile(path string) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(path), ".toml") {
		return regular.ReadFile(path, regular.MaxConfig)
	}
	return regular.Source(path)
}

// Memory keeps what the texts of files say from one Workspace to the next, so that opening one
// again costs little. It is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	answers map[question]remembered
	trees   map[string]*tree // by folder

	programs map[string]content // by path
}

// content is that of a file as it was when its stamp was taken.
type content struct {
	stamp any
	sum   string // of SHA-256 the first half, in hexadecimal digits; "": it cannot be read
}

// content names what a program consists of.
func (m *Memory) content(path string) string {
	stamp := stampOnDisk(path)
	m.mu.Lock()
	known, ok := m.programs[path]
	m.mu.Unlock()
	if ok && stamp != nil && known.stamp == stamp {
		return known.sum
	}
	now := content{stamp: stamp}
	if text, err := regular.ReadFile(path, regular.MaxDatabase); err == nil {
		sum := sha256.Sum256(text)
		now.sum = hex.EncodeToString(sum[:16])
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.programs == nil {
		m.programs = map[string]content{}
	}
	m.programs[path] = now
	return now.sum
}

// NewMemory returns one that knows nothing.
func NewMemory() *Memory {
	return &Memory{answers: map[question]remembered{}, trees: map[string]*tree{}}
}

// ForgetFolders has folders listed anew: a file may have appeared or gone.
func (m *Memory) ForgetFolders() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.trees)
}

// Lists tells whether a file was seen when folders were listed.
func (m *Memory) Lists(file string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.trees {
		if sortedHas(t.files, file) {
			return true
		}
	}
	return false
}

// Covers tells whether a path is, is in, or is above a folder that was listed.
func (m *Memory) Covers(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for dir := range m.trees {
		if paths.Within(dir, path) || paths.Within(path, dir) {
			return true
		}
	}
	return len(m.trees) == 0
}

type question struct{ path, what string }

type remembered struct{ stamp, answer any }

type diskStamp struct {
	size     int64
	modified time.Time
}

func stampOnDisk(path string) any {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return diskStamp{info.Size(), info.ModTime()}
}

// ask gives what f says of a file's text, from memory while the file is the same. f must depend on
// nothing else.
func ask[T any](w *Workspace, path, what string, f func(text []byte) T) (T, error) {
	stamp := w.view.Stamp(path)
	q := question{path, what}
	m := w.view.Memory
	if stamp != nil {
		m.mu.Lock()
		known, ok := m.answers[q]
		m.mu.Unlock()
		if ok && known.stamp == stamp {
			return known.answer.(T), nil
		}
	}
	text, err := w.ReadFile(path)
	if err != nil {
		var none T
		return none, err
	}
	answer := f(text)
	if stamp != nil {
		m.mu.Lock()
		m.answers[q] = remembered{stamp, answer}
		m.mu.Unlock()
	}
	return answer, nil
}

// walked lists the files below a folder, once.
func (w *Workspace) walked(dir string) *tree {
	m := w.view.Memory
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.trees[dir]
	if t == nil {
		t = walk(dir)
		m.trees[dir] = t
	}
	return t
}
