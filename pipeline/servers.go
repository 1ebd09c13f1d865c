package pipeline

import (
	"fmt"
	"slices"
	"sync"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// servers are the shared caches and clusters that a Pool has used. Errors of their configuration were reported when it
// was read.
type servers struct {
	mu       sync.Mutex
	caches   []*remote.Client
	clusters []*remote.Executor
}

// used dials a server and records it; it returns the zero value if the configuration is wrong.
func used[C any, S comparable](s *servers, list *[]S, dial func(C) (S, error), config C) (server S) {
	server, err := dial(config)
	if err != nil {
		var none S
		return none
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(*list, server) {
		*list = append(*list, server)
	}
	return server
}

// client returns the cache of a configuration; nil if there is none.
func (s *servers) client(config remote.Config) *remote.Client {
	if config.URL == "" {
		return nil
	}
	return used(s, &s.caches, remote.Dial, config)
}

// cluster returns the cluster of a configuration; nil if there is none.
func (s *servers) cluster(config remote.Cluster) *remote.Executor {
	if config.URL == "" {
		return nil
	}
	return used(s, &s.clusters, remote.DialCluster, config)
}

// flush waits for pending writes to the caches, for a limited time.
func (s *servers) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.caches {
		c.Flush(flushTime)
	}
}

// failures returns the errors of the caches, without duplicates.
func (s *servers) failures() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.caches {
		if err := c.Err(); err != nil && !slices.Contains(list, err.Error()) {
			list = append(list, err.Error())
		}
	}
	return list
}

// notes returns messages about the proofs that clusters failed to check.
func (s *servers) notes() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.clusters {
		switch number, err := x.Failures(); {
		case number == 1:
			list = append(list, fmt.Sprintf("one proof was checked here and not by the cluster: %v", err))
		case number > 1:
			list = append(list, fmt.Sprintf("%d proofs were checked here and not by the cluster: %v", number, err))
		}
	}
	return list
}
