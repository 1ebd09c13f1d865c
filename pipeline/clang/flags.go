package clang

import (
	"os"
	"path/filepath"
	"strings"
)

// filterFlags takes from a compilation's flags what would change what we prove, what we read back
// from clang, or what would run foreign code. The second result are the options whose loss a user
// should know of: they may have meant something. An optimisation level or an output name did not.
//
// Response files are opened, because what they hold has to pass the same filter.
func filterFlags(flags []string, dir string) (kept, dropped []string) {
	return filterDepth(flags, dir, 0)
}

func filterDepth(flags []string, dir string, depth int) (kept, dropped []string) {
	for i := 0; i < len(flags); i++ {
		f := flags[i]
		if name, ok := strings.CutPrefix(f, "@"); ok {
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			data, err := os.ReadFile(name)
			if err != nil || depth == 8 {
				dropped = append(dropped, f)
				continue
			}
			k, d := filterDepth(splitResponse(string(data)), dir, depth+1)
			kept, dropped = append(kept, k...), append(dropped, d...)
			continue
		}
		if list, ok := strings.CutPrefix(f, "-Wp,"); ok { // options for the preprocessor, as the kernel's -Wp,-MMD,FILE
			k, d := filterDepth(strings.Split(list, ","), dir, depth)
			kept, dropped = append(kept, k...), append(dropped, d...)
			continue
		}
		switch kind, args := classify(f); {
		case i+args >= len(flags): // its argument is missing; clang would take one of ours for it
			dropped = append(dropped, f)
			i = len(flags)
		case kind == keep:
			kept = append(kept, flags[i:i+args+1]...)
			i += args
		case kind == dropAndTell:
			dropped = append(dropped, strings.Join(flags[i:i+args+1], " "))
			i += args
		default:
			i += args
		}
	}
	return kept, dropped
}

type flagKind int

const (
	keep flagKind = iota
	drop
	dropAndTell
)

type flagRule struct {
	kind flagKind
	args int // further words that belong to it
}

