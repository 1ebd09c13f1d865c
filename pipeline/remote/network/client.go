// Package network is the client of cache servers and build clusters for package remote; only unitproof-remote imports
// it. It implements the HTTP protocol of bazel-remote (/ac/ for results of actions, /cas/ for contents by their
// SHA-256) and version 2 of the Remote Execution API over gRPC.
//
// Reading order: serve.go (requests of the checking program), client.go (entries), entry.go (their format), http.go and
// grpc.go (protocols), health.go (when a server is used); executor.go (tasks), action.go (their format), upload.go
// (their contents).
package network

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/remote"
)

// requestTimes bounds the time of a whole answer, as a multiple of the time until its first byte.
const requestTimes = 5

// Bounds of the queue of entries to be stored; entries beyond it are dropped.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 256 << 20
	writers         = 4
)

// server is a protocol.
type server interface {
	// result reads the ActionResult of an action; content reads the content with a digest.
	result(ctx context.Context, action digest) ([]byte, error)
	content(ctx context.Context, of digest) ([]byte, error)
	putResult(ctx context.Context, action digest, result []byte) error
	putContent(ctx context.Context, of digest, data []byte) error
	// ping tests the server; writes: for writing, too.
	ping(ctx context.Context, writes bool) error
}

// Errors of a server. Other errors are shown as they are.
var (
	errMissing   = errors.New("it does not have that")
	errRefused   = errors.New("it refuses the credentials")
	errNotInTime = errors.New("it does not answer in time")
	errSlow      = errors.New("it takes longer to answer than is saved")
)

// Client is a connection to a server. It is safe for concurrent use.
type Client struct {
	config  remote.Config
	server  server
	timeout time.Duration
	sign    ed25519.PrivateKey // nil: no signatures
	keys    []ed25519.PublicKey
	reads   health
	writes  health

	queue   chan put
	waiting atomic.Int64 // bytes in the queue
	pending sync.WaitGroup
	start   sync.Once

	// Counters for measurements and tests.
	Hits, Misses, Foreign, Written atomic.Int64
}

type put struct {
	kind    string
	key     remote.Key
	content []byte
}

// Dial prepares a Client without connecting. The error is one of the configuration or the environment.
func Dial(config remote.Config) (*Client, error) {
	base, err := remote.ParseURL(config.URL)
	if err != nil {
		return nil, err
	}
	secrets, err := remote.ReadSecrets(os.Getenv)
	if err != nil {
		return nil, err
	}
	keys, err := config.ParseKeys()
	if err != nil {
		return nil, err
	}
	c := &Client{config: config, timeout: secrets.Timeout, queue: make(chan put, maxWaiting)}
	for _, key := range keys {
		c.keys = append(c.keys, key)
	}
	if secrets.Seed != nil {
		c.sign = ed25519.NewKeyFromSeed(secrets.Seed)
	}
	trusted, err := trust(config.CA)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(base.Scheme, "grpc") {
		c.server, err = dialGRPC(base, trusted, secrets, 1)
	} else {
		c.server = dialHTTP(base, trusted, secrets)
	}
	c.reads.began, c.writes.began = time.Now(), time.Now()
	c.reads.patience, c.writes.patience = c.timeout, c.timeout
	return c, err
}

// trust returns TLS's configuration with the certificates of a file, or the system's.
func trust(ca string) (*tls.Config, error) {
	trusted := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca == "" {
		return trusted, nil
	}
	pem, err := regular.ReadFile(ca, regular.MaxConfig)
	if err != nil {
		return nil, fmt.Errorf("certificates of the shared cache: %w", err)
	}
	trusted.RootCAs = x509.NewCertPool()
	if !trusted.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificates of the shared cache: %s holds none", ca)
	}
	return trusted, nil
}

// NewKey returns a new secret for remote.EnvSecret and its public key for remote.Config.Keys.
func NewKey() (secret, public string, err error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", "", err
	}
	return base64.StdEncoding.EncodeToString(priv.Seed()), remote.KeyPrefix + base64.StdEncoding.EncodeToString(pub), nil
}

