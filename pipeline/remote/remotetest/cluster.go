package remotetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/bazelbuild/remote-apis/build/bazel/semver"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Cluster is a Server that also executes actions, with configurable faults.
type Cluster struct {
	*Server
	dir     string        // of the actions' folders
	workers chan struct{} // a slot for each worker
	writing sync.Mutex    // held while programs are written
	oldest  string        // first program

	mu         sync.Mutex
	operations map[string]*operation
	last       int
	fault      Fault
	first      *reapi.Digest // digest of the first result
	executed   int
	cancelled  int
}

// Fault is a fault of executions.
type Fault string

// Faults.
const (
	Fine     Fault = ""
	Killed   Fault = "killed"   // every second worker is killed before its action ends, and the cluster reports it
	Hangup   Fault = "hangup"   // each stream ends before its operation
	Forgets  Fault = "forgets"  // every second action lacks its contents
	Garbage  Fault = "garbage"  // results are other bytes, with their digests
	Mixed    Fault = "mixed"    // all results are the first action's
	Damaged  Fault = "damaged"  // results do not match their digests
	Crash    Fault = "crash"    // workers exit without a result
	Nobody   Fault = "nobody"   // there are no workers
	Expired  Fault = "expired"  // credentials have expired
	Blocked  Fault = "blocked"  // actions do not end before they are cancelled
	Vanished Fault = "vanished" // every call fails, as if there were no server
	Outdated Fault = "outdated" // workers always run the first program
)

type operation struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
	end    *longrunningpb.Operation // valid when done is closed
}

// clusterServer implements the Cluster's services.
type clusterServer struct {
	reapi.UnimplementedExecutionServer
	longrunningpb.UnimplementedOperationsServer
	*Cluster
}

// StartCluster starts a cluster with so many workers, which ends with the test.
func StartCluster(t testing.TB, workers int) *Cluster {
	t.Helper()
	c, stop, err := NewCluster("127.0.0.1:0", workers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return c
}

// NewCluster starts a cluster.
func NewCluster(address string, workers int) (c *Cluster, stop func(), err error) {
	dir, err := os.MkdirTemp("", "cluster-*")
	if err != nil {
		return nil, nil, err
	}
	c = &Cluster{dir: dir, workers: make(chan struct{}, workers), operations: map[string]*operation{}}
	g := grpc.NewServer(grpc.ChainUnaryInterceptor(func(ctx context.Context, r any, _ *grpc.UnaryServerInfo,
		handle grpc.UnaryHandler) (any, error) {
		if err := c.fails(); err != nil {
			return nil, err
		}
		return handle(ctx, r)
	}), grpc.ChainStreamInterceptor(func(s any, stream grpc.ServerStream, _ *grpc.StreamServerInfo,
		handle grpc.StreamHandler) error {
		if err := c.fails(); err != nil {
			return err
		}
		return handle(s, stream)
	}))
	server, listener, err := newGRPC(g, address)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	c.Server = server.Server
	server.executes = true
	reapi.RegisterExecutionServer(g, &clusterServer{Cluster: c})
	longrunningpb.RegisterOperationsServer(g, &clusterServer{Cluster: c})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = g.Serve(listener) // the clients notice
	}()
	return c, func() {
		c.mu.Lock()
		for _, op := range c.operations {
			op.cancel()
		}
		c.mu.Unlock()
		g.Stop()
		<-served
		_ = os.RemoveAll(dir) // in the folder for temporary files
	}, nil
}

// Befall sets the fault of executions, and removes the results of earlier ones.
func (c *Cluster) Befall(f Fault) {
	files := c.Files()
	maps.DeleteFunc(files, func(path string, _ []byte) bool { return strings.HasPrefix(path, "/ac/") })
	c.SetFiles(files)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = f
}

// Counts returns the numbers of executed (or started) actions and of cancelled operations since the last call.
func (c *Cluster) Counts() (executed, cancelled int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	executed, cancelled, c.executed, c.cancelled = c.executed, c.cancelled, 0, 0
	return executed, cancelled
}

