package clang

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folderOptions add a folder to the search for headers. Longer ones come before those that they begin with.
var folderOptions = []string{"-isystem-after", "-isystem", "-iquote", "-idirafter", "-I"}

// includeDirs are the folders that flags of cflags.Filter add to the search for headers, as written.
func includeDirs(flags []string) []string {
	var dirs []string
	for _, f := range flags {
		for _, option := range folderOptions {
			if rest, ok := strings.CutPrefix(f, option); ok {
				dirs = append(dirs, strings.TrimPrefix(rest, "="))
				break
			}
		}
	}
	return dirs
}

// searchVariables of the environment list folders that clang searches for the headers of C.
var searchVariables = []string{"CPATH", "C_INCLUDE_PATH"}

// searched are the folders in which clang looks for headers before the one of the system, absolute: those of the flags,
// of the environment, and the one for what was installed by hand.
func searched(flags []string, dir string) []string {
	list := includeDirs(flags)
	for _, name := range searchVariables {
		if value := os.Getenv(name); value != "" {
			for _, d := range filepath.SplitList(value) {
				if d == "" { // as clang has it
					d = "."
				}
				list = append(list, d)
			}
		}
	}
	for i, d := range list {
		list[i] = absolute(d, dir)
	}
	list = append(list, systemRoots(flags, dir)...)
	slices.Sort(list)
	return slices.Compact(list)
}

// systemRoots are the folders of what was installed by hand, below the root of the system that the flags name.
func systemRoots(flags []string, dir string) []string {
	const folder = "/usr/local/include"
	list := []string{folder}
	for i, f := range flags {
		for _, option := range []string{"--sysroot", "-isysroot"} {
			if root, ok := strings.CutPrefix(f, option); ok {
				if root == "" && i+1 < len(flags) {
					root = flags[i+1]
				}
				list = append(list, absolute(strings.TrimPrefix(root, "="), dir)+folder)
			}
		}
	}
	if root := os.Getenv("SDKROOT"); filepath.IsAbs(root) {
		list = append(list, root+folder)
	}
	return list
}

// SearchVariables are those of the environment that say where headers are.
func SearchVariables() []string { return append([]string{"SDKROOT"}, searchVariables...) }

// SearchKnown tells whether it is known where clang looks for files with a user's flags, so that what a compilation
// rests on is known beyond the run.
func SearchKnown(flags []string) bool { return !hidesSearch(flags) }

// hidesSearch tells whether flags make clang look for files in ways that searched does not know.
func hidesSearch(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool {
		for _, option := range []string{"-ivfsoverlay", "-iprefix", "-iwithprefix", "-iwithsysroot", "-working-directory",
			"-iframework",
			"-F"} {
			if strings.HasPrefix(f, option) && (option != "-F" || !strings.HasPrefix(f, "-Fo")) {
				return true
			}
		}
		return strings.Contains(f, "__has_include") // a macro that asks for files
	})
}
