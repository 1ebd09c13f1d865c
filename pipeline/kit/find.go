package kit

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// The files that identify kits and their proofs.
const (
	commonMakefile = "Makefile.common"
	commonJSON     = "MakefileCommon.json"
	proofJSON      = "Makefile.json"
	configsJSON    = "Configurations.json"
)

// maxFolders limits the number of folders below a folder that are searched.
const maxFolders = 50_000

// maxFile limits the size of a file of a kit, in bytes.
const maxFile = 1 << 20

// description is the location of a proof's description.
type description struct {
	dir    string // absolute
	kit    string // the folder of the kit's common files
	json   string // the file with the description; "": a Makefile
	config string // its name in a Configurations.json, which has several
}

// Has reports whether a kit is in a folder or below. It executes nothing.
func Has(dir string) bool {
	found := false
	walk(dir, func(d string, names map[string]bool) bool {
		found = found || isKit(d, names)
		return !found
	})
	return found
}

// isKit reports whether a folder has the common files of a kit. Any project may have a Makefile.common, so its content
// is checked.
func isKit(dir string, names map[string]bool) bool {
	if names[commonJSON] {
		return true
	}
	if !names[commonMakefile] {
		return false
	}
	text, err := regular.ReadFile(filepath.Join(dir, commonMakefile), maxFile)
	return err == nil && bytes.Contains(text, []byte("HARNESS_ENTRY")) && bytes.Contains(text, []byte("goto-cc"))
}

// walk visits dir and the folders below it, sorted by name, until visit returns false. It skips hidden folders, links,
// and work trees of other repositories (submodules): a kit in one of these belongs to another project.
func walk(dir string, visit func(dir string, names map[string]bool) bool) {
	folders := 0
	var in func(dir string) bool
	in = func(dir string) bool {
		entries, err := os.ReadDir(dir)
		if folders++; err != nil || folders > maxFolders {
			return folders <= maxFolders
		}
		names := map[string]bool{}
		for _, e := range entries {
			names[e.Name()] = true
		}
		if folders > 1 && names[".git"] {
			return true
		}
		if !visit(dir, names) {
			return false
		}
		for _, e := range entries {
			if e.Type()&fs.ModeType == fs.ModeDir && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" &&
				!in(filepath.Join(dir, e.Name())) {
				return false
			}
		}
		return true
	}
	in(dir)
}

// places returns the folders below dir that may describe a proof. Whether they do is decided later, by the values of
// the Makefile's variables.
func places(dir string) (list []description, err error) {
	var kits []string // the kits around the current folder
	walk(dir, func(d string, names map[string]bool) bool {
		for len(kits) > 0 && !within(kits[len(kits)-1], d) {
			kits = kits[:len(kits)-1]
		}
		if isKit(d, names) {
			kits = append(kits, d)
			return true // its own Makefile runs the others
		}
		if len(kits) == 0 {
			return true
		}
		kit := kits[len(kits)-1]
		switch {
		case names[proofJSON] && !(strings.HasPrefix(filepath.Base(d), "config_") && described(filepath.Dir(d))):
			list = append(list, description{dir: d, kit: kit, json: filepath.Join(d, proofJSON)})
		case names[configsJSON]:
			var configs []description
			if configs, err = configurations(d, kit); err != nil {
				return false
			}
			list = append(list, configs...)
		case names["Makefile"] && !names[proofJSON] && !described(filepath.Dir(d)) && includesCommon(d):
			list = append(list, description{dir: d, kit: kit})
		}
		return true
	})
	return list, err
}

// described reports whether the proofs of a folder are in a Configurations.json, from which FreeRTOS's scripts generate
// folders.
func described(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, configsJSON))
	return err == nil
}

// includesCommon reports whether a Makefile includes the kit's Makefile, or a file in its parent folder, which may do
// so.
func includesCommon(dir string) bool {
	text, err := regular.ReadFile(filepath.Join(dir, "Makefile"), maxFile)
	return err == nil && bytes.Contains(text, []byte("include")) &&
		(bytes.Contains(text, []byte(commonMakefile)) || bytes.Contains(text, []byte("../Makefile")))
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
