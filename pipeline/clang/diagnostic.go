package clang

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Diagnostic is one message of clang or of the linking. Line and Column count from 1 and are 0
// where the message has no place; File is absolute, or "" where none is known.
type Diagnostic struct {
	File         string
	Line, Column int
	Severity     string // "error", "warning" or "note"
	Message      string
	Lacks        found.Lack // what was not found, where that is the error
}

// CompileError says that the files of a proof did not become a program.
type CompileError struct {
	Stage       string // "compile", "link" or "entry"
	Diagnostics []Diagnostic
	Output      string // what the program printed, for people

	// Files are those that were read, or looked for in vain, until the error: when one of them
	// changes or appears, trying again makes sense. Absent and Present are as in Module.
	Files, Absent, Present []string
}

// Error is the first error with its place, and how many more there are.
func (e *CompileError) Error() string {
	errors := 0
	var first *Diagnostic
	for i := range e.Diagnostics {
		if d := &e.Diagnostics[i]; d.Severity == "error" {
			if errors++; first == nil {
				first = d
			}
		}
	}
	if first == nil {
		return fmt.Sprintf("%s: %s", e.Stage, strings.TrimSpace(e.Output))
	}
	more := ""
	if errors > 1 {
		more = fmt.Sprintf(" (and %d more)", errors-1)
	}
	switch {
	case first.File == "":
		return first.Message + more
	case first.Line == 0:
		return fmt.Sprintf("%s: %s%s", first.File, first.Message, more)
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", first.File, first.Line, first.Column, first.Message, more)
}

var (
	placed = lazyregexp.New(`^(.+?):(\d+):(\d+): (fatal error|error|warning|note|remark): (.*)$`)
	driver = lazyregexp.New(`^(?:[^ :]*: )?(fatal error|error|warning): (.*)$`)
)

// parseDiagnostics reads clang's messages. Those without a place belong to the file compiled.
func parseDiagnostics(output, file, dir string) []Diagnostic {
	var list []Diagnostic
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := placed.FindStringSubmatch(line); m != nil {
			l, _ := strconv.Atoi(m[2]) // digits; a number that is too large is no place
			c, _ := strconv.Atoi(m[3])
			list = append(list, Diagnostic{File: absolute(m[1], dir), Line: l, Column: c, Severity: severity(m[4]),
				Message: explained(m[5]), Lacks: lacking(m[5])})
		} else if m := driver.FindStringSubmatch(line); m != nil {
			list = append(list, Diagnostic{File: file, Severity: severity(m[1]), Message: m[2],
				Lacks: lacking(m[2])})
		}
	}
	return list
}

var (
	noHeader   = lazyregexp.New(`^'([^']+)' file not found$`)
	undeclared = lazyregexp.New(`(?:undeclared (?:function|identifier|library function)|unknown type name|` +
		`declaration of function|declaring library function) '([A-Za-z_][A-Za-z0-9_]*)`)
)

// explained is a message of clang's, with the remedy where gcc takes what clang refuses.
func explained(message string) string {
	if message == "function definition is not allowed here" {
		return message + ": clang has no nested functions, as gcc has; move it out of the function that it stands in"
	}
	return message
}

// lacking reads what a message of clang's says was not found.
func lacking(message string) found.Lack {
	if m := noHeader.FindStringSubmatch(message); m != nil {
		return found.Lack{What: found.LacksHeader, Name: m[1]}
	}
	if m := undeclared.FindStringSubmatch(message); m != nil {
		return found.Lack{What: found.LacksDeclaration, Name: m[1]}
	}
	return found.Lack{}
}

func severity(s string) string {
	switch s {
	case "fatal error":
		return "error"
	case "remark":
		return "note"
	}
	return s
}

// absolute is the path of a file that is named relative to a folder, "" being the process's own. A ".." behind a
// symbolic link leads out of the folder that the link points to, as it does for clang.
func absolute(path, dir string) string {
	if !filepath.IsAbs(path) && dir != "" {
		path = dir + "/" + path
	}
	if !filepath.IsAbs(path) {
		if wd, err := os.Getwd(); err == nil {
			path = wd + "/" + path
		}
	}
	if strings.Contains(path, "/..") {
		return throughLinks(path)
	}
	return filepath.Clean(path)
}

// throughLinks takes the ".." out of an absolute path. Folders that a ".." leaves are resolved, others keep their
// names.
func throughLinks(path string) string {
	clean := "/"
	for _, name := range strings.Split(path, "/") {
		switch name {
		case "", ".":
		case "..":
			if info, err := os.Lstat(clean); err == nil && info.Mode()&os.ModeSymlink != 0 {
				if real, err := filepath.EvalSymlinks(clean); err == nil {
					clean = real
				}
			}
			clean = filepath.Dir(clean)
		default:
			clean = filepath.Join(clean, name)
		}
	}
	return clean
}
