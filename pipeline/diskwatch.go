package pipeline

// diskWatch is the Workspace's own eye on the disk.
type diskWatch struct{}

func (s *state) watch()   {}
func (s *state) rewatch() {}
func (s *state) unwatch() {}