// exactFlags are matched as a whole.
var exactFlags = map[string]flagRule{
	// Output, dependencies and what clang is to do: ours to say.
	"-c": {drop, 0}, "-S": {drop, 0}, "-E": {drop, 0}, "-o": {drop, 1}, "--output": {drop, 1}, "-emit-llvm": {drop, 0},
	"-fsyntax-only": {drop, 0},
	"-M":            {drop, 0}, "-MM": {drop, 0}, "-MD": {drop, 0}, "-MMD": {drop, 0}, "-MP": {drop, 0}, "-MG": {drop, 0},
	"-MV": {drop, 0},
	"-MF": {drop, 1}, "-MT": {drop, 1}, "-MQ": {drop, 1}, "-MJ": {drop, 1}, "-H": {drop, 0}, "-P": {drop, 0},
	"-C": {drop, 0}, "-CC": {drop, 0},
	"--compile": {drop, 0}, "--assemble": {drop, 0}, "--preprocess": {drop, 0}, "--dependencies": {drop, 0},
	"--user-dependencies":  {drop, 0},
	"--write-dependencies": {drop, 0}, "--write-user-dependencies": {drop, 0},
	"-###": {drop, 0}, "-v": {drop, 0}, "--verbose": {drop, 0}, "--version": {drop, 0}, "--help": {drop, 0},
	"-save-temps": {drop, 0}, "--save-temps": {drop, 0},
	"-pipe": {drop, 0}, "--analyze": {drop, 0}, "-dD": {drop, 0}, "-dM": {drop, 0}, "-dI": {drop, 0},
	"--serialize-diagnostics": {drop, 1}, "-serialize-diagnostics": {drop, 1}, "-index-store-path": {drop, 1},
	"-index-unit-output-path": {drop, 1},
	"-dumpdir":                {drop, 1}, "-dumpbase": {drop, 1}, "-dumpbase-ext": {drop, 1}, "-aux-info": {drop, 1},
	"-w": {drop, 0}, "-pg": {drop, 0}, "-p": {drop, 0}, "--coverage": {drop, 0},
	"-pedantic-errors": {drop, 0}, "--pedantic-errors": {drop, 0},
	"-flto": {drop, 0}, "-fcolor-diagnostics": {drop, 0}, "-fansi-escape-codes": {drop, 0},
	"-fno-integrated-as": {drop, 0}, "-no-integrated-as": {drop, 0}, "-fexceptions": {drop, 0}, "-ftrapv": {drop, 0},
	"-ftrapv-handler": {drop, 1},
	// Linking.
	"-l": {drop, 1}, "-L": {drop, 1}, "-shared": {drop, 0}, "-static": {drop, 0}, "-rdynamic": {drop, 0}, "-s": {drop, 0},
	"-r": {drop, 0}, "-pie": {drop, 0}, "-no-pie": {drop, 0},
	"-nostdlib": {drop, 0}, "-nodefaultlibs": {drop, 0}, "-nostartfiles": {drop, 0}, "-Xlinker": {drop, 1},
	"-T": {drop, 1}, "-u": {drop, 1}, "-z": {drop, 1}, "-e": {drop, 1},
	// Code of others, or switches below the driver that could undo ours.
	"-Xclang": {dropAndTell, 1}, "-mllvm": {dropAndTell, 1}, "-load": {dropAndTell, 1}, "-plugin": {dropAndTell, 1},
	"-B": {dropAndTell, 1}, "--config": {dropAndTell, 1},
	"-specs": {dropAndTell, 1}, "--specs": {dropAndTell, 1}, "-Xassembler": {drop, 1}, "-Xpreprocessor": {dropAndTell, 1},
	"-Xanalyzer": {drop, 1}, "-cc1": {dropAndTell, 0},
	"-no-canonical-prefixes": {drop, 0}, "-wrapper": {dropAndTell, 1}, "-fopenmp": {dropAndTell, 0},
	"-fopenacc": {dropAndTell, 0},
	// Arithmetic other than IEEE's.
	"-ffast-math": {dropAndTell, 0}, "-Ofast": {dropAndTell, 0}, "-funsafe-math-optimizations": {dropAndTell, 0},
	"-fassociative-math": {dropAndTell, 0},
	"-freciprocal-math":  {dropAndTell, 0}, "-ffinite-math-only": {dropAndTell, 0}, "-fno-signed-zeros": {dropAndTell, 0},
	"-fno-honor-nans":       {dropAndTell, 0},
	"-fno-honor-infinities": {dropAndTell, 0}, "-fapprox-func": {dropAndTell, 0},
	"-menable-unsafe-fp-math": {dropAndTell, 0},
	// Words of two that are kept: the second must not be judged as an option of its own.
	"-I": {keep, 1}, "-D": {keep, 1}, "-U": {keep, 1}, "-include": {keep, 1}, "-imacros": {keep, 1}, "-isystem": {keep, 1},
	"-iquote": {keep, 1}, "-idirafter": {keep, 1},
	"-iprefix": {keep, 1}, "-iwithprefix": {keep, 1}, "-iwithprefixbefore": {keep, 1}, "-isysroot": {keep, 1},
	"-isystem-after": {keep, 1}, "-x": {keep, 1}, "-target": {keep, 1}, "-arch": {keep, 1},
	"--sysroot": {keep, 1}, "-ivfsoverlay": {keep, 1}, "-F": {keep, 1}, "-iframework": {keep, 1},
	"-gcc-toolchain": {keep, 1}, "-include-pch": {dropAndTell, 1}, "--param": {drop, 1},
	"-G": {keep, 1}, "-working-directory": {keep, 1}, "--include-directory": {keep, 1}, "--define-macro": {keep, 1},
	"--undefine-macro": {keep, 1}, "--include": {keep, 1}, "--std": {keep, 1},
	"-Wno-error": {drop, 0}, "--target": {keep, 1},
}