// Longest returns the maximal time of an answer.
func (c *Client) Longest() time.Duration { return 2 * requestTimes * c.timeout }

// Writable reports whether Put may store entries.
func (c *Client) Writable() bool { return c.config.Write && c.writes.good() }

// Usable reports whether the server is used for reading at present.
func (c *Client) Usable() bool { return c.reads.good() }

// Err returns why the server is, or was, not used; nil if it works.
func (c *Client) Err() error {
	if err := c.reads.why(); err != nil {
		return err
	}
	return c.writes.why()
}

func (c *Client) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), requestTimes*c.timeout)
}

// Get returns a stored entry. It returns false if there is none, if it is not the stored one, or if the server does not
// answer in time.
func (c *Client) Get(kind string, key remote.Key) ([]byte, bool) {
	if !c.reads.good() {
		return nil, false
	}
	began := time.Now()
	content, err := c.get(kind, key)
	took := time.Since(began)
	switch {
	case err == nil:
		c.Hits.Add(1)
		c.reads.waited(took, true, errSlow)
		return content, true
	case errors.Is(err, errForeign):
		c.Foreign.Add(1)
	case errors.Is(err, errMissing):
		c.Misses.Add(1)
	default:
		c.reads.failed(inTime(err), errors.Is(err, errRefused))
		return nil, false
	}
	c.reads.waited(took, false, errSlow)
	return nil, false
}

// inTime returns errNotInTime for the various timeout errors.
func inTime(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errNotInTime
	}
	return err
}

func (c *Client) get(kind string, key remote.Key) ([]byte, error) {
	ctx, cancel := c.context()
	defer cancel()
	result, err := c.server.result(ctx, action(kind, key))
	if err != nil {
		return nil, err
	}
	entry, at, err := parseResult(result)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		if entry, err = c.server.content(ctx, at); err != nil {
			return nil, err
		}
	}
	return decode(kind, key, entry, c.keys)
}

// Put stores an entry in the background, if possible; content must not be changed any more.
func (c *Client) Put(kind string, key remote.Key, content []byte) {
	if !c.Writable() {
		return
	}
	if c.waiting.Add(int64(len(content))) > maxWaitingBytes {
		c.waiting.Add(-int64(len(content)))
		return
	}
	c.start.Do(func() {
		for range writers {
			go func() {
				for p := range c.queue {
					c.write(p)
					c.waiting.Add(-int64(len(p.content)))
					c.pending.Done()
				}
			}()
		}
	})
	c.pending.Add(1)
	select {
	case c.queue <- put{kind, key, content}:
	default:
		c.waiting.Add(-int64(len(content)))
		c.pending.Done()
	}
}

func (c *Client) write(p put) {
	if !c.writes.good() {
		return
	}
	entry, err := encode(p.kind, p.key, p.content, c.sign)
	if err != nil || len(entry) > maxEntry {
		return
	}
	ctx, cancel := c.context()
	defer cancel()
	result, inline, err := actionResult(entry)
	if err == nil && !inline { // first: a server may refuse results without their contents
		err = c.server.putContent(ctx, digestOf(entry), entry)
	}
	if err == nil {
		err = c.server.putResult(ctx, action(p.kind, p.key), result)
	}
	switch {
	case err == nil:
		c.Written.Add(1)
	case errors.Is(err, errRefused):
		c.writes.failed(err, true)
	default:
		c.writes.failed(fmt.Errorf("it takes no entries: %w", inTime(err)), false)
	}
}

// Flush waits for the writes of Put, for at most that long.
func (c *Client) Flush(most time.Duration) {
	done := make(chan struct{})
	go func() {
		c.pending.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(most):
		c.writes.failed(errors.New("it takes entries too slowly: some were not put"), false)
	}
}

// Ping requests an entry that does not exist, and returns the error of the connection.
func (c *Client) Ping() error {
	ctx, cancel := c.context()
	defer cancel()
	err := c.server.ping(ctx, c.config.Write)
	if err == nil || errors.Is(err, errMissing) {
		return nil
	}
	return inTime(err)
}
