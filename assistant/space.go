package assistant

import (
	"context"
	"sync"

	"github.com/unitproof/unitproof/editing"
)

// space is an editing.Workspace that is asked for results and waited for.
type space struct {
	*editing.Workspace

	mu      sync.Mutex
	changed chan struct{} // closed by the next update
}

func newSpace(opts editing.Options) *space {
	s := &space{changed: make(chan struct{})}
	s.Workspace = editing.NewWorkspace(opts, s.update)
	return s
}

func (s *space) update(editing.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// next returns a channel that the next update closes.
func (s *space) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// maxRetries is how often a run is repeated that another call has cancelled.
const maxRetries = 5

// run verifies proofs and returns the snapshot in which all of them are done. When ctx ends, their runs are cancelled.
// tell, which may be nil, learns how many are done.
func (s *space) run(ctx context.Context, ids []editing.ProofID, opts editing.VerifyOptions,
	tell func(done int)) (*editing.Snapshot, error) {
	if len(ids) == 0 {
		return s.Applied(ctx)
	}
	s.Verify(ids, opts)
	if _, err := s.Applied(ctx); err != nil {
		s.Cancel(ids)
		return nil, err
	}
	reported := -1
	for retries := 0; ; {
		next := s.next()
		snapshot := s.Snapshot()
		done := 0
		var cancelled []editing.ProofID
		for _, id := range ids {
			switch p := snapshot.Proof(id); {
			case p == nil || p.Phase == editing.Idle && p.Reason != editing.Cancelled:
				done++
			case p.Phase == editing.Idle:
				cancelled = append(cancelled, id)
			}
		}
		if tell != nil && done != reported {
			reported = done
			tell(done)
		}
		switch {
		case done == len(ids):
			return snapshot, nil
		case len(cancelled) > 0 && retries < maxRetries: // by another call, which wants it no more
			retries++
			s.Verify(cancelled, opts)
		case len(cancelled) > 0 && done+len(cancelled) == len(ids):
			return snapshot, nil
		}
		select {
		case <-ctx.Done():
			s.Cancel(ids)
			return nil, ctx.Err()
		case <-next:
		}
	}
}
