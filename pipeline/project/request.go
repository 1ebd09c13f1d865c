package project

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/cflags"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// Request returns the permissions that checking the proofs would need. follow resolves the links in a path.
func (w *Workspace) Request(proofs []Proof, follow func(string) string) trust.Request {
	c := collector{root: follow(w.Root), follow: follow, flags: map[string]bool{}, clangs: map[string]bool{},
		outside: map[string]bool{}, programs: map[string]bool{},
		lists: map[*Unit]bool{}, words: map[string]bool{}, known: map[string]bool{}}
	costs, enough := map[string]bool{}, w.generous()
	for i := range proofs {
		p := &proofs[i]
		if p.Clang != "" && !c.programs[p.Clang] {
			c.programs[p.Clang] = true
			c.clangs[w.program(p.Clang, c.root, follow)] = true
		}
		if p.Timeout > enough.time {
			costs[printDuration(p.Timeout)+" of processor time"] = true
		}
		if p.MaxMemory > enough.memory {
			costs[Size(p.MaxMemory)+" of memory"] = true
		}
		if p.Options.SolverSteps > enough.steps {
			costs[strconv.Itoa(p.Options.SolverSteps)+" steps of the solver for a question"] = true
		}
		c.unit(&p.EntryUnit)
		c.units(p.Sources)
		c.units(p.Overrides)
		if list := p.SourceCandidates; len(list) > 0 && !c.lists[&list[0]] { // shared by many proofs
			c.lists[&list[0]] = true
			c.units(list)
		}
	}
	far := w.RemoteRequest()
	return trust.Request{Root: w.Root, Clangs: sorted(c.clangs), Flags: sorted(c.flags), Outside: sorted(c.outside),
		Remotes: far.Remotes, Clusters: far.Clusters, Costs: sorted(costs)}
}

// costs are the limits of one proof.
type costs struct {
	time   time.Duration
	memory int64 // bytes
	steps  int   // steps of the solver per query
}

// generous returns the limits that a folder may set for one proof without permission, or that the user has set for all
// proofs. A header that includes itself twice occupies a processor until the timeout, and an endless file occupies the
// memory limit. Bounds of loops add no further costs.
func (w *Workspace) generous() costs {
	var usual Proof
	for _, k := range checkTable().Keys {
		if k.reset != nil {
			k.reset(&usual)
		}
	}
	enough := costs{10 * time.Minute, usual.MaxMemory, 10 * usual.Options.SolverSteps}
	for _, s := range append(slices.Clip(w.client), w.flags.Settings) {
		if s.Timeout != nil {
			enough.time = max(enough.time, *s.Timeout)
		}
		if s.MaxMemory != nil {
			enough.memory = max(enough.memory, *s.MaxMemory)
		}
		if s.SolverSteps != nil {
			enough.steps = max(enough.steps, *s.SolverSteps)
		}
	}
	return enough
}

// RemoteRequest returns the part of a Request for other machines: the shared cache and the cluster.
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

// program identifies a compiler. Inside the folder, it includes the hash of the content, or the target of a link: the
// next version of the folder may contain another program.
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
	if words := strings.Join(append([]string{u.Dir}, u.Flags...), "\x00"); !c.words[words] {
		c.words[words] = true
		accepted, _ := cflags.Filter(u.Flags)
		dir := u.Dir
		if dir == "" {
			dir = filepath.Dir(u.File)
		}
		for _, f := range cflags.Notable(accepted, func(path string) bool {
			return paths.Within(c.root, c.follow(absolute(dir, path)))
		}) {
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
