package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/unitproof/unitproof/pipeline/remote"
)

const (
	// answerTimes is how much longer than a cache a cluster may take for an answer: nobody is better off without it.
	answerTimes = 20
	// streams is how many executions one connection carries: many servers and proxies let no more than a hundred.
	streams = 64
	// maxTries is how often a task is given to a cluster, since workers come and go.
	maxTries = 3
	// cancelTime is how long the end of this program waits for a cluster to hear of it.
	cancelTime = 2 * time.Second
	// lookTime is how often a cluster that executes something is asked whether it is there.
	lookTime = 15 * time.Second
)

// Waits before a task is given again.
var pauses = [maxTries]time.Duration{100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// Executor gives tasks to the workers of a cluster. It may be used by several goroutines.
type Executor struct {
	config  remote.Cluster
	cluster *grpcServer // executes
	storage *grpcServer // keeps
	program program
	next    atomic.Int64 // connection
	health  health

	cancelling sync.WaitGroup // messages to the cluster that something is not wanted any more

	mu       sync.Mutex
	waiting  map[int64]context.CancelCauseFunc // executions under way
	last     int64
	watching bool

	// Counters for those who measure and test.
	Requests, Recalled, Again atomic.Int64
}

var (
	errUnreachable = errors.New("it does not answer any more")
	errGone        = errors.New("it has lost what it was given")
)

// NewExecutor prepares an Executor whose workers run the program at a path; nothing is sent yet. The error says what is
// wrong with the configuration or the environment.
func NewExecutor(config remote.Cluster, path string) (*Executor, error) {
	secrets, err := remote.ReadSecrets(os.Getenv)
	if err != nil {
		return nil, err
	}
	secrets.Timeout *= answerTimes
	trusted, err := trust(config.CA)
	if err != nil {
		return nil, err
	}
	dial := func(address string, connections int) (*grpcServer, error) {
		base, err := remote.ParseURL(address)
		if err != nil {
			return nil, err
		}
		return dialGRPC(base, trusted, secrets, connections)
	}
	x := &Executor{config: config, program: program{path: path}, waiting: map[int64]context.CancelCauseFunc{}}
	jobs := config.Jobs
	if jobs <= 0 {
		jobs = remote.DefaultJobs
	}
	if x.cluster, err = dial(config.URL, 2+(jobs-1)/streams); err != nil {
		return nil, err
	}
	x.storage = x.cluster
	if config.Storage != "" && config.Storage != config.URL {
		x.storage, err = dial(config.Storage, 1)
	}
	return x, err
}

// taskError is why a cluster has no result of one task, which says nothing about others.
type taskError struct{ err error }

func (e *taskError) Error() string { return e.err.Error() }
func (e *taskError) Unwrap() error { return e.err }

// Execute has a task done; most is how long the worker may take; anew: no result counts that stands there. What comes
// back is what an action wrote, with the digest that the cluster says. The error says why there is nothing.
func (x *Executor) Execute(ctx context.Context, task []byte, most time.Duration, anew bool) ([]byte, error) {
	if err := x.health.closed(); err != nil {
		return nil, err
	}
	anew = anew || x.config.Anew
	for try := 0; ; try++ {
		result, err := x.attempt(ctx, task, most, anew)
		if err == nil || ctx.Err() != nil {
			return result, err
		}
		var own *taskError
		about := errors.As(err, &own)
		if errors.Is(err, errForeign) || errors.Is(err, errGone) || about {
			anew = true // what stands there is of no use
		}
		if try+1 == maxTries || !again(err) {
			if !about {
				x.health.failed(inTime(err), errors.Is(err, errRefused))
			}
			return nil, inTime(err)
		}
		x.Again.Add(1)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pauses[try]):
		}
		if err := x.health.closed(); err != nil {
			return nil, err
		}
	}
}

// again tells whether what failed may go well the next time.
func again(err error) bool {
	var coded *codedError
	switch {
	case errors.Is(err, errRefused):
		return false
	case errors.As(err, &coded):
		switch coded.code {
		case codes.InvalidArgument, codes.FailedPrecondition, codes.Unimplemented, codes.OutOfRange:
			return false
		}
	}
	return true
}

