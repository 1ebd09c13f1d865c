package clang

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folderOptions add a folder to the search for headers. An option comes before its prefixes.
var folderOptions = []string{"-isystem-after", "-isystem", "-iquote", "-idirafter", "-I"}

// includeDirs returns the folders that flags of cflags.Filter add to the search for headers, as written.
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

// searchVariables are the environment variables with folders in which clang searches headers of C.
var searchVariables = []string{"CPATH", "C_INCLUDE_PATH"}

// searched returns the folders in which clang searches headers before the system's, as absolute paths: the folders of
// the flags, of the environment, and of locally installed software.
func searched(flags []string, dir string) []string {
	list := includeDirs(flags)
	for _, name := range searchVariables {
		if value := os.Getenv(name); value != "" {
			for _, d := range filepath.SplitList(value) {
				if d == "" { // as in clang
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

// systemRoots returns the folders of locally installed software, below the system roots in the flags.
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

// SearchVariables returns the environment variables that affect the search for headers.
func SearchVariables() []string { return append([]string{"SDKROOT"}, searchVariables...) }

// SearchKnown reports whether flags let the package determine all folders that clang searches, so that the dependencies
// of a result are known after the run.
func SearchKnown(flags []string) bool { return !hidesSearch(flags) }

// hidesSearch reports whether flags change clang's search for files in ways that searched does not model.
func hidesSearch(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool {
		for _, option := range []string{"-ivfsoverlay", "-iprefix", "-iwithprefix", "-iwithsysroot", "-working-directory",
			"-iframework",
			"-F"} {
			if strings.HasPrefix(f, option) && (option != "-F" || !strings.HasPrefix(f, "-Fo")) {
				return true
			}
		}
		return strings.Contains(f, "__has_include") // a macro that tests for files
	})
}
