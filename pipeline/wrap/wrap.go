// Package wrap records the compile commands of a build, for compile_commands.json. The build runs with a folder in
// front of its PATH that has a link to this program for each compiler:
//
//	wrap-RANDOM/              a session, in the folder of temporary files
//	    unitproof-journal     a line of JSON for each call of a compiler
//	    bin/gcc, bin/cc ...   links to this program, by the names of the compilers in PATH
//	    path-1/gcc            the same for a compiler that a variable names by its path: CC=/opt/gcc/bin/gcc
//	    path-1/gcc.real       a link to that compiler
//
// A process that was started through such a link appends a line to the journal, and becomes the real compiler
// (Intercept). It removes the session from PATH before, so the compiler has the environment of a build without
// recording, and programs that it starts are not recorded again: gcc below ccache.
//
// Reading order: wrap.go (sessions), tools.go (names of compilers), intercept.go (a process in place of a compiler),
// command.go (its command line), database.go (compile_commands.json).
package wrap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/scratch"
)

// journalName is the name of the file that makes a folder a session.
const journalName = "unitproof-journal"

// Session is a recording of one build.
type Session struct {
	dir, self string
	known     map[string]string // path of a compiler -> its link in a folder path-N
}

// Open creates a session with links to the program self for all compilers in PATH.
func Open(self string) (*Session, error) {
	dir, err := scratch.Mkdir("wrap-*")
	if err != nil {
		return nil, err
	}
	s := &Session{dir: dir, self: self, known: map[string]string{}}
	if err := os.WriteFile(filepath.Join(dir, journalName), nil, 0o600); err != nil {
		return nil, err
	}
	if err := os.Mkdir(s.bin(), 0o700); err != nil {
		return nil, err
	}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // PATH may have folders that do not exist
		}
		for _, e := range entries {
			link := filepath.Join(s.bin(), e.Name())
			if !isTool(e.Name()) || !isProgram(filepath.Join(folder, e.Name())) || exists(link) {
				continue
			}
			if err := os.Symlink(self, link); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// Close deletes the session. A compiler that is still running is not affected.
func (s *Session) Close() { os.RemoveAll(s.dir) }

func (s *Session) bin() string { return filepath.Join(s.dir, "bin") }

// Command returns the words and the environment that run a build command within the session. Compilers that the command
// or a variable such as CC names by an absolute path are replaced by links.
func (s *Session) Command(words, env []string) (outWords, outEnv []string, err error) {
	outWords, outEnv = slices.Clone(words), slices.Clone(env)
	if outWords[0], err = s.replaced(words[0]); err != nil {
		return nil, nil, err
	}
	for _, list := range [][]string{outWords[1:], outEnv} {
		for i, w := range list {
			name, value, ok := strings.Cut(w, "=")
			if !ok || !namesCompiler(name) {
				continue
			}
			if value, err = s.replaced(value); err != nil {
				return nil, nil, err
			}
			list[i] = name + "=" + value
		}
	}
	outEnv = slices.DeleteFunc(outEnv, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	path := s.bin()
	if before := os.Getenv("PATH"); before != "" {
		path += string(filepath.ListSeparator) + before
	}
	return outWords, append(outEnv, "PATH="+path), nil
}

// Program returns the path of a build command in the session's PATH.
func (s *Session) Program(name string) string {
	if link := filepath.Join(s.bin(), name); !strings.Contains(name, "/") && exists(link) {
		return link
	}
	return name
}

// replaced replaces the first word of a command by a link if it is the absolute path of a compiler.
func (s *Session) replaced(command string) (string, error) {
	path, rest, _ := strings.Cut(command, " ")
	if !filepath.IsAbs(path) || !isTool(filepath.Base(path)) || !isProgram(path) {
		return command, nil
	}
	link, known := s.known[path]
	if !known {
		dir := filepath.Join(s.dir, "path-"+strconv.Itoa(len(s.known)+1))
		link = filepath.Join(dir, filepath.Base(path))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", err
		}
		if err := os.Symlink(path, link+realSuffix); err != nil {
			return "", err
		}
		if err := os.Symlink(s.self, link); err != nil {
			return "", err
		}
		s.known[path] = link
	}
	return strings.TrimSuffix(link+" "+rest, " "), nil
}

// Record is the line of the journal for one call of a compiler.
type Record struct {
	Entries []Entry `json:"entries"`           // empty if the call compiled no C file
	Problem string  `json:"problem,omitempty"` // the reason if the call could not be recorded exactly
}

// Records returns the calls of compilers so far, in the order of their starts.
func (s *Session) Records() ([]Record, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, journalName))
	if err != nil {
		return nil, err
	}
	var records []Record
	for line := range bytes.Lines(data) {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("the journal of the build: %w", err) // a full disk cut a line
		}
		records = append(records, r)
	}
	return records, nil
}

// appendTo appends a record to the journal of a session, with a single write: lines of parallel calls do not mix.
func (r *Record) appendTo(session string) error {
	f, err := os.OpenFile(filepath.Join(session, journalName), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(plainJSON(r), '\n'))
	return err
}

// plainJSON encodes a value without escapes for HTML: < in a macro stays <.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // the types of this package consist of strings
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isProgram reports whether a path is a file that can be executed.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
