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

// Checks whose engine's part is done by a cluster (Settings.Cluster). Compiling and linking stay on this machine: they
// need its headers and compilers, are cached, and take a small part of the time. Only the linked program is sent. The
// reply has to name the task and the program. If the cluster fails, the check is done here, with a note.

// clusterOf returns the cluster for a job; nil if the job is done here.
func (l *Pool) clusterOf(j *Job) *remote.Executor {
	if j.Cluster.URL == "" || j.replay != nil || j.strength != nil || j.Measure ||
		j.Solver != "" && j.Solver != solver.Default {
		return nil
	}
	return l.servers.cluster(j.Cluster)
}

// wallFactor and wallTime bound the wall-clock time of a task, by the CPU time of its proof: wallFactor * CPU time +
// wallTime. Workers of a cluster do other tasks, too.
const (
	wallFactor = 2
	wallTime   = time.Minute
)

// niceBeside is added to the niceness of workers that compile for a cluster. Once the cluster has its tasks in time, a
// higher priority gains nothing, and costs the workers of the cluster, or the user, on the same machine. With two of
// each on two processors 157 proofs took 12 to 22 % longer than without a cluster; with this niceness, 5 to 8 %.
const niceBeside = 10

// divided does the engine's part of a check on the cluster, the rest here; false if the check is to be done here.
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
	var o *taskResult
	for _, repeat := range []bool{false, true} {
		var data []byte
		data, err = x.Execute(ctx, r.prepared.Task, wallFactor*j.Proof.Timeout+wallTime, repeat)
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

// replayHere is Checker.replayAll for the findings of a cluster.
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
