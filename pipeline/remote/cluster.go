package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Cluster says which machines execute tasks for this one, by the Remote Execution API. It holds no secrets, which come
// from the environment. The zero value is none.
type Cluster struct {
	URL     string // grpc(s)://, of the service that executes, with a path where it has instances
	Storage string // grpc(s)://, where the cluster keeps files and results; "": the same
	CA      string // as in Config
	// Platform is what a worker has to be: properties NAME=VALUE, sorted, one a line.
	Platform string
	// Anew has each task executed, whatever result of it stands there.
	Anew bool
	// Jobs is how many tasks are there at the same time; 0: DefaultJobs.
	Jobs int
}

// DefaultJobs is how many tasks are with a cluster at the same time, if nothing else is said: enough for a hundred
// workers that always have the next one.
const DefaultJobs = 200

// Variables of the environment about clusters; those about credentials and time are the same as for caches.
const (
	EnvCluster  = "UNITPROOF_REMOTE"          // Cluster.URL, stronger than files
	EnvStorage  = "UNITPROOF_REMOTE_STORAGE"  // Cluster.Storage, the same
	EnvPlatform = "UNITPROOF_REMOTE_PLATFORM" // Cluster.Platform, the same, with commas between properties
)

// ResolveCluster is Resolve for a Cluster. What flags or the environment say about one goes with their address alone:
// a file's storage is that of the file's cluster.
func ResolveCluster(flags, file Cluster, getenv func(string) string) Cluster {
	env := Cluster{URL: getenv(EnvCluster), Storage: getenv(EnvStorage), CA: getenv(EnvCA),
		Platform: SortPlatform(strings.Split(getenv(EnvPlatform), ","))}
	c := Cluster{URL: cmp.Or(flags.URL, env.URL, file.URL), Anew: file.Anew, Jobs: cmp.Or(flags.Jobs, file.Jobs)}
	if c.URL == "" {
		return Cluster{}
	}
	if c.URL != file.URL {
		file = Cluster{CA: file.CA}
	}
	c.Storage = cmp.Or(flags.Storage, env.Storage, file.Storage)
	c.CA = cmp.Or(flags.CA, env.CA, file.CA)
	c.Platform = cmp.Or(flags.Platform, env.Platform, file.Platform)
	return c
}

// CheckClusterURL says what is wrong with an address.
func CheckClusterURL(address string) error {
	u, err := ParseURL(address)
	if err == nil && !strings.HasPrefix(u.Scheme, "grpc") {
		err = fmt.Errorf("%s: grpc:// or grpcs:// is wanted", u.Redacted())
	}
	return err
}

// CheckProperty says what is wrong with a property of a platform.
func CheckProperty(property string) error {
	if name, _, ok := strings.Cut(property, "="); !ok || name == "" || strings.ContainsAny(property, "\n,") {
		return fmt.Errorf("%q is not of the form NAME=VALUE", property)
	}
	return nil
}

// SortPlatform makes a Cluster.Platform of properties.
func SortPlatform(properties []string) string {
	var list []string
	for _, p := range properties {
		if p = strings.TrimSpace(p); p != "" {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// Tasks is how many tasks are to be with the cluster at the same time.
func (c Cluster) Tasks() int { return cmp.Or(c.Jobs, DefaultJobs) }

// Server is the host that executes, for people.
func (c Cluster) Server() string { return Config{URL: c.URL}.Server() }

// StorageServer is the host that has the files, for people.
func (c Cluster) StorageServer() string { return Config{URL: cmp.Or(c.Storage, c.URL)}.Server() }

func (c Cluster) check(getenv func(string) string) error {
	for _, address := range []string{c.URL, cmp.Or(c.Storage, c.URL)} {
		if err := CheckClusterURL(address); err != nil {
			return err
		}
	}
	for _, p := range strings.Split(c.Platform, "\n") {
		if p == "" {
			continue
		}
		if err := CheckProperty(p); err != nil {
			return err
		}
	}
	return Config{URL: c.URL, CA: c.CA}.check(getenv)
}

// Executor has tasks executed by a Cluster. It may be used by several goroutines.
type Executor struct {
	config Cluster
	link

	counting sync.Mutex
	failed   int   // tasks that were not executed
	err      error // why the first was not
}

// executors are all that were dialed.
var executors = struct {
	sync.Mutex
	by map[Cluster]*Executor
}{by: map[Cluster]*Executor{}}

// DialCluster returns the Executor of a configuration; nothing is started yet. The error says what is wrong with the
// configuration or the environment.
func DialCluster(c Cluster) (*Executor, error) {
	executors.Lock()
	defer executors.Unlock()
	if x := executors.by[c]; x != nil {
		return x, nil
	}
	if err := c.check(os.Getenv); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("where this program is, for the workers of a cluster: %w", err)
	}
	x := &Executor{config: c, link: link{open: Request{Cluster: &c, Program: self}}}
	executors.by[c] = x
	return x, nil
}

// Jobs is how many tasks are to be there at the same time.
func (x *Executor) Jobs() int { return x.config.Tasks() }

// LeftAloneError is why a task was not executed where that is the cluster's state and not the task's: it is left alone
// for a while.
type LeftAloneError struct{ Err error }

func (e *LeftAloneError) Error() string { return e.Err.Error() }
func (e *LeftAloneError) Unwrap() error { return e.Err }

// errNoProgram stands for an error that was told of already.
var errNoProgram = errors.New("it broke down before")

// Execute gives a task to a worker, that is this program with the arguments "worker", the name of a file that holds the
// task, and the name of the file that the result is to be in; most is how long it may take; anew: no result counts
// that stands there already. The error says why there is no result; the result is what some worker wrote, of which
// nothing is known yet.
func (x *Executor) Execute(ctx context.Context, task []byte, most time.Duration, anew bool) ([]byte, error) {
	p := x.process()
	if p == nil {
		return nil, &LeftAloneError{cmp.Or(x.why(), errNoProgram)}
	}
	reply, body, err := p.askUntil(ctx, Request{Op: Execute, Most: most, Anew: anew}, task)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &LeftAloneError{err}
	case reply.Error != "" && !reply.Usable:
		return nil, &LeftAloneError{errors.New(reply.Error)}
	case reply.Error != "":
		return nil, errors.New(reply.Error)
	case !reply.OK:
		return nil, errors.New("it has no result")
	}
	return body, nil
}

// Note notes why a task was done otherwise.
func (x *Executor) Note(err error) {
	x.counting.Lock()
	defer x.counting.Unlock()
	x.failed++
	if x.err == nil {
		x.err = err
	}
}

// Failures counts the tasks that were done otherwise, and says why the first was.
func (x *Executor) Failures() (number int, err error) {
	x.counting.Lock()
	defer x.counting.Unlock()
	if x.err == nil {
		return 0, nil
	}
	return x.failed, fmt.Errorf("%s: %w", x.config.Server(), x.err)
}

// Ping asks cluster and storage what they can do, and says what is missing.
func (x *Executor) Ping() error { return x.ping() }
