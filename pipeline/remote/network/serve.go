package network

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// Run is the program: "serve" answers requests, "key" makes a pair of keys.
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

// Serve answers the requests of one program until in ends.
func Serve(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 1<<16)
	s := &session{out: out}
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
	client *Client

	writing sync.Mutex
	out     io.Writer
}

// take deals with a request: at once what has an order, and beside the others what waits for the server.
func (s *session) take(req *remote.Request, body []byte) error {
	if s.client == nil {
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

func (s *session) open(req *remote.Request) error {
	reply := remote.Reply{ID: req.ID}
	switch {
	case req.Op != remote.Open || req.Config == nil:
		return fmt.Errorf("%q before %q", req.Op, remote.Open)
	case req.Protocol != remote.Protocol:
		reply.Error = remote.Program + " belongs to another version of unitproof"
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

// reply writes an answer down. Nobody reads it where that fails, and then there are no more requests either.
func (s *session) reply(r remote.Reply, body []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = remote.WriteFrame(s.out, r, body) // see above
}
