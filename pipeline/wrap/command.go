package wrap

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/unitproof/unitproof/pipeline/cflags"
)

// Entry is an entry of compile_commands.json.
type Entry struct {
	Directory string   `json:"directory"`
	Arguments []string `json:"arguments"`
	File      string   `json:"file"`
	Output    string   `json:"output,omitempty"`
}

// Parse returns the record of a command line that was started in a folder. It has an entry for each C file that the
// command compiles, with the command's words except the other C files. Response files are replaced by their content,
// since a build may delete them:
//
//	cc -DN=1 -c a.c b.c    cc -DN=1 -c a.c  and  cc -DN=1 -c b.c
func Parse(dir string, words []string) (r Record) {
	if words = compilerOf(words); words == nil {
		return r
	}
	flags, _, err := cflags.Expand(words[1:], dir)
	if err != nil {
		r.Problem = err.Error()
	}
	options, _ := cflags.Parse(flags)
	output, compiles := "", false
	for i := range options {
		switch o := &options[i]; o.Name() {
		case "-E", "--preprocess", "-M", "-MM", "--dependencies", "--user-dependencies", "-###", "-cc1":
			return Record{}
		case "-o", "--output", "--output=":
			output = o.Value
		case "-c", "--compile":
			compiles = true
		}
	}
	var sources []cflags.Input
	for _, in := range cflags.Inputs(flags) {
		if isC(in) {
			sources = append(sources, in)
		}
	}
	for _, source := range sources {
		e := Entry{Directory: dir, Arguments: words[:1:1], File: source.Name, Output: output}
		if output == "" && compiles {
			e.Output = strings.TrimSuffix(filepath.Base(source.Name), filepath.Ext(source.Name)) + ".o"
		}
		for i, w := range flags {
			if i == source.Index || !slices.ContainsFunc(sources, func(s cflags.Input) bool { return s.Index == i }) {
				e.Arguments = append(e.Arguments, w)
			}
		}
		if !e.isText() {
			r.Problem = "its words are not UTF-8"
			continue
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

// compilerOf returns the command of the compiler that a launcher starts (ccache gcc -c a.c), or the command itself. The
// result is nil if no compiler is started: ccache --show-stats.
func compilerOf(words []string) []string {
	if !slices.Contains(launchers, filepath.Base(words[0])) {
		return words
	}
	i := slices.IndexFunc(words[1:], func(w string) bool { return isCompiler(filepath.Base(w)) })
	if i < 0 {
		return nil
	}
	return words[1+i:]
}

// isC reports whether an input is a C file: by -x or by its suffix. Standard input has no file.
func isC(in cflags.Input) bool {
	if in.Name == "-" || strings.HasPrefix(in.Name, "@") {
		return false
	}
	return in.Language == "c" || in.Language == "" && filepath.Ext(in.Name) == ".c"
}

// isText reports whether JSON can represent all strings of an entry.
func (e *Entry) isText() bool {
	return utf8.ValidString(e.Directory) && !slices.ContainsFunc(e.Arguments, func(w string) bool {
		return !utf8.ValidString(w)
	})
}

// path returns the absolute path of a file of an entry.
func (e *Entry) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(e.Directory, name)
}