func (c *Cluster) fails() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.fault {
	case Expired:
		return status.Error(codes.Unauthenticated, "the token has expired")
	case Vanished:
		return status.Error(codes.Unavailable, "nobody is there")
	}
	return nil
}

func (s *clusterServer) Execute(r *reapi.ExecuteRequest, out reapi.Execution_ExecuteServer) error {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	s.last++
	op := &operation{name: fmt.Sprintf("operations/%d", s.last), cancel: cancel, done: make(chan struct{})}
	s.operations[op.name] = op
	number, fault := s.last, s.fault
	s.mu.Unlock()
	go func() {
		defer close(op.done)
		defer cancel()
		response := &reapi.ExecuteResponse{}
		result, err := s.run(ctx, r, number, fault)
		if err != nil {
			response.Status = status.Convert(err).Proto()
		} else {
			response.Result = result
		}
		packed, err := anypb.New(response)
		if err != nil {
			panic(err)
		}
		op.end = &longrunningpb.Operation{Name: op.name, Done: true,
			Result: &longrunningpb.Operation_Response{Response: packed}}
	}()
	if err := out.Send(&longrunningpb.Operation{Name: op.name}); err != nil {
		return err
	}
	if fault == Hangup {
		return status.Error(codes.Unavailable, "the connection was lost")
	}
	return op.wait(out)
}

func (op *operation) wait(out grpc.ServerStreamingServer[longrunningpb.Operation]) error {
	select {
	case <-op.done:
		return out.Send(op.end)
	case <-out.Context().Done():
		return out.Context().Err()
	}
}

func (s *clusterServer) WaitExecution(r *reapi.WaitExecutionRequest, out reapi.Execution_WaitExecutionServer) error {
	s.mu.Lock()
	op := s.operations[r.Name]
	s.mu.Unlock()
	if op == nil {
		return status.Error(codes.NotFound, "no such operation")
	}
	if err := out.Send(&longrunningpb.Operation{Name: op.name}); err != nil {
		return err
	}
	return op.wait(out)
}

func (s *clusterServer) CancelOperation(_ context.Context,
	r *longrunningpb.CancelOperationRequest,
) (*emptypb.Empty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op := s.operations[r.Name]; op != nil {
		op.cancel()
		s.cancelled++
	}
	return &emptypb.Empty{}, nil
}

// read returns a stored message; a missing one is added to missing.
func (c *Cluster) read(d *reapi.Digest, m proto.Message, missing *errdetails.PreconditionFailure) []byte {
	data, ok := c.file("/cas/" + d.GetHash())
	if !ok || m != nil && proto.Unmarshal(data, m) != nil {
		missing.Violations = append(missing.Violations, &errdetails.PreconditionFailure_Violation{Type: "MISSING",
			Subject: fmt.Sprintf("blobs/%s/%d", d.GetHash(), d.GetSizeBytes())})
	}
	return data
}

