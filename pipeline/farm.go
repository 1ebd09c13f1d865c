package pipeline

import (
	"context"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Checks whose engine's part a cluster does (Settings.Cluster). Compiling and linking stay here: that needs headers
// and compilers that are known here only, is kept, and takes a small part of the time; what goes away is the linked
// program. What comes back has to name the task that was given and this very program. Whatever goes wrong there, the
// check is done here, and said to be.

// clusterOf is the cluster for a job; nil: it is done here.
func (l *Pool) clusterOf(j *Job) *remote.Executor {
	if j.Cluster.URL == "" || j.replay != nil || j.strength != nil || j.Measure ||
		j.Solver != "" && j.Solver != solver.Default {
		return nil
	}
	return l.servers.cluster(j.Cluster)
}

// wallFactor is how much longer a task may take on the wall than the CPU time of its proof, beside wallTime: workers
// have other things to do.
const (
	wallFactor = 2
	wallTime   = time.Minute
)

// niceBeside is added to the niceness of workers that compile for a cluster. One that has its tasks in time has
// nothing to gain by more, and a machine on which workers of the cluster run, or somebody works, has: with two of each
// on two processors 157 proofs took 12 to 22 % longer than without a cluster, and take 5 to 8 % longer so.
const niceBeside = 10

// divided has a check done here and there; false: there is no result, and it is to be done here.
func (l *Pool) divided(ctx context.Context, j *Job, x *remote.Executor) (Result, bool) {
	first := *j
	first.elsewhere, first.last = true, nil
	r := l.do(ctx, &first, nil)
	if r.prepared == nil || ctx.Err() != nil {
		return r, true
	}
	engine, err := cache.Engine()
	if err != nil {
		return Result{}, false
	}
	if j.Left != nil {
		j.Left()
	}
	var o *outcome
	for _, anew := range []bool{false, true} {
		var data []byte
		data, err = x.Execute(ctx, r.prepared.Task, wallFactor*j.Proof.Timeout+wallTime, anew)
		if ctx.Err() != nil {
			return r, true
		}
		if err != nil {
			break
		}
		if o, err = readOutcome(data, r.prepared.Task, engine); err == nil {
			break
		}
	}
	switch {
	case err != nil && j.Left != nil:
		return Result{Lost: err}, true
	case err != nil:
		x.Note(err)
		return Result{}, false
	}
	settings := j.Settings
	checker := NewChecker(settings)
	out := checker.finish(&j.Proof, r.prepared, o)
	if j.Replay {
		l.replayHere(ctx, j, &out.Proof)
	}
	return out, true
}

// replayHere is Checker.replayAll for what a cluster has found.
func (l *Pool) replayHere(ctx context.Context, j *Job, p *diagnostics.Proof) {
	var failed []int
	r := ReplayRequest{Proof: j.Proof, Virtual: j.Virtual}
	for i, f := range p.Obligations {
		if f.Verdict == found.Failed && f.Run.Tape != nil {
			failed = append(failed, i)
			r.Findings = append(r.Findings, f)
		}
	}
	if len(failed) == 0 {
		return
	}
	again := *j
	again.Inputs, again.replay = nil, replayToWire(&r)
	result := l.do(ctx, &again, nil)
	if result.replay == nil {
		return
	}
	for k, out := range result.replay.Outcomes {
		f := &p.Obligations[failed[k]]
		f.Replay, f.ReplayDetail = out.Result, out.Message()
	}
}
