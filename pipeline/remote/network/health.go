package network

import (
	"sync"
	"time"
)

// health decides whether a server is used. It is not used for a while after a failure, never again after it has refused
// the credentials, and not while waiting for it has cost more than a small part of the time.
type health struct {
	mu    sync.Mutex
	began time.Time
	// patience is the initial budget of useless waiting.
	patience time.Duration
	wasted   time.Duration // useless waiting
	until    time.Time     // not used before
	never    bool
	err      error // first reason not to use it
}

const (
	retryTime = 30 * time.Second
	// patienceShare: 1/patienceShare of the elapsed time is added to the budget of useless waiting.
	patienceShare = 20
	// slowAnswer is the time of an answer beyond which waiting counts as wasted.
	slowAnswer = 250 * time.Millisecond
)

// good reports whether the server is to be used.
func (h *health) good() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	return !h.never && !now.Before(h.until) && h.wasted <= h.patience+now.Sub(h.began)/patienceShare
}

// closed returns the failure that bars the server from use; nil if there is none.
func (h *health) closed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.never || time.Now().Before(h.until) {
		return h.err
	}
	return nil
}

// waited records an answer.
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

// failed records a failure, which the next request would have, too.
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
