package project

import (
	"os"
	"path/filepath"
	"strings"
)

// Options of C compilers that take their argument as the next word (clang and gcc). Those
// marked true name a path that is relative to the folder the compiler runs in.
var takesArgument = map[string]bool{
	"-I": true, "-isystem": true, "-iquote": true, "-idirafter": true, "-include": true, "-imacros": true,
	"-isysroot": true, "--sysroot": true, "-iprefix": true, "-iwithprefix": true, "-iwithprefixbefore": true,
	"-include-pch": true, "-F": true, "-iframework": true, "-ivfsoverlay": true, "-cxx-isystem": true,
	"-isystem-after": true, "--include-directory": true, "-resource-dir": true, "-internal-isystem": true,
	"-D": false, "-U": false, "-x": false, "-arch": false, "-target": false, "-MF": false, "-MT": false,
	"-MQ": false, "-MJ": false, "-Xclang": false, "-Xpreprocessor": false, "-Xlinker": false, "-Xassembler": false,
	"-Xanalyzer": false, "-mllvm": false, "-L": false, "-l": false, "-T": false, "-u": false, "-z": false,
	"-e": false, "-framework": false, "--param": false, "-G": false, "-aux-info": false, "-b": false, "-V": false,
	"-wrapper": false, "-o": false, "-dumpbase": false, "-dumpdir": false, "-A": false, "-std": false,
	"-serialize-diagnostics": false, "--serialize-diagnostics": false, "-gcc-toolchain": false,
	"-index-store-path": false,
}

// joinedPaths are the options of takesArgument whose path may also follow without a space.
var joinedPaths = []string{"--include-directory=", "--sysroot=", "-isystem", "-iquote", "-idirafter",
	"-include-pch", "-imacros", "-isysroot", "-iframework", "-include", "-I", "-F"}

// option is one option with its argument: one or two words.
type option struct {
	words  []string
	isPath bool // the second word is a path
}

// options groups words; positional arguments come as options that do not start with '-'.
// After "--" everything is positional.
func options(words []string) (opts []option, positional []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			return opts, append(positional, words[i+1:]...)
		}
		if !strings.HasPrefix(w, "-") || w == "-" {
			positional = append(positional, w)
			continue
		}
		if isPath, takes := takesArgument[w]; takes && i+1 < len(words) {
			opts = append(opts, option{words[i : i+2 : i+2], isPath})
			i++
			continue
		}
		opts = append(opts, option{words: words[i : i+1 : i+1]})
	}
	return opts, positional
}

// absoluteFlags makes the relative paths of include options absolute. Flags of a
// configuration are relative to its folder, but the compiler runs where compile_commands.json
// says.
func absoluteFlags(flags []string, dir string) []string {
	if len(flags) == 0 {
		return nil
	}
	out := make([]string, 0, len(flags))
	for i := 0; i < len(flags); i++ {
		f := flags[i]
		if isPath, takes := takesArgument[f]; takes && i+1 < len(flags) {
			i++
			arg := flags[i]
			if isPath {
				arg = absoluteArgument(f, arg, dir)
			}
			out = append(out, f, arg)
			continue
		}
		out = append(out, absoluteJoined(f, dir))
	}
	return out
}

func absoluteJoined(f, dir string) string {
	for _, prefix := range joinedPaths {
		if arg, is := strings.CutPrefix(f, prefix); is {
			if arg == "" || arg[0] == '-' || arg[0] == '=' {
				return f // "-I=dir" starts at the sysroot, "-I-" is no path
			}
			return prefix + absoluteArgument(strings.TrimSuffix(prefix, "="), arg, dir)
		}
	}
	return f
}

// absoluteArgument leaves `-include stdio.h` alone, which is searched for, unless the file is
// there.
func absoluteArgument(option, arg, dir string) string {
	if arg == "" || arg == "-" || arg[0] == '=' || filepath.IsAbs(arg) {
		return arg
	}
	path := absolute(dir, arg)
	if option == "-include" || option == "-imacros" || option == "-include-pch" {
		if _, err := os.Stat(path); err != nil {
			return arg
		}
	}
	return path
}

// removeFlags takes away what remove-flags names, as clangd's Remove does: an option by its
// name goes with any argument ("-I"), "-W*" is every option with that start, and everything
// else is removed where it is equal.
func removeFlags(flags, remove []string) []string {
	if len(remove) == 0 {
		return flags
	}
	opts, _ := options(flags)
	var out []string
next:
	for _, o := range opts {
		joined := strings.Join(o.words, "")
		spaced := strings.Join(o.words, " ")
		for _, r := range remove {
			if prefix, glob := strings.CutSuffix(r, "*"); glob && (strings.HasPrefix(joined, prefix) ||
				strings.HasPrefix(spaced, prefix)) {
				continue next
			}
			if r == joined || r == spaced || r == o.words[0] {
				continue next
			}
			if _, takes := takesArgument[r]; takes && len(r) == 2 && strings.HasPrefix(joined, r) {
				continue next
			}
		}
		out = append(out, o.words...)
	}
	return out
}
