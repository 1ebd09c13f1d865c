package project

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// View provides the files of a Workspace. The zero View is the disk.
type View struct {
	// ReadFile returns the texts of C files and configurations: an editor's unsaved buffers, otherwise the content on
	// disk. Folders are always listed from the disk.
	ReadFile func(path string) ([]byte, error)
	// Stamp returns a comparable value that changes whenever the result of ReadFile may change; nil: unknown, and
	// nothing is cached.
	Stamp func(path string) any
	// Extra are absolute paths of C files and configurations that are not on disk and that ReadFile can read.
	Extra []string
	// Open are absolute paths of files in other languages that an editor shows. Their proofs are listed as if the user
	// had named them.
	Open []string
	// Memory is shared by Workspaces that are opened one after the other to see changes.
	Memory *Memory
}

// holds reports whether a file is on disk or one of Extra.
func (v *View) holds(path string) bool { return exists(path) || slices.Contains(v.Extra, path) }

// configsBelow returns the folders below dir that have a configuration of their own: those of a walk, and of Extra.
func (v *View) configsBelow(dir string, walked []string) []string {
	var more []string
	for _, path := range v.Extra {
		if at := filepath.Dir(path); filepath.Base(path) == ConfigName && at != dir && paths.Within(dir, at) &&
			!slices.Contains(walked, at) {
			more = append(more, at)
		}
	}
	return slices.Concat(walked, more)
}

// ReadFile reads a C file or a configuration from the disk. It has to be a regular file within its size limit.
func ReadFile(path string) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(path), ".toml") {
		return regular.ReadFile(path, regular.MaxConfig)
	}
	return regular.Source(path)
}

// Memory caches results about the texts of files from one Workspace to the next, so that opening one again is cheap. It
// is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	answers map[question]remembered
	trees   map[string]*tree // by folder

	programs map[string]content // by path
}

// content is the hash of a file at the time of its stamp.
type content struct {
	stamp any
	sum   string // first half of the SHA-256 in hexadecimal; "": the file cannot be read
}

// content returns the hash of a program.
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

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{answers: map[question]remembered{}, trees: map[string]*tree{}}
}

// ForgetFolders drops the lists of folders, since files may have appeared or gone.
func (m *Memory) ForgetFolders() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.trees)
}

// Lists reports whether a file was found when folders were listed.
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

// Covers reports whether a path is, is in, or is above a folder that was listed.
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

// ask returns f of a file's text, from the cache while the file is unchanged. f must not depend on anything else.
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

// walked returns the files below a folder, which it lists once.
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
