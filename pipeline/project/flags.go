package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/cflags"
)

// flags reads compiler flags, including response files.
func (r *reader) flags(at keyPath, v any) []string {
	words, files, err := cflags.Expand(r.texts(at, v), r.config.Dir)
	r.config.responses = append(r.config.responses, files...)
	if err != nil {
		r.badValue(at, "%s", err)
	}
	return absoluteFlags(words, r.config.Dir)
}

// absoluteFlags makes the relative paths of include options absolute. Flags of a configuration are relative to its
// folder, but the compiler runs in the folder from compile_commands.json.
func absoluteFlags(flags []string, dir string) []string {
	if len(flags) == 0 {
		return nil
	}
	options, positional := cflags.Parse(flags)
	out := make([]string, 0, len(flags))
	for i := range options {
		o := &options[i]
		if o.IsPath() && o.Value != "" {
			out = append(out, o.With(absoluteArgument(o, dir))...)
		} else {
			out = append(out, o.Words...)
		}
	}
	return append(out, positional...)
}

// absoluteArgument makes the argument of an include option absolute. It leaves `-include stdio.h` unchanged, which
// clang searches, unless the file exists; `-I=dir` begins at the sysroot.
func absoluteArgument(o *cflags.Option, dir string) string {
	arg := o.Value
	if arg == "-" || arg[0] == '=' || filepath.IsAbs(arg) {
		return arg
	}
	path := absolute(dir, arg)
	if o.Searched() {
		if _, err := os.Stat(path); err != nil {
			return arg
		}
	}
	return path
}

// removeFlags removes the flags in remove-flags, like clangd's Remove: the name of an option removes it with any
// argument ("-I"), "-W*" removes every option with that prefix, and everything else removes equal flags.
func removeFlags(flags, remove []string) []string {
	if len(remove) == 0 {
		return flags
	}
	options, positional := cflags.Parse(flags)
	var out []string
next:
	for _, o := range options {
		joined := strings.Join(o.Words, "")
		spaced := strings.Join(o.Words, " ")
		for _, r := range remove {
			if prefix, glob := strings.CutSuffix(r, "*"); glob && (strings.HasPrefix(joined, prefix) ||
				strings.HasPrefix(spaced, prefix)) {
				continue next
			}
			if r == joined || r == spaced || r == o.Words[0] {
				continue next
			}
			if len(r) == 2 && r == o.Name() && cflags.TakesValue(r) {
				continue next
			}
		}
		out = append(out, o.Words...)
	}
	for _, p := range positional {
		if !slices.Contains(remove, p) {
			out = append(out, p)
		}
	}
	return out
}
