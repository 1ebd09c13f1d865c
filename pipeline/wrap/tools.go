package wrap

import (
	"slices"
	"strings"
)

// compilers are the names of C compilers. A prefix such as arm-none-eabi- and a suffix such as -12 may surround them.
var compilers = []string{"cc", "gcc", "clang", "c89", "c99", "tcc", "icc", "icx", "emcc"}

// launchers are programs whose arguments are a command line of a compiler.
var launchers = []string{"ccache", "sccache", "distcc", "icecc"}

// configurers are programs that write absolute paths of compilers to files that outlive the build. They run without the
// session, and they write compile_commands.json themselves.
var configurers = []string{"cmake", "meson"}

// isCompiler reports whether a name of a program is that of a C compiler: gcc, x86_64-linux-gnu-gcc-12, clang-14.
func isCompiler(name string) bool {
	if base, version, ok := cutLast(name); ok && version != "" && strings.Trim(version, "0123456789.") == "" {
		name = base
	}
	if _, last, ok := cutLast(name); ok {
		name = last
	}
	return slices.Contains(compilers, name)
}

// cutLast splits a name at its last hyphen.
func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// isTool reports whether a session has a link for programs with a name.
func isTool(name string) bool {
	return isCompiler(name) || slices.Contains(launchers, name) || slices.Contains(configurers, name)
}

// namesCompiler reports whether the value of a variable is a command of a compiler, by its name: CC, HOSTCC,
// CC_FOR_BUILD.
func namesCompiler(variable string) bool {
	return strings.HasSuffix(variable, "CC") || strings.HasPrefix(variable, "CC_")
}