// attempt does a task once.
func (x *Executor) attempt(ctx context.Context, task []byte, most time.Duration, anew bool) ([]byte, error) {
	program, err := x.program.digest()
	if err != nil {
		return nil, err
	}
	j, err := newJob(program, task, most, x.config.Platform)
	if err != nil {
		return nil, err
	}
	if !anew {
		result, err := x.recall(ctx, j)
		if result != nil || errors.Is(err, errRefused) {
			return result, err
		}
		anew = errors.Is(err, errForeign) || errors.Is(err, errGone)
	}
	if err := x.storage.putJob(ctx, j, &x.program); err != nil {
		return nil, err
	}
	response, err := x.execute(ctx, j.action, anew)
	if err != nil {
		return nil, err
	}
	data, at, err := resultOf(response.GetResult())
	if err != nil {
		return nil, &taskError{err}
	}
	return x.content(ctx, data, at)
}

// content is that of a result's file, which may have come with the result.
func (x *Executor) content(ctx context.Context, data []byte, at digest) ([]byte, error) {
	if len(data) > 0 && digestOf(data) == at {
		return data, nil
	}
	data, err := x.storage.fetch(ctx, at)
	if errors.Is(err, errMissing) {
		err = errGone
	}
	return data, err
}

// recall takes the result of the same action that stands there; nil: there is none, or it is of no use.
func (x *Executor) recall(ctx context.Context, j *job) ([]byte, error) {
	short, cancel := x.storage.soon(ctx)
	defer cancel()
	x.Requests.Add(1)
	r, err := x.storage.results.GetActionResult(short, &reapi.GetActionResultRequest{InstanceName: x.storage.instance,
		ActionDigest: j.action.message(), InlineOutputFiles: []string{resultName}})
	if err != nil {
		return nil, grpcError(err)
	}
	data, at, err := resultOf(r)
	if err == nil && r.GetExitCode() == 0 {
		if data, err = x.content(ctx, data, at); err == nil {
			x.Recalled.Add(1)
			return data, nil
		}
	}
	return nil, err
}

// execute has an action executed, and waits. Who does not want it any more ends the operation, too; while its name is
// not known yet, that is waited for a little.
func (x *Executor) execute(ctx context.Context, action digest, anew bool) (*reapi.ExecuteResponse, error) {
	whole := ctx
	ctx, leave := x.wait(x.cluster.with(context.WithoutCancel(whole)))
	defer leave()
	var named atomic.Bool
	defer context.AfterFunc(whole, func() {
		if named.Load() {
			leave()
		} else {
			time.AfterFunc(cancelTime/2, leave)
		}
	})()
	connection := x.cluster.connections[1+x.next.Add(1)%int64(len(x.cluster.connections)-1)]
	service := reapi.NewExecutionClient(connection)
	stream, err := service.Execute(ctx, &reapi.ExecuteRequest{InstanceName: x.cluster.instance,
		ActionDigest: action.message(), SkipCacheLookup: anew, InlineStderr: true, InlineOutputFiles: []string{resultName}})
	for name, lost := "", 0; ; {
		var op *longrunningpb.Operation
		if err == nil {
			op, err = stream.Recv()
		}
		switch {
		case err == nil && op.GetDone():
			return executed(op)
		case err == nil && whole.Err() == nil:
			name, lost = op.GetName(), 0
			named.Store(true)
			if whole.Err() == nil {
				continue
			}
			fallthrough
		case whole.Err() != nil:
			name = cmp.Or(name, op.GetName())
			x.cancel(whole, name)
			return nil, whole.Err()
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, io.EOF): // the operation goes on, as far as anybody knows
			err = errGone
		case status.Code(err) == codes.NotFound && name != "":
			return nil, errGone
		default:
			err = grpcError(err)
		}
		if name == "" || lost == maxTries || !again(err) {
			return nil, err
		}
		select {
		case <-whole.Done():
		case <-ctx.Done():
		case <-time.After(pauses[lost]):
		}
		lost++
		stream, err = service.WaitExecution(ctx, &reapi.WaitExecutionRequest{Name: name})
	}
}