// run executes an action.
func (c *Cluster) run(ctx context.Context, r *reapi.ExecuteRequest, number int,
	fault Fault,
) (*reapi.ActionResult, error) {
	select {
	case c.workers <- struct{}{}:
		defer func() { <-c.workers }()
	case <-ctx.Done():
		return nil, status.Error(codes.Canceled, "cancelled")
	}
	c.mu.Lock()
	c.executed++
	c.mu.Unlock()
	var action reapi.Action
	var command reapi.Command
	var root reapi.Directory
	var missing errdetails.PreconditionFailure
	switch {
	case fault == Nobody:
		return nil, status.Error(codes.FailedPrecondition, "no workers exist for this platform")
	case fault == Forgets && number%2 == 1:
		c.SetFiles(map[string][]byte{})
	case fault == Blocked:
		<-ctx.Done()
		return nil, status.Error(codes.Canceled, "cancelled")
	}
	c.read(r.ActionDigest, &action, &missing)
	c.read(action.CommandDigest, &command, &missing)
	c.read(action.InputRootDigest, &root, &missing)
	dir := filepath.Join(c.dir, fmt.Sprint(number))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, f := range root.Files {
		data := c.read(f.Digest, nil, &missing)
		if err := c.place(filepath.Join(dir, f.Name), f, data, fault); err != nil {
			return nil, err
		}
	}
	if len(missing.Violations) > 0 {
		s, err := status.New(codes.FailedPrecondition, "contents are missing").WithDetails(&missing)
		if err != nil {
			return nil, err
		}
		return nil, s.Err()
	}
	if fault == Crash {
		command.Arguments = []string{"/bin/sh", "-c", "echo out of something >&2; exit 7"}
	}
	cmd := exec.CommandContext(ctx, command.Arguments[0], command.Arguments[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "GORACE=" + os.Getenv("GORACE")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if fault == Killed && number%2 == 1 {
		if err := cmd.Cancel(); err != nil {
			return nil, err
		}
	}
	err := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, status.Error(codes.Canceled, "cancelled")
	case fault == Killed && number%2 == 1:
		return nil, status.Error(codes.Unavailable, "the worker disappeared while it executed a task")
	}
	result := &reapi.ActionResult{ExitCode: int32(cmd.ProcessState.ExitCode()), StderrRaw: stderr.Bytes()}
	for _, name := range command.OutputPaths {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		d := &reapi.Digest{Hash: hashOf(data), SizeBytes: int64(len(data))}
		c.keep("/cas/"+d.Hash, data)
		result.OutputFiles = append(result.OutputFiles, &reapi.OutputFile{Path: name, Digest: d})
	}
	if err == nil && !action.DoNotCache {
		text, err := proto.Marshal(result)
		if err != nil {
			return nil, err
		}
		c.keep("/ac/"+r.ActionDigest.Hash, text)
	}
	return c.falsify(result, fault), nil
}

// falsify changes a result according to the fault.
func (c *Cluster) falsify(result *reapi.ActionResult, fault Fault) *reapi.ActionResult {
	for _, f := range result.OutputFiles {
		data, _ := c.file("/cas/" + f.Digest.Hash)
		switch fault {
		case Garbage:
			data = bytes.Repeat([]byte("no result "), 100)
			f.Digest = &reapi.Digest{Hash: hashOf(data), SizeBytes: int64(len(data))}
			c.keep("/cas/"+f.Digest.Hash, data)
		case Damaged:
			data = bytes.Clone(data)
			data[len(data)/2] ^= 1
			c.keep("/cas/"+f.Digest.Hash, data)
		case Mixed:
			c.mu.Lock()
			if c.first == nil {
				c.first = f.Digest
			}
			f.Digest = c.first
			c.mu.Unlock()
		}
	}
	return result
}

// place creates a file in the folder of an action. Programs are written once, since they are large.
func (c *Cluster) place(path string, f *reapi.FileNode, data []byte, fault Fault) error {
	if !f.IsExecutable {
		return os.WriteFile(path, data, 0o600)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	known := filepath.Join(c.dir, "program-"+f.Digest.Hash)
	if _, err := os.Stat(known); err != nil && data == nil {
		return nil // missing, as reported
	} else if err != nil {
		// No concurrently forked process may inherit the file open for writing, or starting the program fails.
		syscall.ForkLock.RLock()
		err := os.WriteFile(known, data, 0o700)
		syscall.ForkLock.RUnlock()
		if err != nil {
			return err
		}
	}
	if c.oldest = cmp.Or(c.oldest, known); fault == Outdated {
		known = c.oldest
	}
	return os.Link(known, path)
}

// execution adds the capabilities of a cluster.
func (s *grpcServer) execution(c *reapi.ServerCapabilities) *reapi.ServerCapabilities {
	if s.executes {
		c.ExecutionCapabilities = &reapi.ExecutionCapabilities{ExecEnabled: true,
			DigestFunction: reapi.DigestFunction_SHA256}
		c.HighApiVersion = &semver.SemVer{Major: 2, Minor: 3}
	}
	return c
}
