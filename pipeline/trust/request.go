package trust

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
)

// Request is what a workspace asks for beyond the defaults: whoever opens a folder of somebody else's should know of it
// before a compiler is started. Everything is sorted, each once.
type Request struct {
	Root string
	// Clangs are the compilers that configurations name.
	Clangs []string
	// Flags are those of configurations and compile_commands.json that clang would get.
	Flags []string
	// Outside are files and folders of compilations that lie outside of the root.
	Outside []string
	// Remotes are the caches that results are taken from, and perhaps sent to, with the keys and certificates that count.
	Remotes []string `json:",omitempty"`
	// Clusters are machines that are given programs and asked for verdicts, with what their workers have to be.
	Clusters []string `json:",omitempty"`
	// Costs are what single proofs may take of the machine (time, memory, steps of the solver), where that is much more
	// than without a configuration.
	Costs []string `json:",omitempty"`
}

// Empty says that the workspace asks for nothing.
func (r *Request) Empty() bool {
	return len(r.Clangs)+len(r.Flags)+len(r.Outside)+len(r.Remotes)+len(r.Clusters)+len(r.Costs) == 0
}

// Hash names the content of the request.
func (r *Request) Hash() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q %q", r.Root, r.Clangs, r.Flags, r.Outside, r.Remotes,
		r.Clusters, r.Costs))
}

// shownWords bounds what a message says of flags. What names a path outside of the root is always said.
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

// Lines say what is asked for, in words.
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

// shownFlags are those that leave the root, all of them, and some of the others.
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
