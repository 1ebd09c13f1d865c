package editing

import (
	"context"
	"slices"
	"sync"
)

// post delivers updates on its own goroutine, so that a slow client does not delay the loop. Changes during a
// delivery are combined into the next.
type post struct {
	updates func(Update)

	mu      sync.Mutex
	next    *Update // Changed and Removed are computed at delivery
	wake    chan struct{}
	closed  bool
	ended   chan struct{}
	version uint64        // of the last delivered update
	news    chan struct{} // closed and replaced after each delivery
}

func newPost(updates func(Update)) *post {
	return &post{updates: updates, wake: make(chan struct{}, 1), ended: make(chan struct{}), news: make(chan struct{})}
}

func (p *post) put(u Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if p.next != nil {
		if u.Message == "" {
			u.Message = p.next.Message
		}
		u.Files = append(p.next.Files, u.Files...)
	}
	p.next = &u
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *post) run() {
	defer close(p.ended)
	last := &Snapshot{}
	for range p.wake {
		p.mu.Lock()
		u, closed := p.next, p.closed
		p.next = nil
		p.mu.Unlock()
		if closed {
			return
		}
		if u == nil {
			continue
		}
		slices.Sort(u.Files)
		u.Files = slices.Compact(u.Files)
		u.Changed, u.Removed = differences(last, u.Snapshot)
		last = u.Snapshot
		if p.updates != nil {
			p.updates(*u)
		}
		p.mu.Lock()
		p.version = u.Snapshot.version
		close(p.news)
		p.news = make(chan struct{})
		p.mu.Unlock()
	}
}

func differences(old, new *Snapshot) (changed, removed []ProofID) {
	for _, p := range new.proofs {
		if old.byID[p.ID] != p {
			changed = append(changed, p.ID)
		}
	}
	for _, p := range old.proofs {
		if new.byID[p.ID] == nil {
			removed = append(removed, p.ID)
		}
	}
	return changed, removed
}

// delivered waits until a version, or a later one, was delivered, and reports whether that happened.
func (p *post) delivered(ctx context.Context, version uint64) bool {
	for {
		p.mu.Lock()
		done, news := p.version >= version, p.news
		p.mu.Unlock()
		if done {
			return true
		}
		select {
		case <-news:
		case <-p.ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// close ends the deliveries and waits for the last.
func (p *post) close() {
	p.mu.Lock()
	p.closed = true
	select {
	case p.wake <- struct{}{}:
	default:
	}
	p.mu.Unlock()
	<-p.ended
}
