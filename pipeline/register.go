package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline/project"
)

// registering serializes the changes of unitproof.toml by the generators of this process.
var registering sync.Mutex

// needsEntry reports whether nothing but unitproof.toml can say which files and flags belong to the proof.
func (t *trial) needsEntry(p *project.Proof) bool {
	return len(t.g.added) > 0 || !t.request.Include && len(t.g.pinned) > 0 || len(p.SourceCandidates) == 0 &&
		(!t.request.Include && len(p.Sources) == 0 || t.hasFlags())
}

// ambiguous reports whether several files that may be linked define the function: an amalgamation beside its parts, two
// programs of one project. The entry names the file that was asked for.
func (t *trial) ambiguous(w *project.Workspace, p *project.Proof) bool {
	name := t.request.Function
	return !t.request.Include && len(p.Sources) == 0 && len(w.Definitions(p, []string{name})[name]) > 1
}

func (t *trial) hasFlags() bool {
	f := &t.g.Flags
	return len(f.Includes)+len(f.Defines)+len(f.CFlags)+len(f.Sources) > 0
}

func (t *trial) config() string {
	if t.source.Config != "" {
		return t.source.Config
	}
	return filepath.Join(string(t.root), "unitproof.toml")
}

// register adds the proof to unitproof.toml, with the files and flags that no other configuration has.
func (t *trial) register() error {
	registering.Lock()
	defer registering.Unlock()
	path := t.config()
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = nil
	case err != nil:
		return err
	}
	t.before = text
	t.registered = true
	return os.WriteFile(path, t.entered(path, text), 0o666)
}

// entered returns the text of a unitproof.toml with the proof entered behind what is there.
func (t *trial) entered(path string, text []byte) []byte {
	relative := func(name string) string {
		if !filepath.IsAbs(name) {
			name = filepath.Join(t.g.Base, name)
		}
		if rel, err := filepath.Rel(filepath.Dir(path), name); err == nil {
			return strconv.Quote(filepath.ToSlash(rel))
		}
		return strconv.Quote(name)
	}
	var sources, flags []string
	if !t.request.Include {
		sources = append(sources, relative(t.request.File))
		for _, s := range t.g.pinned {
			if s := relative(s); !slices.Contains(sources, s) {
				sources = append(sources, s)
			}
		}
	}
	for _, s := range t.g.Flags.Sources {
		if s := relative(s); !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	for _, d := range t.g.Flags.Includes {
		flags = append(flags, `"-I`+relative(d)[1:])
	}
	for _, d := range t.g.Flags.Defines {
		flags = append(flags, strconv.Quote("-D"+d))
	}
	for _, d := range t.g.Flags.CFlags {
		flags = append(flags, strconv.Quote(d))
	}
	text, own := withoutEntry(text, relative(t.path))
	if own {
		return text
	}
	var b strings.Builder
	b.Write(text)
	if len(text) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "[[proof]]\nfile = %s\n", relative(t.path))
	if len(sources) > 0 {
		fmt.Fprintf(&b, "sources = [%s]\n", strings.Join(sources, ", "))
	}
	if len(flags) > 0 {
		fmt.Fprintf(&b, "flags = [%s]\n", strings.Join(flags, ", "))
	}
	if t.unwritten {
		b.WriteString("checks = { uninitialized-read = true }\n")
	}
	return []byte(b.String())
}

// withoutEntry returns a unitproof.toml without the [[proof]] that an earlier run of new entered for a file. own
// reports whether the user has changed it: then the text is as before.
func withoutEntry(text []byte, file string) (out []byte, own bool) {
	lines := strings.SplitAfter(string(text), "\n")
	for from := 0; from < len(lines); from++ {
		if strings.TrimSpace(lines[from]) != "[[proof]]" {
			continue
		}
		to, of := from+1, false
		for ; to < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[to]), "["); to++ {
			line := strings.TrimSpace(lines[to])
			key, value, _ := strings.Cut(line, "=")
			switch strings.TrimSpace(key) {
			case "file":
				of = of || strings.TrimSpace(value) == file
			case "", "sources", "flags":
			case "checks":
				own = own || strings.TrimSpace(value) != "{ uninitialized-read = true }"
			default:
				own = true
			}
		}
		if of && !own {
			left := strings.TrimSpace(strings.Join(slices.Delete(lines, from, to), ""))
			if left == "" {
				return nil, false
			}
			return []byte(left + "\n"), false
		}
		if of {
			return text, true
		}
		own, from = false, to-1
	}
	return text, false
}

// unregister undoes register.
func (t *trial) unregister() {
	if !t.registered {
		return
	}
	registering.Lock()
	defer registering.Unlock()
	t.registered = false
	if t.before == nil {
		os.Remove(t.config())
		return
	}
	_ = os.WriteFile(t.config(), t.before, 0o666)
}
