package wrap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// realSuffix is the suffix of the link to the compiler that a link in a folder path-N stands for.
const realSuffix = ".real"

// Exit statuses of a shell for a program that cannot be executed, and for one that is missing.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// Intercept records the call and becomes the real compiler if this process was started through a link of a session.
// Otherwise it returns. It comes first in a main function.
func Intercept() {
	name := filepath.Base(os.Args[0])
	if !isTool(name) {
		return
	}
	link := startedThrough(os.Args[0])
	if link == "" {
		return
	}
	self, err := os.Stat(link)
	if err != nil {
		return
	}
	session := filepath.Dir(filepath.Dir(link))
	path := without(session, filepath.SplitList(os.Getenv("PATH")))
	program, err := os.Readlink(link + realSuffix)
	if err != nil {
		program = lookUp(name, path, func(file string) bool {
			info, err := os.Stat(file)
			if err != nil || !os.SameFile(info, self) {
				return err == nil
			}
			outer := through(file) // of a session around this one
			return outer != "" && filepath.Dir(filepath.Dir(outer)) != session
		})
	}
	if program == "" {
		fmt.Fprintf(os.Stderr, "%s: not found\n", name)
		os.Exit(exitNotFound)
	}
	words := slices.Clone(os.Args)
	if strings.Contains(words[0], "/") {
		if words[0] = outermost(program); through(words[0]) != "" {
			words[0] = name
		}
	}
	if !slices.Contains(configurers, name) {
		note(session, words)
	}
	// gcc looks for its own folder by its name in PATH, and a link of the build to this program may come first there.
	if first := lookUp(name, path, func(string) bool { return true }); words[0] != os.Args[0] || first != program {
		words[0] = program
	}
	err = syscall.Exec(program, words, setPath(os.Environ(), path))
	fmt.Fprintf(os.Stderr, "%s: %v\n", program, err)
	os.Exit(exitNotExecutable)
}

// note appends a call to the journal. An error does not fail the build.
func note(session string, words []string) {
	dir, err := os.Getwd()
	if err == nil {
		record := Parse(dir, words)
		err = record.appendTo(session)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "unitproof wrap: a call of %s is not recorded: %v\n", words[0], err)
	}
}

// startedThrough returns the link of a session that a process with a first argument was started through; "" for none.
func startedThrough(arg string) string {
	if strings.Contains(arg, "/") {
		return through(arg)
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if link := through(filepath.Join(dir, arg)); link != "" {
			return link
		}
	}
	return ""
}

// through follows links from a path up to one that is in a session: a build may link to the compiler that it found.
func through(path string) string {
	const longest = 40 // as in Linux
	for range longest {
		target, err := os.Readlink(path)
		if err != nil {
			return ""
		}
		if dir, err := filepath.Abs(filepath.Dir(path)); err == nil && exists(filepath.Join(dir, "..", journalName)) {
			return filepath.Join(dir, filepath.Base(path))
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return ""
}

// outermost returns the compiler that a link of a folder path-N stands for, in the outermost session.
func outermost(program string) string {
	for {
		target, err := os.Readlink(program + realSuffix)
		if err != nil {
			return program
		}
		program = target
	}
}

// without returns the folders of PATH that are not in a session.
func without(session string, path []string) []string {
	return slices.DeleteFunc(path, func(dir string) bool {
		return filepath.Dir(filepath.Clean(dir)) == session
	})
}

// lookUp returns the first program with a name in a list of folders that is acceptable; "" for none.
func lookUp(name string, path []string, acceptable func(file string) bool) string {
	for _, dir := range path {
		file := filepath.Join(dir, name)
		if dir == "" {
			file = "./" + name
		}
		if isProgram(file) && acceptable(file) {
			return file
		}
	}
	return ""
}

// setPath returns an environment with another PATH.
func setPath(env, path []string) []string {
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	return append(env, "PATH="+strings.Join(path, string(filepath.ListSeparator)))
}
