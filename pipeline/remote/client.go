package remote

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// answerTime is how long a server has, unless the user says otherwise, for a connection, and for the beginning of an
// answer; requestTimes as long is what the whole may take.
const (
	answerTime   = time.Second
	requestTimes = 5
)

// Entries that wait to be put; what comes when there is no place any more is not put.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 256 << 20
	writers         = 4
)

// Client is a connection to a server. A nil Client has no entries and takes none. It may be used by several goroutines.
type Client struct {
	config  Config
	base    *url.URL
	http    *http.Client
	secrets secrets
	keys    []ed25519.PublicKey
	reads   health
	writes  health

	queue   chan put
	waiting atomic.Int64 // bytes in the queue
	pending sync.WaitGroup
	start   sync.Once

	// Counters for those who measure and test.
	Hits, Misses, Foreign, Written atomic.Int64
}

type put struct {
	kind    string
	key     Key
	content []byte
}

// Dial prepares a Client; nothing is sent yet. The error says what is wrong with the configuration or the environment.
func Dial(config Config) (*Client, error) {
	base, err := parseURL(config.URL)
	if err != nil {
		return nil, err
	}
	c := &Client{config: config, base: base, queue: make(chan put, maxWaiting)}
	if c.secrets, err = readSecrets(os.Getenv); err != nil {
		return nil, err
	}
	if config.Keys != "" {
		for _, key := range strings.Split(config.Keys, ",") {
			k, err := parseKey(strings.TrimSpace(key))
			if err != nil {
				return nil, err
			}
			c.keys = append(c.keys, k)
		}
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		DialContext:         (&net.Dialer{Timeout: c.secrets.timeout}).DialContext,
		TLSHandshakeTimeout: c.secrets.timeout, ResponseHeaderTimeout: c.secrets.timeout, DisableCompression: true}
	if config.CA != "" {
		pem, err := os.ReadFile(config.CA)
		if err != nil {
			return nil, fmt.Errorf("certificates of the shared cache: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificates of the shared cache: %s holds none", config.CA)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	c.http = &http.Client{Transport: transport, Timeout: requestTimes * c.secrets.timeout,
		// Headers of the environment are for this server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	c.reads.began, c.writes.began = time.Now(), time.Now()
	c.reads.patience, c.writes.patience = c.secrets.timeout, c.secrets.timeout
	return c, nil
}

// Config is what the client was made with.
func (c *Client) Config() Config { return c.config }

// Writable tells whether Put may put something.
func (c *Client) Writable() bool { return c != nil && c.config.Write && c.writes.good() }

// Usable tells whether the server is asked or told anything at present.
func (c *Client) Usable() bool { return c != nil && c.reads.good() || c.Writable() }

// Err says why the server is, or was, not used although it should be; nil: all is well.
func (c *Client) Err() error {
	if c == nil {
		return nil
	}
	if err := c.reads.why(); err != nil {
		return fmt.Errorf("%s: %w", c.config.Server(), err)
	}
	if err := c.writes.why(); err != nil {
		return fmt.Errorf("%s: %w", c.config.Server(), err)
	}
	return nil
}

var (
	errSlow    = errors.New("it takes longer to answer than is saved")
	errRefused = errors.New("it refuses the credentials")
)

// Get returns an entry as it was put; false when there is none, when it is not what was put, or when the server does
// not say in time.
func (c *Client) Get(kind string, key Key) ([]byte, bool) {
	if c == nil || !c.reads.good() {
		return nil, false
	}
	began := time.Now()
	content, err := c.get(kind, key)
	took := time.Since(began)
	var status statusError
	switch {
	case err == nil:
		c.Hits.Add(1)
		c.reads.waited(took, true, errSlow)
		return content, true
	case errors.Is(err, errForeign):
		c.Foreign.Add(1)
	case errors.As(err, &status) && status == http.StatusNotFound:
		c.Misses.Add(1)
	default:
		c.fail(&c.reads, err)
		return nil, false
	}
	c.reads.waited(took, false, errSlow)
	return nil, false
}

func (c *Client) fail(h *health, err error) {
	var status statusError
	if errors.As(err, &status) && (status == http.StatusUnauthorized || status == http.StatusForbidden ||
		status == http.StatusProxyAuthRequired) {
		h.failed(errRefused, true)
		return
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		err = errors.New("it does not answer in time")
	}
	var wrapped *url.Error // which has the whole address in it
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	h.failed(err, false)
}

func (c *Client) get(kind string, key Key) ([]byte, error) {
	result, err := c.fetch("ac", action(kind, key), maxResult)
	if err != nil {
		return nil, err
	}
	entry, contentHash, size, err := parseResult(result)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		if entry, err = c.fetch("cas", contentHash, int64(size)); err != nil {
			return nil, err
		}
	}
	return decode(kind, key, entry, c.keys)
}

// statusError is an answer other than 200.
type statusError int

func (s statusError) Error() string {
	return fmt.Sprintf("it answers %d %s", int(s), http.StatusText(int(s)))
}

func (c *Client) request(ctx context.Context, method, space, name string, body []byte) (*http.Response, error) {
	u := *c.base
	u.Path += "/" + space + "/" + name
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), reader)
	if err != nil {
		return nil, err
	}
	for name, values := range c.secrets.headers {
		req.Header[name] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	return c.http.Do(req)
}

// fetch reads a file of the server that has at most that many bytes.
func (c *Client) fetch(space, name string, most int64) ([]byte, error) {
	resp, err := c.request(context.Background(), http.MethodGet, space, name, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<14)) // so that the connection can be used again
		return nil, statusError(resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || err == nil && int64(len(data)) > most:
		return nil, errForeign
	case err != nil:
		return nil, err
	}
	return data, nil
}

// Put puts an entry, soon and if it can; content may not be changed any more.
func (c *Client) Put(kind string, key Key, content []byte) {
	if !c.Writable() || c.waiting.Add(int64(len(content))) > maxWaitingBytes {
		if c != nil && c.config.Write {
			c.waiting.Add(-int64(len(content)))
		}
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
	entry, err := encode(p.kind, p.key, p.content, c.secrets.sign)
	if err != nil || len(entry) > maxEntry {
		return
	}
	result, contentHash := actionResult(entry)
	if contentHash != "" { // first: a server may refuse results whose contents it does not have
		err = c.store("cas", contentHash, entry)
	}
	if err == nil {
		err = c.store("ac", action(p.kind, p.key), result)
	}
	if err != nil {
		c.fail(&c.writes, fmt.Errorf("it takes no entries: %w", err))
		return
	}
	c.Written.Add(1)
}

func (c *Client) store(space, name string, data []byte) error {
	resp, err := c.request(context.Background(), http.MethodPut, space, name, data)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<14))
	if resp.StatusCode/100 != 2 {
		return statusError(resp.StatusCode)
	}
	return nil
}

// Flush waits until what was put is there, at most that long.
func (c *Client) Flush(most time.Duration) {
	if c == nil {
		return
	}
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

// Ping asks the server for something that it does not have, and says what is wrong with its answer.
func (c *Client) Ping() error {
	_, err := c.fetch("ac", action("ping", Key{}), maxResult)
	var status statusError
	if err == nil || errors.As(err, &status) && status == http.StatusNotFound {
		return nil
	}
	var h health
	c.fail(&h, err)
	return h.why()
}