// executed reads the end of an operation.
func executed(op *longrunningpb.Operation) (*reapi.ExecuteResponse, error) {
	if e := op.GetError(); e != nil {
		return nil, actionError(status.FromProto(e))
	}
	r := &reapi.ExecuteResponse{}
	if op.GetResponse() == nil || op.GetResponse().UnmarshalTo(r) != nil {
		return nil, errors.New("it ends an operation without a response")
	}
	if r.GetStatus().GetCode() != int32(codes.OK) {
		return nil, actionError(status.FromProto(r.GetStatus()))
	}
	return r, nil
}

// actionError is why an action was not executed. What is missing can be put again; that nobody can execute it, or that
// it makes no sense, is true of all.
func actionError(s *status.Status) error {
	switch s.Code() {
	case codes.FailedPrecondition:
		if missesContents(s) {
			return errGone
		}
		return codeError(s.Code(), s.Message())
	case codes.NotFound: // of contents, too, where a server does not say it as it should
		return errGone
	case codes.OK:
		return errors.New("it ends an operation without a response")
	case codes.InvalidArgument, codes.Unimplemented, codes.Unauthenticated, codes.PermissionDenied:
		return codeError(s.Code(), s.Message())
	}
	return &taskError{fmt.Errorf("a worker: %w", &codedError{s.Code(), s.Message()})}
}

// cancel tells the cluster that an operation is not wanted any more.
func (x *Executor) cancel(ctx context.Context, name string) {
	if name == "" {
		return
	}
	ctx, done := context.WithTimeout(x.cluster.with(context.WithoutCancel(ctx)), cancelTime)
	x.cancelling.Go(func() {
		defer done()
		// Clusters that do not know it see that nobody listens any more.
		_, _ = longrunningpb.NewOperationsClient(x.cluster.connections[0]).CancelOperation(ctx,
			&longrunningpb.CancelOperationRequest{Name: name})
	})
}

// wait bounds an execution, which may take any time, by the life of the cluster.
func (x *Executor) wait(ctx context.Context) (limited context.Context, leave func()) {
	limited, cancel := context.WithCancelCause(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last++
	id := x.last
	x.waiting[id] = cancel
	if !x.watching {
		x.watching = true
		go x.watch()
	}
	return limited, func() {
		cancel(nil)
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.waiting, id)
	}
}

// watch looks whether the cluster is there as long as something is waited for.
func (x *Executor) watch() {
	for misses := 0; ; {
		time.Sleep(lookTime)
		x.mu.Lock()
		if len(x.waiting) == 0 {
			x.watching = false
			x.mu.Unlock()
			return
		}
		x.mu.Unlock()
		if _, err := x.cluster.ask(); err == nil {
			misses = 0
			continue
		}
		if misses++; misses > 1 {
			x.mu.Lock()
			for _, cancel := range x.waiting {
				cancel(errUnreachable)
			}
			x.mu.Unlock()
		}
	}
}

// Flush waits until the cluster has heard what is not wanted any more.
func (x *Executor) Flush() {
	done := make(chan struct{})
	go func() {
		x.cancelling.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(cancelTime):
	}
}

// Ping asks cluster and storage what they can do, and says what is missing.
func (x *Executor) Ping() error {
	c, err := x.cluster.capabilities()
	if err != nil {
		return err
	}
	if !c.GetExecutionCapabilities().GetExecEnabled() {
		return errors.New("it executes nothing (Capabilities)")
	}
	ctx, cancel := context.WithTimeout(context.Background(), x.storage.timeout)
	defer cancel()
	if err := x.storage.ping(ctx, false); err != nil && !errors.Is(err, errMissing) {
		return fmt.Errorf("storage: %w", err)
	}
	return nil
}
