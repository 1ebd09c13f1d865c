package project

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// Request says what checking the proofs would need. follow gives a path without links.
func (w *Workspace) Request(proofs []Proof, follow func(string) string) trust.Request {
	c := collector{root: follow(w.Root), follow: follow, flags: map[string]bool{}, clangs: map[string]bool{},
		outside: map[string]bool{}, programs: map[string]bool{},
		lists: map[*Unit]bool{}, words: map[string]bool{}, known: map[string]bool{}}
	times, enough := map[string]bool{}, w.enoughTime()
	for i := range proofs {
		p := &proofs[i]
		if p.Clang != "" && !c.programs[p.Clang] {
			c.programs[p.Clang] = true
			c.clangs[w.program(p.Clang, c.root, follow)] = true
		}
		if p.Timeout > enough {
			times[printDuration(p.Timeout)] = true
		}
		c.unit(&p.EntryUnit)
		c.units(p.Sources)
		c.units(p.Overrides)
		if list := p.SourceCandidates; len(list) > 0 && !c.lists[&list[0]] { // which many proofs share
			c.lists[&list[0]] = true
			c.units(list)
		}
	}
	far := w.RemoteRequest()
	return trust.Request{Root: w.Root, Clangs: sorted(c.clangs), Flags: sorted(c.flags), Outside: sorted(c.outside),
		Remotes: far.Remotes, Clusters: far.Clusters, Times: sorted(times)}
}

// generousTime is what a folder may let one proof take without a word: a header without an end, which includes itself
// twice each time, occupies a processor as long.
const generousTime = 10 * time.Minute

// enoughTime is that, or what the user has allowed all proofs.
func (w *Workspace) enoughTime() time.Duration {
	enough := generousTime
	for _, s := range append(slices.Clip(w.client), w.flags.Settings) {
		if s.Timeout != nil {
			enough = max(enough, *s.Timeout)
		}
	}
	return enough
}

// RemoteRequest is the part of a Request that is about other machines: the shared cache and the cluster.
func (w *Workspace) RemoteRequest() trust.Request {
	r := trust.Request{Root: w.Root}
	words := func(list ...string) []string {
		return []string{strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " ")}
	}
	if c := w.Config.Remote; c.URL != "" {
		r.Remotes = words(c.URL, c.Keys, c.CA)
	}
	if c := w.Config.Cluster; c.URL != "" {
		r.Clusters = words(c.URL, c.Storage, c.CA, strings.ReplaceAll(c.Platform, "\n", ","))
	}
	return r
}

// program names a compiler: one that lies in the folder by its content, too, and a link in it by what it leads to. The
// next version of the folder may bring another.
func (w *Workspace) program(clang, root string, follow func(string) string) string {
	if !filepath.IsAbs(clang) {
		return clang // in PATH
	}
	switch real := follow(clang); {
	case paths.Within(root, real):
		if sum := w.view.Memory.content(real); sum != "" {
			return clang + " (sha256 " + sum + ")"
		}
	case paths.Within(w.Root, clang):
		return clang + " -> " + real
	}
	return clang
}

type collector struct {
	root                                           string
	follow                                         func(string) string
	flags, clangs, programs, outside, words, known map[string]bool
	lists                                          map[*Unit]bool
}

func (c *collector) units(list []Unit) {
	for i := range list {
		c.unit(&list[i])
	}
}

func (c *collector) unit(u *Unit) {
	if words := strings.Join(u.Flags, "\x00"); !c.words[words] {
		c.words[words] = true
		kept, _ := cflags.Filter(u.Flags)
		for _, f := range kept {
			c.flags[f] = true
		}
	}
	for _, path := range []string{u.File, u.Dir} {
		if path == "" || c.known[path] {
			continue
		}
		c.known[path] = true
		if real := c.follow(path); !paths.Within(c.root, real) {
			c.outside[real] = true
		}
	}
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
