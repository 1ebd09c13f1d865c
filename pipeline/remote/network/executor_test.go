package network_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/network"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
)

// executor returns an Executor whose workers append "done" to their task.
func executor(t *testing.T, config remote.Cluster) *network.Executor {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	script := "#!/bin/sh\n[ \"$1\" = worker ] && [ $# = 3 ] && { cat \"$2\"; echo done; } >\"$3\"\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	x, err := network.NewExecutor(config, path)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func task(n int) []byte { return append(content(n), '\n') }

func executes(x *network.Executor, n int, repeat bool) error {
	got, err := x.Execute(context.Background(), task(n), time.Minute, repeat)
	if err == nil && !bytes.Equal(got, append(task(n), "done\n"...)) {
		err = fmt.Errorf("task %d: another result, of %d bytes", n, len(got))
	}
	return err
}

// TestExecute checks that each task has its own result, is executed once, and uploads only missing contents.
func TestExecute(t *testing.T) {
	cluster := remotetest.StartCluster(t, 2)
	x := executor(t, remote.Cluster{URL: cluster.URL, Platform: "a=b\nOSFamily=linux", Jobs: 70})
	if err := x.Ping(); err != nil {
		t.Fatal(err)
	}
	const tasks = 12
	all := func(want string) {
		t.Helper()
		var running sync.WaitGroup
		for n := range tasks {
			running.Go(func() {
				if err := executes(x, n, false); err != nil {
					t.Error(want, err)
				}
			})
		}
		running.Wait()
	}
	all("first")
	if n, _ := cluster.Counts(); n != tasks {
		t.Errorf("%d actions were executed", n)
	}
	all("again")
	if n, _ := cluster.Counts(); n != 0 || x.Recalled.Load() != tasks {
		t.Errorf("%d actions were executed again, %d recalled", n, x.Recalled.Load())
	}
	cluster.Requests()
	if err := executes(x, 3, true); err != nil {
		t.Error(err)
	}
	if _, puts := cluster.Requests(); puts != 1 { // the query for missing contents
		t.Errorf("%d messages to put what is there", puts)
	}
	if n, _ := cluster.Counts(); n != 1 {
		t.Errorf("anew: %d actions were executed", n)
	}
	// A result whose contents are lost does not count.
	files := cluster.Files()
	for path := range files {
		if strings.HasPrefix(path, "/cas/") {
			delete(files, path)
		}
	}
	cluster.SetFiles(files)
	all("without contents")
	if n, _ := cluster.Counts(); n != tasks {
		t.Errorf("without contents %d actions were executed", n)
	}
}

// TestStorage checks a separate storage.
func TestStorage(t *testing.T) {
	cluster, storage := remotetest.StartCluster(t, 1), remotetest.StartGRPC(t)
	x := executor(t, remote.Cluster{URL: cluster.URL, Storage: storage.URL})
	err := executes(x, 1, false)
	if err == nil || !strings.Contains(err.Error(), "lost the files of the task") {
		t.Error(err) // this cluster has its own storage
	}
	if len(storage.Files()) < 5 || len(cluster.Files()) > 0 {
		t.Error(len(storage.Files()), len(cluster.Files()))
	}
}

// TestClusterFaults checks that a fault of a cluster costs a second attempt, or is an error with the cause.
func TestClusterFaults(t *testing.T) {
	for _, test := range []struct {
		fault remotetest.Fault
		want  string // part of the error; "": no error
		after string // the same for the next task
	}{
		{remotetest.Killed, "", ""},
		{remotetest.Hangup, "", ""},
		{remotetest.Forgets, "", ""},
		{remotetest.Damaged, "differs from the stored one", "differs from the stored one"},
		{remotetest.Crash, "status 7 and without a result: out of something", ""},
		{remotetest.Nobody, "no workers exist", "no workers exist"},
		{remotetest.Expired, "refuses the credentials", "refuses the credentials"},
		{remotetest.Vanished, "Unavailable: nobody is there", "Unavailable: nobody is there"},
	} {
		t.Run(string(test.fault), func(t *testing.T) {
			t.Parallel()
			cluster := remotetest.StartCluster(t, 1)
			x := executor(t, remote.Cluster{URL: cluster.URL})
			check := func(n int, want string) {
				t.Helper()
				err := executes(x, n, false)
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("task %d: %v, want %q", n, err, want)
				}
			}
			cluster.Befall(test.fault)
			check(1, test.want)
			check(2, test.want)
			cluster.Befall(remotetest.Fine)
			check(3, test.after) // a cluster that failed as a whole is not used for a while
		})
	}
}

// TestNoCluster checks that a refused connection is detected soon, and once.
func TestNoCluster(t *testing.T) {
	x := executor(t, remote.Cluster{URL: "grpc://127.0.0.1:1"})
	for range 3 {
		if err := executes(x, 1, false); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Error(err)
		}
	}
	if x.Again.Load() > 2 {
		t.Errorf("it was tried %d times", x.Again.Load())
	}
	if x.Ping() == nil || executor(t, remote.Cluster{URL: remotetest.StartGRPC(t).URL}).Ping() == nil {
		t.Error("what is not there, or executes nothing, answers")
	}
}

// TestCancel checks that the end of the context cancels the operation.
func TestCancel(t *testing.T) {
	cluster := remotetest.StartCluster(t, 1)
	cluster.Befall(remotetest.Blocked)
	x := executor(t, remote.Cluster{URL: cluster.URL})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := x.Execute(ctx, task(1), time.Minute, false)
		ended <- err
	}()
	for n := 0; n == 0; time.Sleep(time.Millisecond) {
		n, _ = cluster.Counts()
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	x.Flush()
	if _, n := cluster.Counts(); n != 1 {
		t.Errorf("%d operations were cancelled", n)
	}
}
