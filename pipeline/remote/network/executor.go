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
	// answerTimes multiplies the timeout of a cache: a cluster is worth waiting for.
	answerTimes = 20
	// streams is the number of executions per connection: many servers and proxies allow at most a hundred.
	streams = 64
	// maxTries is the number of attempts per task, since workers come and go.
	maxTries = 3
	// cancelTime is how long the end of this program waits for cancellations to reach the cluster.
	cancelTime = 2 * time.Second
	// lookTime is the interval of heartbeats while a cluster executes tasks.
	lookTime = 15 * time.Second
)

// Pauses before the next attempt.
var pauses = [maxTries]time.Duration{100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// Executor executes tasks on the workers of a cluster. It is safe for concurrent use.
type Executor struct {
	config  remote.Cluster
	cluster *grpcServer // executes
	storage *grpcServer // stores contents and results
	program program
	next    atomic.Int64 // counter of executions, for the choice of a connection
	health  health

	cancelling sync.WaitGroup // cancellations in progress

	mu       sync.Mutex
	waiting  map[int64]context.CancelCauseFunc // executions in progress
	last     int64
	watching bool

	// Counters for measurements and tests.
	Requests, Recalled, Again atomic.Int64
}

var (
	errUnreachable = errors.New("it does not answer any more")
	errGone        = errors.New("it has lost the files of the task")
)

// NewExecutor prepares an Executor whose workers run the program at a path, without connecting. The error is one of the
// configuration or the environment.
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

// taskError is the error of a task that does not affect others.
type taskError struct{ err error }

func (e *taskError) Error() string { return e.err.Error() }
func (e *taskError) Unwrap() error { return e.err }

// Execute executes a task and returns the file that its action has written, after a check of its digest. most bounds
// the worker's time; with anew an existing result is ignored. The error is why there is no result.
func (x *Executor) Execute(ctx context.Context, task []byte, most time.Duration, repeat bool) ([]byte, error) {
	if err := x.health.closed(); err != nil {
		return nil, err
	}
	repeat = repeat || x.config.Anew
	for try := 0; ; try++ {
		result, err := x.attempt(ctx, task, most, repeat)
		if err == nil || ctx.Err() != nil {
			return result, err
		}
		var own *taskError
		about := errors.As(err, &own)
		if errors.Is(err, errForeign) || errors.Is(err, errGone) || about {
			repeat = true // the existing result is useless
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

// again reports whether another attempt may succeed.
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

// attempt executes a task once.
func (x *Executor) attempt(ctx context.Context, task []byte, most time.Duration, repeat bool) ([]byte, error) {
	program, err := x.program.digest()
	if err != nil {
		return nil, err
	}
	j, err := newJob(program, task, most, x.config.Platform)
	if err != nil {
		return nil, err
	}
	if !repeat {
		result, err := x.recall(ctx, j)
		if result != nil || errors.Is(err, errRefused) {
			return result, err
		}
		repeat = errors.Is(err, errForeign) || errors.Is(err, errGone)
	}
	if err := x.storage.putJob(ctx, j, &x.program); err != nil {
		return nil, err
	}
	response, err := x.execute(ctx, j.action, repeat)
	if err != nil {
		return nil, err
	}
	data, at, err := resultOf(response.GetResult())
	if err != nil {
		return nil, &taskError{err}
	}
	return x.content(ctx, data, at)
}

// content returns the content of a result's file, which may be inline.
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

// recall returns an existing result of the same action; nil if there is none, or it is useless.
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

// execute executes an action and waits for its end. If ctx ends, the operation is cancelled, too; if its name is not
// known yet, execute waits a little for the name.
func (x *Executor) execute(ctx context.Context, action digest, repeat bool) (*reapi.ExecuteResponse, error) {
	parent := ctx
	ctx, leave := x.wait(x.cluster.with(context.WithoutCancel(parent)))
	defer leave()
	var named atomic.Bool
	defer context.AfterFunc(parent, func() {
		if named.Load() {
			leave()
		} else {
			time.AfterFunc(cancelTime/2, leave)
		}
	})()
	connection := x.cluster.connections[1+x.next.Add(1)%int64(len(x.cluster.connections)-1)]
	service := reapi.NewExecutionClient(connection)
	stream, err := service.Execute(ctx, &reapi.ExecuteRequest{InstanceName: x.cluster.instance,
		ActionDigest: action.message(), SkipCacheLookup: repeat, InlineStderr: true, InlineOutputFiles: []string{resultName}})
	for name, lost := "", 0; ; {
		var op *longrunningpb.Operation
		if err == nil {
			op, err = stream.Recv()
		}
		switch {
		case err == nil && op.GetDone():
			return executed(op)
		case err == nil && parent.Err() == nil:
			name, lost = op.GetName(), 0
			named.Store(true)
			if parent.Err() == nil {
				continue
			}
			fallthrough
		case parent.Err() != nil:
			name = cmp.Or(name, op.GetName())
			x.cancel(parent, name)
			return nil, parent.Err()
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, io.EOF): // the operation may continue
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
		case <-parent.Done():
		case <-ctx.Done():
		case <-time.After(pauses[lost]):
		}
		lost++
		stream, err = service.WaitExecution(ctx, &reapi.WaitExecutionRequest{Name: name})
	}
}

// executed decodes the end of an operation.
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

// actionError returns the error of an action that was not executed. Missing contents can be uploaded again; the lack of
// workers, and invalid actions, concern all tasks.
func actionError(s *status.Status) error {
	switch s.Code() {
	case codes.FailedPrecondition:
		if missesContents(s) {
			return errGone
		}
		return codeError(s.Code(), s.Message())
	case codes.NotFound: // of contents, too, on servers that do not follow the protocol
		return errGone
	case codes.OK:
		return errors.New("it ends an operation without a response")
	case codes.InvalidArgument, codes.Unimplemented, codes.Unauthenticated, codes.PermissionDenied:
		return codeError(s.Code(), s.Message())
	}
	return &taskError{fmt.Errorf("a worker: %w", &codedError{s.Code(), s.Message()})}
}

// cancel cancels an operation.
func (x *Executor) cancel(ctx context.Context, name string) {
	if name == "" {
		return
	}
	ctx, done := context.WithTimeout(x.cluster.with(context.WithoutCancel(ctx)), cancelTime)
	x.cancelling.Go(func() {
		defer done()
		// Clusters without this call notice that the stream was closed.
		_, _ = longrunningpb.NewOperationsClient(x.cluster.connections[0]).CancelOperation(ctx,
			&longrunningpb.CancelOperationRequest{Name: name})
	})
}

// wait returns a context that ends if the cluster stops answering, since an execution may take any time.
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

// watch sends heartbeats to the cluster while executions wait.
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

// Flush waits until cancellations have reached the cluster.
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

// Ping requests the capabilities of cluster and storage, and returns an error if one is missing.
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
