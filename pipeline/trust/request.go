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
	// Times are what single proofs may take, where that is much more than without a configuration.
	Times []string `json:",omitempty"`
}

// Empty says that the workspace asks for nothing.
func (r *Request) Empty() bool {
	return len(r.Clangs)+len(r.Flags)+len(r.Outside)+len(r.Remotes)+len(r.Clusters)+len(r.Times) == 0
}

// Hash names the content of the request.
func (r *Request) Hash() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q %q", r.Root, r.Clangs, r.Flags, r.Outside, r.Remotes,
		r.Clusters, r.Times))
}

// shownWords bounds what a message says of flags and files.
const shownWords = 8

// Lines say what is asked for, in words.
func (r *Request) Lines() []string {
	var lines []string
	say := func(what string, words []string) {
		if len(words) == 0 {
			return
		}
		more := ""
		if n := len(words) - shownWords; n > 0 {
			words, more = words[:shownWords], fmt.Sprintf(" and %d more", n)
		}
		lines = append(lines, what+strings.Join(words, " ")+more)
	}
	say("runs the compiler ", r.Clangs)
	say("asks the shared cache ", r.Remotes)
	say("has checks executed by the cluster ", r.Clusters)
	say("gives clang ", r.Flags)
	say("takes for one proof up to ", r.Times)
	say("compiles, outside of "+filepath.Base(r.Root)+": ", r.Outside)
	return lines
}
