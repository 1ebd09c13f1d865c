package remote

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// retryTime is how long a program that could not be started, or broke down, is left alone.
const retryTime = 30 * time.Second

// Client is a server as this program sees it. A nil Client has no entries and takes none. It may be used by several
// goroutines.
type Client struct {
	config Config
	link
}

// link keeps the program running that speaks to a server.
type link struct {
	open Request // its first request

	mu     sync.Mutex
	p      *process
	broken error     // why there was none, the first time
	until  time.Time // none is started before
}

// clients are all that were dialed: one process serves all who use a server in the same way.
var clients = struct {
	sync.Mutex
	by map[Config]*Client
}{by: map[Config]*Client{}}

// Dial returns the Client of a configuration; nothing is started yet. The error says what is wrong with the
// configuration or the environment.
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

// process gives the running program; nil: it cannot be had at present.
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

// fail notes that there is no process. The caller holds l.mu.
func (l *link) fail(err error) {
	l.p, l.until = nil, time.Now().Add(retryTime)
	if l.broken == nil {
		l.broken = err
	}
}

// why is why there is no process.
func (l *link) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// ping has the program ask its server for anything.
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
		return Reply{}, nil // and the next call of process notes why
	}
	return reply, body
}

// Writable tells whether Put may put something.
func (c *Client) Writable() bool {
	if c == nil || !c.config.Write {
		return false
	}
	reply, _ := c.ask(Request{Op: Status})
	return reply.Writable
}

// Usable tells whether the server is asked or told anything at present.
func (c *Client) Usable() bool {
	reply, _ := c.ask(Request{Op: Status})
	return reply.Usable || reply.Writable
}

// Err says why the server is, or was, not used although it should be; nil: all is well, or nobody wanted it.
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

// Get returns an entry as it was put; false when there is none, when it is not what was put, or when the server does
// not say in time.
func (c *Client) Get(kind string, key Key) ([]byte, bool) {
	reply, body := c.ask(Request{Op: Get, Kind: kind, Key: key[:]})
	return body, reply.OK
}

// Put puts an entry, soon and if it can.
func (c *Client) Put(kind string, key Key, content []byte) {
	if c == nil || !c.config.Write {
		return
	}
	if p := c.process(); p != nil {
		p.tell(Request{Op: Put, Kind: kind, Key: key[:]}, content)
	}
}

// Flush waits until what was put is there, at most that long.
func (c *Client) Flush(most time.Duration) {
	if c == nil || !c.config.Write {
		return
	}
	c.mu.Lock()
	p := c.p
	c.mu.Unlock()
	if p != nil {
		// Whatever fails is told by Err.
		_, _, _ = p.ask(Request{Op: Flush, Most: most}, nil)
	}
}

// Ping asks the server for something that it does not have, and says what is wrong with its answer.
func (c *Client) Ping() error { return c.ping() }
