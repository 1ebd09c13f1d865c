package clang

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Need is a part of the tool chain that comes from the system's packages.
type Need int

// The parts that a proof may need.
const (
	NeedCompiler   Need = iota // a clang that this program was tested with
	NeedLinker                 // llvm-link of the same version, for clang 14
	NeedSanitizers             // the sanitizers of the same version, for native runs
	NeedHeaders                // the headers of the C library
)

// installer has the packages of a system by their need, and the command that installs them. The verb %d is replaced by
// the version of clang; "" is a package that does not exist.
type installer struct {
	command string
	names   [4]string
}

var (
	debian = installer{"sudo apt-get install", [4]string{"clang", "llvm-%d", "libclang-rt-%d-dev", "libc6-dev"}}
	fedora = installer{"sudo dnf install", [4]string{"clang", "llvm", "compiler-rt", "glibc-devel"}}
	suse   = installer{"sudo zypper install", [4]string{"clang", "llvm", "clang", "glibc-devel"}}
	alpine = installer{"sudo apk add", [4]string{"clang", "llvm", "compiler-rt", "musl-dev"}}
	pacman = installer{"sudo pacman -S", [4]string{"clang", "llvm", "compiler-rt", "glibc"}}
	nix    = installer{"nix-shell -p", [4]string{"clang", "llvm", "clang", "clang"}}
	brew   = installer{"brew install", [4]string{"llvm", "llvm", "llvm", ""}}
	xcode  = installer{"xcode-select", [4]string{"", "", "", "--install"}}
)

// newestOf has the newest clang of a release, if the package clang is older than 14, or is 14, which needs llvm-link.
// "" says that the release has none.
var newestOf = map[string]string{
	"debian 11": "clang-16", "debian 12": "clang-19",
	"ubuntu 20.04": "", "ubuntu 22.04": "clang-15",
}

// release has the values of os-release(5) that select packages.
type release struct {
	id, like, version string
}

// readRelease reads the text of /etc/os-release.
func readRelease(text string) (r release) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID":
			r.id = value
		case "ID_LIKE":
			r.like = value
		case "VERSION_ID":
			r.version = value
		}
	}
	return r
}

// packageFor returns the package for a need and the line that installs it; both are "" if the system is not known or
// has none. major is the version of the clang that is there.
func packageFor(system string, r release, need Need, major int) (name, line string) {
	var i installer
	if system == "darwin" {
		if i = brew; need == NeedHeaders {
			i = xcode
		}
	} else {
	ids:
		for _, id := range append([]string{r.id}, strings.Fields(r.like)...) {
			switch id {
			case "debian", "ubuntu":
				i = debian
			case "fedora", "rhel", "centos":
				i = fedora
			case "suse", "opensuse":
				i = suse
			case "alpine":
				i = alpine
			case "arch":
				i = pacman
			case "nixos":
				i = nix
			default:
				continue
			}
			break ids
		}
	}
	name = i.names[need]
	if newest, ok := newestOf[r.id+" "+r.version]; ok && need == NeedCompiler {
		name = newest
	}
	if name == "" {
		return "", ""
	}
	if strings.Contains(name, "%d") {
		name = fmt.Sprintf(name, major)
	}
	return name, i.command + " " + name
}

// PackageFor returns the package of this system for a need, and the line that installs it. Both are "" if the system is
// not known or has none.
func PackageFor(need Need, major int) (name, line string) {
	text, _ := os.ReadFile("/etc/os-release") // without it the system is not known
	return packageFor(runtime.GOOS, readRelease(string(text)), need, major)
}

// Advise returns the package of this system for a need, and a sentence with the line that installs it.
func Advise(need Need, major int) (name, sentence string) {
	name, line := PackageFor(need, major)
	if name != "" {
		return name, "install the package " + name + ": " + line
	}
	what := [...]string{fmt.Sprintf("a clang of version %d to %d", OldestMajor, NewestMajor),
		fmt.Sprintf("llvm-link of version %d", major), fmt.Sprintf("the sanitizers of clang %d", major),
		"the headers of the C library"}[need]
	return "", "install " + what + "; no package of this system with it is known"
}
