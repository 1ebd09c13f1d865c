package pipeline

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// History has the verdicts of earlier runs for the proofs of a root, in a file beside the cache. It decides no verdict:
// a missing or damaged file, or one of another format, is an empty history.
type History struct {
	path     string // "": nothing is kept
	readOnly bool
	states   diagnostics.History
}

// historyFolder has a file for each root; it is in the folder of the cache.
const historyFolder = "history"

// OpenHistory reads the history of a root.
func OpenHistory(s Settings) *History {
	h := &History{readOnly: s.CacheReadOnly, states: diagnostics.History{}}
	if s.CacheDir == "" {
		return h
	}
	if cache.Refusal(s.CacheDir) != nil {
		return h
	}
	key := cache.NewHash("history 1").String(filepath.Clean(string(s.Root))).Key()
	h.path = filepath.Join(s.CacheDir, historyFolder, hex.EncodeToString(key[:]))
	var states diagnostics.History
	if data, err := regular.ReadOwn(h.path); err == nil && unpack(data, &states, defaultMemory) == nil && states != nil {
		h.states = states
	}
	return h
}

// Add adds a run's proofs and returns the changes since the last run of each; see diagnostics.History.
func (h *History) Add(run *diagnostics.Baseline) []diagnostics.Change { return h.states.Add(run) }

// Score adds a score, and returns the previous one; see diagnostics.History.
func (h *History) Score(proof string, score float64) (before float64, known bool) {
	return h.states.Score(proof, score)
}

// Save writes the history. Of two runs at the same time the later write wins.
func (h *History) Save() error {
	if h.path == "" || h.readOnly {
		return nil
	}
	data, err := pack(h.states)
	if err != nil {
		return err
	}
	return cache.EnsureFile(h.path, data)
}

// cleanHistory removes the histories of all roots.
func cleanHistory(dir string) error {
	files, err := os.ReadDir(filepath.Join(dir, historyFolder))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		err = errors.Join(err, os.Remove(filepath.Join(dir, historyFolder, f.Name())))
	}
	return errors.Join(err, os.Remove(filepath.Join(dir, historyFolder)))
}
