package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
)

// A check can be divided: a worker here compiles and links, another one, usually on another machine, runs the engine,
// and this process groups the findings, with the sources. This file has the messages.

// task is a complete query to the engine: it needs no file and no compiler.
type task struct {
	Engine string // the program that has to execute it; the results of others differ
	Proof  []byte // a wireProof in JSON, with the fields for the engine and the limits
	Text   []byte // the linked program
}

// newTask returns the task of a linked proof. It has only fields with an effect, so that equal tasks have equal bytes.
func newTask(engine string, p *project.Proof, m *clang.Module) ([]byte, error) {
	q := project.Proof{Entry: p.Entry, Contract: p.Contract, LoopContracts: p.LoopContracts,
		EntryUnit: project.Unit{File: p.EntryUnit.File}, Options: p.Options, Timeout: p.Timeout, MaxMemory: p.MaxMemory}
	proof, err := json.Marshal(proofToWire(q))
	if err != nil {
		return nil, err
	}
	return pack(task{engine, proof, m.Text})
}

// readTask returns a task and its proof.
func readTask(data []byte) (t task, p project.Proof, err error) {
	var wire wireProof
	if err = unpack(data, &t, defaultMemory); err == nil {
		err = json.Unmarshal(t.Proof, &wire)
	}
	return t, proofFromWire(&wire), err
}

// taskResult is the result of a task.
type taskResult struct {
	Task   [sha256.Size]byte // hash of the task
	Engine string            // the program that executed it
	Report *vcgen.Report     // nil: see Reason
	Reason found.Reason
	Stats  taskStats
	// Answers are the solver's answers (see ask.Memo), for checks of similar programs.
	Answers [][]byte
}

type taskStats struct{ VCGenMS, SolveMS, TotalMS, MemoryMB int64 }

// lasts reports whether the outcome is reproducible.
func (o *taskResult) lasts() bool { return o.Report != nil && o.Report.Stats.Unsettled == 0 }

var (
	errOther   = errors.New("its answer is the result of another task")
	errVersion = errors.New("another version of unitproof gave the result")
)

// readOutcome decodes the outcome of a task and checks that it belongs to that task and engine.
func readOutcome(data, task []byte, engine string) (*taskResult, error) {
	o := &taskResult{}
	switch err := unpack(data, o, defaultMemory); {
	case err != nil:
		return nil, errors.New("its answer is not a result")
	case o.Engine != engine:
		return nil, errVersion
	case o.Task != sha256.Sum256(task):
		return nil, errOther
	case o.Report == nil && o.Reason.None():
		return nil, errors.New("its answer is empty")
	case o.Report != nil && !plausible(o.Report):
		return nil, errors.New("its answer is malformed")
	}
	return o, nil
}

// prepared is a check without the engine's part.
type prepared struct {
	Task []byte
	Rest []byte // a serialized unfinished
}

// unfinished is the state of a prepared check besides its task.
type unfinished struct {
	Omitted     []vcgen.Instance
	Assumptions []found.Assumption // of the build
	Accept      []diagnostics.Accept
	Report      reportKeys
	Keep        bool // the report is to be stored under these keys
	CompileMS   int64
	TotalMS     int64
}

// errElsewhere ends the local part of a divided check.
var errElsewhere = errors.New("the verification is left to another machine")

// prepare replaces the engine's part in a divided check. live.later has the keys of the report.
func (c *Checker) prepare(ctx context.Context, p *project.Proof, b *built, meta *diagnostics.ProofMeta, live *Live,
	timer *timer) (*prepared, error) {
	engine, err := cache.Engine()
	if err != nil {
		return nil, err
	}
	rest := live.later
	if rest.Omitted, err = c.omitted(ctx, p, b, live); err != nil {
		return nil, err
	}
	rest.Assumptions, rest.Accept, rest.CompileMS = b.assumptions, meta.Accept, meta.Stats.CompileMS
	rest.TotalMS = time.Since(timer.start).Milliseconds()
	out := &prepared{}
	if out.Task, err = newTask(engine, p, b.module); err != nil {
		return nil, err
	}
	out.Rest, err = pack(rest)
	return out, err
}

