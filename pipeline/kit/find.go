package kit

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// The files by which kits are known.
const (
	commonMakefile = "Makefile.common"
	commonJSON     = "MakefileCommon.json"
	proofJSON      = "Makefile.json"
	configsJSON    = "Configurations.json"
)

// maxFolders is how many folders are looked at below one.
const maxFolders = 50_000

// maxFile is how large a file of a kit may be, in bytes.
const maxFile = 1 << 20

// place is where a proof is described.
type place struct {
	dir    string // absolute
	kit    string // the folder of the kit's common files
	json   string // the file that describes it; "": a Makefile
	config string // its name in a Configurations.json, which describes several
}

// Has tells whether a kit lies in a folder or below. Nothing is executed.
func Has(dir string) bool {
	found := false
	walk(dir, func(d string, names map[string]bool) bool {
		found = found || isKit(d, names)
		return !found
	})
	return found
}

// isKit tells whether a folder holds what the proofs below it share. Any project may have a Makefile.common.
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

// walk visits dir and the folders below it, in the order of their names, until visit says no. Hidden folders, links,
// and work trees of other repositories (submodules) are left out: a kit in one of these is another project's.
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

// places are the folders below dir that may describe a proof. What make says of a Makefile's variables tells in the
// end whether it does.
func places(dir string) (list []place, err error) {
	var kits []string // those that the present folder lies in
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
			list = append(list, place{dir: d, kit: kit, json: filepath.Join(d, proofJSON)})
		case names[configsJSON]:
			var some []place
			if some, err = configurations(d, kit); err != nil {
				return false
			}
			list = append(list, some...)
		case names["Makefile"] && !names[proofJSON] && !described(filepath.Dir(d)) && includesCommon(d):
			list = append(list, place{dir: d, kit: kit})
		}
		return true
	})
	return list, err
}

// described tells whether the proofs of a folder stand in a Configurations.json, of which FreeRTOS's scripts make
// folders.
func described(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, configsJSON))
	return err == nil
}

// includesCommon tells whether a Makefile reads the kit's, or another file of the folder above, which may.
func includesCommon(dir string) bool {
	text, err := regular.ReadFile(filepath.Join(dir, "Makefile"), maxFile)
	return err == nil && bytes.Contains(text, []byte("include")) &&
		(bytes.Contains(text, []byte(commonMakefile)) || bytes.Contains(text, []byte("../Makefile")))
}

// within tells whether path is dir or lies below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
