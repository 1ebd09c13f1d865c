package editing

import (
	"errors"
	"fmt"
	"time"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// Runs have places: here, as many as the machine has cores for, or with a cluster where one is configured. What
// somebody looks at runs here, since nothing is faster than a core that is free; what nobody looks at runs there, so
// that the machine is left to its user, and the rest where there is room first. What runs there comes home when
// somebody begins to look at it.

// place is where a run is.
type place uint8

const (
	nowhere   place = iota // not begun, or ended
	here                   // it is done here as a whole
	preparing              // it is compiled here, to be done by a cluster
	away                   // a cluster has it
	places
)

// farness is what a Workspace knows of other machines.
type farness struct {
	of    map[remote.Far]remote.Far    // by what configurations say; without what is wrong
	until map[remote.Cluster]time.Time // it is left alone
	told  map[string]bool              // what users know
}

// aloneTime is how long a cluster that did not work is left alone.
const aloneTime = 30 * time.Second

// far is what other machines do for a proof, which is trusted.
func (s *state) far(r *record) remote.Far {
	if s.opts.Far == nil {
		return remote.Far{}
	}
	asked := remote.Far{Cache: r.workspace.Config.Remote, Cluster: r.workspace.Config.Cluster}
	if far, known := s.farness.of[asked]; known {
		return far
	}
	far, err := s.opts.Far(asked).Usable()
	if err != nil {
		s.tellFar(fmt.Sprintf("%v. Proofs are checked without it.", err))
	}
	if s.farness.of == nil {
		s.farness.of = map[remote.Far]remote.Far{}
	}
	s.farness.of[asked] = far
	return far
}

// tellFar tells people something about other machines, once.
func (s *state) tellFar(text string) {
	if s.farness.told[text] {
		return
	}
	if s.farness.told == nil {
		s.farness.told = map[string]bool{}
	}
	s.farness.told[text], s.message, s.dirty = true, text, true
}

// placeFor is where a run of a proof can begin now; nowhere: there is no room. What is under the cursor does not wait
// for the end of others.
func (s *state) placeFor(r *record, class int) (place, remote.Cluster) {
	room := s.runs[here] < s.opts.jobs || s.runs[here] == s.opts.jobs && class == underCursor
	cluster := s.clusterFor(r)
	switch {
	case cluster == (remote.Cluster{}) || room && class <= visible:
		if room {
			return here, remote.Cluster{}
		}
	case (s.runs[here]+s.runs[preparing] < s.opts.jobs || s.runs[preparing] == 0) &&
		s.runs[preparing]+s.runs[away] < cluster.Tasks():
		return preparing, cluster
	}
	return nowhere, remote.Cluster{}
}

// clusterFor is the cluster that may do a proof; the zero value: none.
func (s *state) clusterFor(r *record) remote.Cluster {
	if r.here || s.shown(r) {
		return remote.Cluster{}
	}
	c := s.far(r).Cluster
	if time.Now().Before(s.farness.until[c]) {
		return remote.Cluster{}
	}
	return c
}

// comesHome tells whether a run that is with a cluster is to be done here instead: there is room, and its proof is
// looked at.
func (s *state) comesHome(r *record) bool {
	if r.run.place == here || r.run.cancelled || !s.shown(r) {
		return false
	}
	at, _ := s.placeFor(r, s.class(r))
	return at == here
}

// again has a proof run once more as it was to be run.
func (r *record) again() {
	run := r.run
	r.want, r.force = max(r.want, run.wanted), r.force || run.forced
	r.coverage, r.explain = r.coverage || run.coverage, r.explain || run.explain
}

// put takes a run to another place.
func (s *state) put(run *run, to place) {
	s.runs[run.place]--
	if run.place = to; to != nowhere {
		s.runs[to]++
	}
}

// idle tells whether nothing is under way.
func (s *state) idle() bool { return s.runs[here]+s.runs[preparing]+s.runs[away] == 0 }

// lose takes to the knowledge that a cluster has not done what it was given.
func (s *state) lose(run *run, err error) {
	left := new(remote.LeftAloneError)
	if errors.As(err, &left) {
		if s.farness.until == nil {
			s.farness.until = map[remote.Cluster]time.Time{}
		}
		s.farness.until[run.cluster] = time.Now().Add(aloneTime)
	}
	s.tellFar(fmt.Sprintf("what the cluster %s does not do is checked here: %v.", run.cluster.Server(), err))
}