// finish completes a prepared check with the outcome of its task.
func (c *Checker) finish(p *project.Proof, prep *prepared, o *taskResult) (result Result) {
	meta := c.meta(p)
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "%s: panic: %v\n%s", p.Name, r, debug.Stack())
			result = Result{Proof: unknownProof(meta, found.Reason{Why: found.InternalError, Text: fmt.Sprint(r)})}
		}
		if err := c.store.Err(); err != nil {
			result.Unkept = err.Error()
		}
	}()
	var rest unfinished
	if err := unpack(prep.Rest, &rest, p.MaxMemory); err != nil {
		return Result{Proof: unknownProof(meta, stoppedBy(err.Error()))}
	}
	meta.Accept = rest.Accept
	s := &meta.Stats
	s.CompileMS, s.VCGenMS, s.SolveMS = rest.CompileMS, o.Stats.VCGenMS, o.Stats.SolveMS
	if c.results != nil {
		c.results.addAnswers(c.results.answersKey(p), o.Answers, p.MaxMemory)
	}
	if o.Report == nil {
		result.Proof = unknownProof(meta, o.Reason)
	} else {
		if rest.Keep && c.results != nil {
			c.results.keepReport(rest.Report, o.Report)
		}
		result = c.conclude(p, o.Report, rest.Omitted, rest.Assumptions, meta, &Live{})
	}
	result.Proof.Stats.TotalMS, result.Proof.Stats.MemoryMB = rest.TotalMS+o.Stats.TotalMS, o.Stats.MemoryMB
	return result
}

// execute runs the engine on a task, in this process.
func (c *Checker) execute(ctx context.Context, data []byte) (o taskResult) {
	timer, stages := c.startTimer(), newStages(false)
	o.Task = sha256.Sum256(data)
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", r, debug.Stack())
			o.Report, o.Reason = nil, found.Reason{Why: found.InternalError, Text: fmt.Sprint(r)}
		}
		o.Stats.TotalMS = time.Since(timer.start).Milliseconds()
	}()
	t, p, err := readTask(data)
	if err == nil {
		o.Engine, err = cache.Engine()
	}
	if err == nil && t.Engine != o.Engine {
		err = errVersion
	}
	if err != nil {
		o.Reason = stoppedBy(err.Error())
		return o
	}
	limited, cancel := timer.limit(ctx, p.Timeout)
	defer cancel()
	var meta diagnostics.ProofMeta
	live := Live{memo: ask.NewMemo(nil)}
	o.Report, err = c.verify(limited, &p, &built{module: &clang.Module{Text: t.Text}}, &meta, &live, stages, timer)
	if segments, failed := live.memo.Segments(); failed == nil {
		o.Answers = segments
	}
	if err != nil {
		o.Report, o.Reason = nil, stopReason(limited, &p, err)
	}
	o.Stats.VCGenMS, o.Stats.SolveMS = meta.Stats.VCGenMS, meta.Stats.SolveMS
	return o
}

// ExecuteTask executes a task of a cluster: it reads the task from a file and writes its result to another. lasting
// reports whether the result is reproducible. On an error there is no result.
func ExecuteTask(ctx context.Context, taskFile, resultFile string) (lasting bool, err error) {
	data, err := regular.ReadFile(taskFile, maxFrame)
	if err != nil {
		return false, err
	}
	_, p, err := readTask(data)
	if err != nil {
		return false, fmt.Errorf("%s: no task of this version of unitproof: %w", taskFile, err)
	}
	if os.Getenv("TMPDIR") == "" { // the folder of the task is removed with it
		if err := os.Setenv("TMPDIR", filepath.Dir(resultFile)); err != nil {
			return false, err
		}
	}
	checker := NewChecker(Settings{})
	checker.cpu = ownTime // it starts no processes, see processTime
	defer checker.Close()
	collectRarely(p.MaxMemory / 4 * 3)
	o, err := limitTask(ctx, &p, func() taskResult { return checker.execute(ctx, data) })
	if err != nil {
		return false, err
	}
	if o.Task = sha256.Sum256(data); o.Engine == "" {
		o.Engine, err = cache.Engine()
	}
	if err != nil {
		return false, err
	}
	text, err := pack(o)
	if err != nil {
		return false, err
	}
	return o.lasts(), os.WriteFile(resultFile, text, 0o644)
}

// limitTask runs a function in this process within the limits of a proof, as process.check does for a worker.
//
// A second start of the program would cost more than most proofs. A function that exceeds a limit continues; the
// process has to end. After a crash there is no result, and the client checks the proof itself.
func limitTask(ctx context.Context, p *project.Proof, do func() taskResult) (o taskResult, err error) {
	start, began := time.Now(), ownTime()
	dog := &watchdog{timeout: p.Timeout, grace: graceTime,
		waited: func() time.Duration { return treeWaited(os.Getpid()) }}
	done := make(chan taskResult, 1)
	go func() { done <- do() }()
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case o = <-done:
			o.Stats.MemoryMB = peakSize(os.Getpid()) >> 20
			return o, nil
		case <-ctx.Done():
			return o, ctx.Err()
		case <-tick.C:
		}
		var reason found.Reason
		switch end := dog.look(ownTime()-began, time.Since(start)); {
		case ownSize(os.Getpid()) > p.MaxMemory:
			reason = memoryReason(p)
		case end != 0:
			reason = end.reason(p)
		default:
			continue
		}
		return taskResult{Reason: reason, Stats: taskStats{TotalMS: time.Since(start).Milliseconds(),
			MemoryMB: peakSize(os.Getpid()) >> 20}}, nil
	}
}
