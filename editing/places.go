package editing

import (
	"errors"
	"fmt"
	"time"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// Runs have places: local, at most one for each core, or on a cluster if one is configured.
//
//   - Visible proofs run locally, since nothing is faster than a free core.
//   - Proofs that the user has requested, or that depend on the file under the cursor, run locally if a core is free,
//     else on the cluster.
//   - Other proofs run on the cluster, so that the machine is left to its user.
//   - A run on the cluster moves to the local machine when its proof becomes visible and a core is free.

// runPlace is the location of a run.
type runPlace uint8

const (
	nowhere   runPlace = iota // not started, or ended
	here                      // it runs locally
	preparing                 // it is compiled locally, for a cluster
	away                      // it is on a cluster
	places
)

// farness is the state of a Workspace's access to other machines.
type farness struct {
	of    map[remote.Far]remote.Far    // usable machines by the configuration's request
	until map[remote.Cluster]time.Time // the cluster is not used until then
	shown map[string]bool              // messages that were shown
}

// aloneTime is the time for which a cluster is not used after a failure.
const aloneTime = 30 * time.Second

// far returns the caches and clusters for a trusted proof.
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

// tellFar shows a message about other machines, once.
func (s *state) tellFar(text string) {
	if s.farness.shown[text] {
		return
	}
	if s.farness.shown == nil {
		s.farness.shown = map[string]bool{}
	}
	s.farness.shown[text], s.message, s.dirty = true, text, true
}

// placeFor returns the place at which a run of a proof can start now; nowhere if there is no room. The proof under
// the cursor may exceed the number of local runs by one.
func (s *state) placeFor(r *record, class int) (runPlace, remote.Cluster) {
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

// clusterFor returns the cluster on which a proof may run; zero if none.
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

// comesHome reports whether a run on a cluster is to be repeated locally: there is room, and its proof is visible.
func (s *state) comesHome(r *record) bool {
	if r.run.place == here || r.run.cancelled || !s.shown(r) {
		return false
	}
	at, _ := s.placeFor(r, s.class(r))
	return at == here
}

// again schedules a proof once more, with the options of its last run.
func (r *record) again() {
	run := r.run
	r.want, r.force = max(r.want, run.wanted), r.force || run.forced
	r.coverage, r.explain = r.coverage || run.coverage, r.explain || run.explain
}

// put moves a run to another place.
func (s *state) put(run *run, to runPlace) {
	s.runs[run.place]--
	if run.place = to; to != nowhere {
		s.runs[to]++
	}
}

// idle reports whether no run is active.
func (s *state) idle() bool { return s.runs[here]+s.runs[preparing]+s.runs[away] == 0 }

// lose handles the failure of a cluster to do a task.
func (s *state) lose(run *run, err error) {
	alone := new(remote.LeftAloneError)
	if errors.As(err, &alone) {
		if s.farness.until == nil {
			s.farness.until = map[remote.Cluster]time.Time{}
		}
		s.farness.until[run.cluster] = time.Now().Add(aloneTime)
	}
	s.tellFar(fmt.Sprintf("the cluster %s did not check all proofs; the rest is checked here: "+
		"%v.", run.cluster.Server(), err))
}
