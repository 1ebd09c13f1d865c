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

// Cluster is the configuration of a build cluster that executes tasks, by the Remote Execution API. It has no secrets,
// which are in the environment. The zero value is no cluster.
type Cluster struct {
	URL     string // grpc(s):// of the execution service, with its instance, if any, as the path
	Storage string // grpc(s):// of the storage service; "": the same
	CA      string // as in Config
	// Platform is the platform of the workers: properties NAME=VALUE, sorted, one per line.
	Platform string
	// Anew executes each task, even if the cluster has its result.
	Anew bool
	// Jobs is the number of tasks at the same time; 0: DefaultJobs.
	Jobs int
}

// DefaultJobs is the default number of tasks of a cluster at the same time: enough to keep a hundred workers busy.
const DefaultJobs = 200

// Environment variables for clusters; those for credentials and time are shared with caches.
const (
	EnvCluster  = "UNITPROOF_REMOTE"          // Cluster.URL, overrides files
	EnvStorage  = "UNITPROOF_REMOTE_STORAGE"  // Cluster.Storage, the same
	EnvPlatform = "UNITPROOF_REMOTE_PLATFORM" // Cluster.Platform, the same, comma-separated
)

// ResolveCluster is Resolve for a Cluster. A file's storage and platform apply to the file's URL only.
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

// CheckClusterURL returns the error of an address.
func CheckClusterURL(address string) error {
	u, err := ParseURL(address)
	if err == nil && !strings.HasPrefix(u.Scheme, "grpc") {
		err = fmt.Errorf("%s: the address must begin with grpc:// or grpcs://", u.Redacted())
	}
	return err
}

// CheckProperty returns the error of a property of a platform.
func CheckProperty(property string) error {
	if name, _, ok := strings.Cut(property, "="); !ok || name == "" || strings.ContainsAny(property, "\n,") {
		return fmt.Errorf("%q is not of the form NAME=VALUE", property)
	}
	return nil
}

// SortPlatform returns the Cluster.Platform with the given properties.
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

// Tasks returns the number of tasks at the same time.
func (c Cluster) Tasks() int { return cmp.Or(c.Jobs, DefaultJobs) }

// Server returns the host that executes, for messages.
func (c Cluster) Server() string { return Config{URL: c.URL}.Server() }

// StorageServer returns the host that stores files, for messages.
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

// Executor executes tasks on a Cluster. It is safe for concurrent use.
type Executor struct {
	config Cluster
	link

	counting sync.Mutex
	failed   int   // number of tasks that were not executed
	err      error // error of the first
}

// executors are the dialed Executors.
var executors = struct {
	sync.Mutex
	by map[Cluster]*Executor
}{by: map[Cluster]*Executor{}}

// DialCluster returns the Executor of a configuration, without starting the program. The error is one of the
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
		return nil, fmt.Errorf("the path of this program, for the workers of a cluster: %w", err)
	}
	x := &Executor{config: c, link: link{open: Request{Cluster: &c, Program: self}}}
	executors.by[c] = x
	return x, nil
}

// Jobs returns the number of tasks at the same time.
func (x *Executor) Jobs() int { return x.config.Tasks() }

// LeftAloneError is the error of a task that failed because of the cluster, not of the task; the cluster is not used
// for a while.
type LeftAloneError struct{ Err error }

func (e *LeftAloneError) Error() string { return e.Err.Error() }
func (e *LeftAloneError) Unwrap() error { return e.Err }

// errNoProgram stands for an error that was reported already.
var errNoProgram = errors.New("it broke down before")

// Execute executes a task on a worker of the cluster and returns the content of its result file.
//
// The worker runs this program with the arguments "worker", the name of the task's file, and the name of the result's
// file. most bounds its time. With anew an existing result of the cluster is ignored. The result is not verified. The
// error is why there is none.
func (x *Executor) Execute(ctx context.Context, task []byte, most time.Duration, repeat bool) ([]byte, error) {
	p := x.process()
	if p == nil {
		return nil, &LeftAloneError{cmp.Or(x.why(), errNoProgram)}
	}
	reply, body, err := p.askUntil(ctx, Request{Op: Execute, Most: most, Anew: repeat}, task)
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

// Note records why a task was not executed by the cluster.
func (x *Executor) Note(err error) {
	x.counting.Lock()
	defer x.counting.Unlock()
	x.failed++
	if x.err == nil {
		x.err = err
	}
}

// Failures returns the number of tasks that the cluster did not execute, and the error of the first.
func (x *Executor) Failures() (number int, err error) {
	x.counting.Lock()
	defer x.counting.Unlock()
	if x.err == nil {
		return 0, nil
	}
	return x.failed, fmt.Errorf("%s: %w", x.config.Server(), x.err)
}

// Ping requests the capabilities of cluster and storage, and returns an error if one is missing.
func (x *Executor) Ping() error { return x.ping() }
