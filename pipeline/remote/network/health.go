package network

import (
	"sync"
	"time"
)

// health decides whether a server is worth asking. It is left alone for a while after a failure, for good after it has
// refused the credentials, and as long as waiting for it has cost more than a small part of the time.
type health struct {
	mu    sync.Mutex
	began time.Time
	// patience is what may be waited for nothing at first.
	patience time.Duration
	wasted   time.Duration // waited for nothing
	until    time.Time     // not to be asked before
	never    bool
	err      error // why it was left alone, the first time
}

const (
	retryTime = 30 * time.Second
	// patienceShare is the part of the time that has passed that may be waited for nothing, beside health.patience.
	patienceShare = 20
	// slowAnswer is how long an answer may take before the rest of its time counts as wasted.
	slowAnswer = 250 * time.Millisecond
)

// good tells whether the server is to be asked.
func (h *health) good() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	return !h.never && !now.Before(h.until) && h.wasted <= h.patience+now.Sub(h.began)/patienceShare
}

// closed says why the server is not to be asked, as far as failures go; nil: it is.
func (h *health) closed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.never || time.Now().Before(h.until) {
		return h.err
	}
	return nil
}

// waited notes an answer.
func (h *health) waited(d time.Duration, useful bool, slow error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if useful {
		d = max(d-slowAnswer, 0)
	}
	h.wasted += d
	if h.err == nil && h.wasted > h.patience+time.Since(h.began)/patienceShare {
		h.err = slow
	}
}

// failed notes that there was no answer, or one that the next request will get, too.
func (h *health) failed(err error, forGood bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until, h.never = time.Now().Add(retryTime), h.never || forGood
	if h.err == nil {
		h.err = err
	}
}

func (h *health) why() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}
