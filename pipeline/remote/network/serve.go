package network

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// Run is the program: "serve" serves requests, "key" prints a new pair of keys.
func Run(args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "serve":
		return Serve(in, out)
	case len(args) == 1 && args[0] == "key":
		secret, public, err := NewKey()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s=%s\nkeys = [%q]\n", remote.EnvSecret, secret, public)
		return err
	}
	return errors.New("unitproof starts this program for itself, where a shared cache is configured: " +
		"\"unitproof check --help\" tells of --remote-cache")
}

// Serve serves the requests of one program until in ends.
func Serve(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 1<<16)
	s := &session{out: out, running: map[uint64]context.CancelFunc{}}
	defer s.end()
	for {
		var req remote.Request
		body, err := remote.ReadFrame(r, &req)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = s.take(&req, body)
		}
		if err != nil {
			return fmt.Errorf("requests: %w", err)
		}
	}
}

type session struct {
	client   *Client   // of a cache
	executor *Executor // of a cluster, instead of client

	executions sync.WaitGroup
	mu         sync.Mutex
	running    map[uint64]context.CancelFunc // by the number of the request

	writing sync.Mutex
	out     io.Writer
}

// take handles a request: those with an order at once, those that wait for the server in the background.
func (s *session) take(req *remote.Request, body []byte) error {
	switch {
	case s.executor != nil:
		return s.takeTask(req, body)
	case s.client == nil:
		return s.open(req)
	}
	switch req.Op {
	case remote.Put:
		if len(req.Key) != len(remote.Key{}) {
			return errors.New("a key of another length")
		}
		s.client.Put(req.Kind, remote.Key(req.Key), body)
	case remote.Get:
		if len(req.Key) != len(remote.Key{}) {
			return errors.New("a key of another length")
		}
		go func() {
			content, ok := s.client.Get(req.Kind, remote.Key(req.Key))
			s.reply(remote.Reply{ID: req.ID, OK: ok}, content)
		}()
	case remote.Status:
		reply := remote.Reply{ID: req.ID, Usable: s.client.Usable(), Writable: s.client.Writable()}
		if err := s.client.Err(); err != nil {
			reply.Error = err.Error()
		}
		s.reply(reply, nil)
	case remote.Flush:
		go func() {
			s.client.Flush(req.Most)
			s.reply(remote.Reply{ID: req.ID}, nil)
		}()
	case remote.Ping:
		go func() {
			reply := remote.Reply{ID: req.ID}
			if err := s.client.Ping(); err != nil {
				reply.Error = err.Error()
			}
			s.reply(reply, nil)
		}()
	default:
		return fmt.Errorf("%q is not known", req.Op)
	}
	return nil
}

// takeTask is take for a cluster.
func (s *session) takeTask(req *remote.Request, body []byte) error {
	reply := remote.Reply{ID: req.ID}
	switch req.Op {
	case remote.Execute:
		ctx, cancel := context.WithCancel(context.Background())
		s.mu.Lock()
		s.running[req.ID] = cancel
		s.mu.Unlock()
		s.executions.Go(func() {
			defer cancel()
			result, err := s.executor.Execute(ctx, body, req.Most, req.Anew)
			s.mu.Lock()
			delete(s.running, req.ID)
			s.mu.Unlock()
			if reply.OK = err == nil; err != nil {
				reply.Error, reply.Usable = err.Error(), s.executor.health.closed() == nil
			}
			s.reply(reply, result)
		})
	case remote.Cancel:
		s.mu.Lock()
		if cancel := s.running[req.ID]; cancel != nil {
			cancel()
		}
		s.mu.Unlock()
	case remote.Status:
		s.reply(reply, nil)
	case remote.Ping:
		go func() {
			if err := s.executor.Ping(); err != nil {
				reply.Error = err.Error()
			}
			s.reply(reply, nil)
		}()
	default:
		return fmt.Errorf("%q is not known of a cluster", req.Op)
	}
	return nil
}

// end cancels all executions.
func (s *session) end() {
	if s.executor == nil {
		return
	}
	s.mu.Lock()
	for _, cancel := range s.running {
		cancel()
	}
	s.mu.Unlock()
	s.executions.Wait()
	s.executor.Flush()
}

func (s *session) open(req *remote.Request) error {
	reply := remote.Reply{ID: req.ID}
	switch {
	case req.Op != remote.Open || req.Config == nil && req.Cluster == nil:
		return fmt.Errorf("%q before %q", req.Op, remote.Open)
	case req.Protocol != remote.Protocol:
		reply.Error = remote.Program + " belongs to another version of unitproof"
	case req.Cluster != nil:
		executor, err := NewExecutor(*req.Cluster, req.Program)
		if err != nil {
			reply.Error = err.Error()
		} else {
			s.executor, reply.OK, reply.Longest = executor, true, 3*executor.cluster.timeout
		}
	default:
		client, err := Dial(*req.Config)
		if err != nil {
			reply.Error = err.Error()
		} else {
			s.client, reply.OK, reply.Longest = client, true, client.Longest()
		}
	}
	s.reply(reply, nil)
	return nil
}

// reply writes a reply. If that fails, the parent is gone, and there are no more requests either.
func (s *session) reply(r remote.Reply, body []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = remote.WriteFrame(s.out, r, body) // see above
}
