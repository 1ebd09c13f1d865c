package clang

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// manifest has the inputs of a compiled unit.
type manifest struct {
	inputs []cacheInput
	// A header `rel` that an input included from one of folders is searched in the other folders, too, and so are
	// names, which inputs include. present are the paths with a file that was not taken; at all other paths no file may
	// appear.
	folders []string
	names   []string
	present []string
	// looked are the folders that were searched, with their states (folderState): while the states are the same, no
	// file has appeared. If it is empty, the folders have to be searched.
	looked []folderLook
	// macros are the flags about macros that occur; unasked are macros that do not (macros.go).
	macros, unasked []string
	library         []string // compiled.library
	notes           []found.Assumption
	text            [32]byte // hash of the assembly
}

type cacheInput struct{ path, hash string }

type folderLook struct{ path, state string }

// encodeManifests writes manifests as lines, each with a letter and a value; the hash of the text ends a manifest. A
// unit reads a hundred files, and parsing JSON would cost more than comparing the files.
func encodeManifests(list []manifest) ([]byte, error) {
	var out bytes.Buffer
	for i := range list {
		m := &list[i]
		for _, in := range m.inputs {
			fmt.Fprintf(&out, "i%s %s\n", in.hash, in.path)
		}
		for _, f := range m.folders {
			fmt.Fprintf(&out, "f%s\n", f)
		}
		for _, n := range m.names {
			fmt.Fprintf(&out, "h%s\n", n)
		}
		for _, f := range m.present {
			fmt.Fprintf(&out, "p%s\n", f)
		}
		for _, l := range m.looked {
			fmt.Fprintf(&out, "l%s %s\n", l.state, l.path)
		}
		for _, f := range m.macros {
			fmt.Fprintf(&out, "d%s\n", f)
		}
		for _, name := range m.unasked {
			fmt.Fprintf(&out, "o%s\n", name)
		}
		for _, f := range m.library {
			fmt.Fprintf(&out, "b%s\n", f)
		}
		for _, n := range m.notes {
			note, err := json.Marshal(n)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&out, "n%s\n", note)
		}
		fmt.Fprintf(&out, "t%x\n", m.text)
	}
	return out.Bytes(), nil
}

// fits reports whether every name can be written on one line.
func (m *manifest) fits() bool {
	bad := func(name string) bool { return strings.Contains(name, "\n") }
	return !slices.ContainsFunc(m.inputs, func(in cacheInput) bool { return bad(in.path) }) &&
		!slices.ContainsFunc(slices.Concat(m.folders, m.names, m.present, m.macros), bad) &&
		!slices.ContainsFunc(m.looked, func(l folderLook) bool { return bad(l.path) })
}

// manifests reads encoded manifests.
func manifests(data string) iter.Seq[manifest] {
	return func(yield func(manifest) bool) {
		for unread := data; unread != ""; {
			m, rest, ok := nextManifest(unread)
			if !ok || !yield(m) {
				return
			}
			unread = rest
		}
	}
}

// nextManifest reads one manifest and returns the rest of the data.
func nextManifest(data string) (m manifest, rest string, ok bool) {
	for data != "" {
		line, after, complete := strings.Cut(data, "\n")
		if !complete || line == "" {
			return m, "", false
		}
		data = after
		switch item := line[1:]; line[0] {
		case 'i':
			hash, path, found := strings.Cut(item, " ")
			if !found {
				return m, "", false
			}
			m.inputs = append(m.inputs, cacheInput{path, hash})
		case 'f':
			m.folders = append(m.folders, item)
		case 'h':
			m.names = append(m.names, item)
		case 'p':
			m.present = append(m.present, item)
		case 'l':
			state, path, found := strings.Cut(item, " ")
			if !found {
				return m, "", false
			}
			m.looked = append(m.looked, folderLook{path, state})
		case 'd':
			m.macros = append(m.macros, item)
		case 'o':
			m.unasked = append(m.unasked, item)
		case 'b':
			m.library = append(m.library, item)
		case 'n':
			var n found.Assumption
			if json.Unmarshal([]byte(item), &n) != nil {
				return m, "", false
			}
			m.notes = append(m.notes, n)
		case 't':
			sum, err := hex.DecodeString(item)
			copy(m.text[:], sum)
			return m, data, err == nil && len(sum) == len(m.text)
		default:
			return m, "", false
		}
	}
	return m, "", false
}

// nothingAppeared reports whether the folders are unchanged. It is false with an overlay, whose files have no folders.
func (k *unitCache) nothingAppeared(m *manifest) bool {
	if len(m.looked) == 0 || len(k.c.overlay.texts) > 0 {
		return false
	}
	return !slices.ContainsFunc(m.looked, func(l folderLook) bool { return k.c.glance.folder(l.path) != l.state })
}