// prefixFlags are matched by their beginning, the first that fits.
var prefixFlags = []struct {
	prefix string
	kind   flagKind
}{
	{"-O", drop}, {"--optimize", drop}, {"-flto", drop}, {"-fno-lto", drop}, {"-fsanitize", drop}, {"-fno-sanitize", drop},
	{"-fprofile", drop}, {"-fno-profile", drop}, {"-fcoverage-", drop}, {"-ftest-coverage", drop}, {"-fcs-profile", drop},
	{"-finstrument-", drop}, {"-fxray", drop}, {"-fauto-profile", drop},
	{"-Werror", drop}, {"-Wl,", drop}, {"-Wa,", drop}, {"-MF", drop}, {"-MT", drop}, {"-MQ", drop}, {"-MJ", drop},
	{"-o", drop}, {"--output=", drop}, {"-gcc-toolchain", keep}, {"-g", drop}, {"-save-temps", drop},
	{"--save-temps", drop}, {"-ftime-", drop}, {"-fno-time-", drop},
	{"-fdiagnostics-", drop}, {"-fno-diagnostics-", drop}, {"-fcaret-", drop}, {"-ferror-limit", drop},
	{"-fmessage-length", drop}, {"-fshow-", drop}, {"-fno-show-", drop},
	{"-fno-color-", drop}, {"-ftemplate-", drop}, {"-fsave-optimization-record", drop}, {"-foptimization-record", drop},
	{"-Rpass", drop}, {"-print-", drop}, {"--print-", drop},
	{"-fdebug-", drop}, {"-fno-debug-", drop}, {"-ffile-prefix-map", drop}, {"-fmacro-prefix-map", drop},
	{"-ffile-compilation-dir", drop}, {"-fstandalone-debug", drop}, {"-fno-standalone-debug", drop},
	{"-flimit-debug-info", drop},
	{"-fplugin", dropAndTell}, {"-fpass-plugin", dropAndTell}, {"-B", dropAndTell}, {"--prefix=", dropAndTell},
	{"-specs", dropAndTell}, {"--specs", dropAndTell}, {"-ccc-", dropAndTell}, {"--config", dropAndTell},
	{"-fmodules", dropAndTell}, {"-fmodule-", dropAndTell}, {"-fembed-bitcode", drop}, {"-fno-embed-bitcode", drop},
	{"-ffp-model", dropAndTell}, {"-fdenormal-fp-math", dropAndTell}, {"-fopenmp=", dropAndTell}, {"-fuse-ld", drop},
	{"-L", drop}, {"-l", drop}, {"-static-", drop}, {"-shared-", drop}, {"-rtlib", drop}, {"--param=", drop},
	{"-fdump-", drop}, {"-dump", drop},
}

func classify(f string) (flagKind, int) {
	if r, ok := exactFlags[f]; ok {
		return r.kind, r.args
	}
	if !strings.HasPrefix(f, "-") || f == "-" {
		return drop, 0 // an input of the original command: the file itself, an object, a library
	}
	for _, p := range prefixFlags {
		if strings.HasPrefix(f, p.prefix) {
			return p.kind, 0
		}
	}
	return keep, 0
}

// splitResponse splits the text of a response file as clang does on Unix: white space separates,
// quotes group, a backslash takes the next character literally.
func splitResponse(s string) []string {
	var words []string
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(s):
			i++
			word.WriteByte(s[i])
			in = true
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteByte(c)
			}
		case c == '"' || c == '\'':
			quote, in = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words
}

// definesNDEBUG reports whether the flags leave NDEBUG defined, the last -D or -U winning.
func definesNDEBUG(flags []string) bool {
	on := false
	for i, f := range flags {
		arg := ""
		switch {
		case (f == "-D" || f == "-U") && i+1 < len(flags):
			arg = f + flags[i+1]
		case strings.HasPrefix(f, "-D"), strings.HasPrefix(f, "-U"):
			arg = f
		}
		if name, _, _ := strings.Cut(arg, "="); name == "-DNDEBUG" {
			on = true
		} else if name == "-UNDEBUG" {
			on = false
		}
	}
	return on
}
