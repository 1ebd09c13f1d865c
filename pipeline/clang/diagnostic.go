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

// Diagnostic is one message of clang or of linking. Line and Column count from 1 and are 0 for a message without a
// position; File is absolute, or "" if unknown.
type Diagnostic struct {
	File         string
	Line, Column int
	Severity     string // "error", "warning" or "note"
	Message      string
	Lacks        found.Lack // the thing that was not found, if that is the error
}

// CompileError is the error for files of a proof that cannot be compiled or linked.
type CompileError struct {
	Stage       string // "compile", "link" or "entry"
	Diagnostics []Diagnostic
	Output      string // output of the program, for users

	// Files are the files that were read or searched for until the error: if one of them changes or appears, a new
	// attempt may succeed. Absent and Present are as in Module.
	Files, Absent, Present []string
}

// Error returns the first error with its position and the number of further errors.
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

// parseDiagnostics parses clang's messages. Messages without a position belong to the compiled file.
func parseDiagnostics(output, file, dir string) []Diagnostic {
	var list []Diagnostic
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := placed.FindStringSubmatch(line); m != nil {
			l, _ := strconv.Atoi(m[2]) // digits; a number that is too large is no position
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

// explained returns a message of clang, with the remedy if gcc accepts code that clang refuses.
func explained(message string) string {
	if message == "function definition is not allowed here" {
		return message + ": clang has no nested functions, as gcc has; move it out of the function that it stands in"
	}
	return message
}

// lacking returns the name that was not found according to a message of clang.
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

// absolute returns the absolute path of a file that is named relative to a folder ("": the folder of the process). As
// for clang, a ".." behind a symbolic link leaves the folder that the link points to.
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

// throughLinks removes ".." from an absolute path. Links to folders that a ".." leaves are resolved; other folders keep
// their names.
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
