package remote

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// retryTime is the pause after a program could not be started, or crashed.
const retryTime = 30 * time.Second

// Client is a connection to a server, by way of the program. A nil Client has no entries and stores none. It is safe
// for concurrent use.
type Client struct {
	config Config
	link
}

// link is a connection to the program, which it restarts after failures.
type link struct {
	open Request // first request to the program

	mu     sync.Mutex
	p      *process
	broken error     // first error
	until  time.Time // no start before this time
}

// clients are the dialed Clients: one process per configuration.
var clients = struct {
	sync.Mutex
	by map[Config]*Client
}{by: map[Config]*Client{}}

// Dial returns the Client of a configuration, without starting the program. The error is one of the configuration or
// the environment.
func Dial(config Config) (*Client, error) {
	clients.Lock()
	defer clients.Unlock()
	if c := clients.by[config]; c != nil {
		return c, nil
	}
	if err := config.check(os.Getenv); err != nil {
		return nil, err
	}
	c := &Client{config: config, link: link{open: Request{Config: &config}}}
	clients.by[config] = c
	return c, nil
}

// process returns the running program; nil if it is not available at present.
func (l *link) process() *process {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.p != nil {
		err := l.p.ended()
		if err == nil {
			return l.p
		}
		l.fail(err)
	}
	if time.Now().Before(l.until) {
		return nil
	}
	p, err := start(l.open)
	if err != nil {
		l.fail(err)
		return nil
	}
	l.p = p
	return p
}

// fail records that there is no process. The caller holds l.mu.
func (l *link) fail(err error) {
	l.p, l.until = nil, time.Now().Add(retryTime)
	if l.broken == nil {
		l.broken = err
	}
}

// why returns why there is no process.
func (l *link) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// ping tests the connection from the program to its server.
func (l *link) ping() error {
	p := l.process()
	if p == nil {
		return l.why()
	}
	reply, _, err := p.ask(Request{Op: Ping}, nil)
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
	}
	return err
}

func (c *Client) ask(r Request) (Reply, []byte) {
	if c == nil {
		return Reply{}, nil
	}
	p := c.process()
	if p == nil {
		return Reply{}, nil
	}
	reply, body, err := p.ask(r, nil)
	if err != nil {
		return Reply{}, nil // the next call of process records the error
	}
	return reply, body
}

// Writable reports whether Put may store entries.
func (c *Client) Writable() bool {
	if c == nil || !c.config.Write {
		return false
	}
	reply, _ := c.ask(Request{Op: Status})
	return reply.Writable
}

// Usable reports whether the server is in use at present, for reading or writing.
func (c *Client) Usable() bool {
	reply, _ := c.ask(Request{Op: Status})
	return reply.Usable || reply.Writable
}

// Err returns why the configured server is, or was, not used; nil if it works, or is not configured.
func (c *Client) Err() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	p, err := c.p, c.broken
	c.mu.Unlock()
	if err == nil && p != nil {
		if reply, _, failed := p.ask(Request{Op: Status}, nil); failed != nil {
			err = failed
		} else if reply.Error != "" {
			err = errors.New(reply.Error)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.config.Server(), err)
	}
	return nil
}

// Get returns a stored entry. It returns false if there is none, if it is not the stored one, or if the server does not
// answer in time.
func (c *Client) Get(kind string, key Key) ([]byte, bool) {
	reply, body := c.ask(Request{Op: Get, Kind: kind, Key: key[:]})
	return body, reply.OK
}

// Put stores an entry in the background, if possible.
func (c *Client) Put(kind string, key Key, content []byte) {
	if c == nil || !c.config.Write {
		return
	}
	if p := c.process(); p != nil {
		p.tell(Request{Op: Put, Kind: kind, Key: key[:]}, content)
	}
}

// Flush waits for the writes of Put, for at most that long.
func (c *Client) Flush(most time.Duration) {
	if c == nil || !c.config.Write {
		return
	}
	c.mu.Lock()
	p := c.p
	c.mu.Unlock()
	if p != nil {
		// Err has the errors.
		_, _, _ = p.ask(Request{Op: Flush, Most: most}, nil)
	}
}

// Ping requests an entry that does not exist, and returns the error of the connection.
func (c *Client) Ping() error { return c.ping() }
