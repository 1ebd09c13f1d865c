package trust

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
)

// Request has the settings of a workspace that need the user's permission: the author of an opened folder may not be
// trusted, and the user should decide before a compiler is started. All lists are sorted, without duplicates.
type Request struct {
	Root string
	// Clangs are the compilers in configurations.
	Clangs []string
	// Flags are the flags for clang in configurations and compile_commands.json.
	Flags []string
	// Outside are files and folders of compilations outside of the root.
	Outside []string
	// Remotes are caches for results, with their keys and certificates.
	Remotes []string `json:",omitempty"`
	// Clusters are machines that execute checks, with the platforms of their workers.
	Clusters []string `json:",omitempty"`
	// Costs are limits of single proofs (time, memory, steps of the solver) that are much higher than the defaults.
	Costs []string `json:",omitempty"`
}

// Empty reports whether the workspace needs no permission.
func (r *Request) Empty() bool {
	return len(r.Clangs)+len(r.Flags)+len(r.Outside)+len(r.Remotes)+len(r.Clusters)+len(r.Costs) == 0
}

// Hash returns a hash of the request.
func (r *Request) Hash() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q %q", r.Root, r.Clangs, r.Flags, r.Outside, r.Remotes,
		r.Clusters, r.Costs))
}

// shownWords bounds the flags in a message. Flags with a path outside of the root are always shown.
const shownWords = 8

// leavesRoot reports whether a flag may name a path outside of the root.
func (r *Request) leavesRoot(flag string) bool {
	for part := range strings.FieldsFuncSeq(flag, func(c rune) bool { return c == '=' || c == ',' || c == ':' }) {
		part = strings.TrimLeft(part, "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
		if strings.HasPrefix(part, "/") && part != r.Root && !strings.HasPrefix(part, r.Root+"/") {
			return true
		}
	}
	return strings.Contains(flag, "..") || strings.HasPrefix(flag, "@")
}

// Lines returns the request as text.
func (r *Request) Lines() []string {
	var lines []string
	say := func(what, between string, words []string) {
		if len(words) > 0 {
			lines = append(lines, what+strings.Join(words, between))
		}
	}
	say("runs the compiler ", " ", r.Clangs)
	say("asks the shared cache ", " ", r.Remotes)
	say("has checks executed by the cluster ", " ", r.Clusters)
	say("gives clang ", " ", r.shownFlags())
	say("takes for one proof up to ", ", ", r.Costs)
	say("compiles, outside of "+filepath.Base(r.Root)+": ", " ", r.Outside)
	return lines
}

// shownFlags returns all flags that leave the root, and some of the others.
func (r *Request) shownFlags() []string {
	var words, others []string
	for _, f := range r.Flags {
		if r.leavesRoot(f) {
			words = append(words, f)
		} else {
			others = append(others, f)
		}
	}
	if n := len(others) - shownWords; n > 0 {
		others = append(others[:shownWords:shownWords], fmt.Sprintf("and %d more that name nothing outside of it", n))
	}
	return append(words, others...)
}
