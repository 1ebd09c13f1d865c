package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestReadOutcome checks that a reply of a cluster is accepted only if it is a result of this task by this build.
func TestReadOutcome(t *testing.T) {
	task := []byte("a task")
	good := taskResult{Task: sha256.Sum256(task), Engine: "this build", Report: &vcgen.Report{Entry: "main"}}
	for _, test := range []struct {
		name   string
		change func(o *taskResult)
		err    error // nil: any error
	}{
		{"another task", func(o *taskResult) { o.Task = sha256.Sum256([]byte("another")) }, errOther},
		{"another build", func(o *taskResult) { o.Engine = "another build" }, errVersion},
		{"nothing", func(o *taskResult) { o.Report = nil }, nil},
	} {
		o := good
		test.change(&o)
		data, err := pack(o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readOutcome(data, task, "this build")
		if err == nil || got != nil || test.err != nil && !errors.Is(err, test.err) {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
	}
	reason := good
	reason.Report, reason.Reason = nil, found.Reason{Why: found.InternalError}
	for _, o := range []taskResult{good, reason} {
		data, err := pack(o)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readOutcome(data, task, "this build"); err != nil || got.Engine != o.Engine {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := readOutcome(data[:len(data)/2], task, "this build"); err == nil {
			t.Error("half of a result is one")
		}
	}
	unsettled := good
	unsettled.Report = &vcgen.Report{Stats: vcgen.Stats{Unsettled: 1}}
	if !good.lasts() || reason.lasts() || unsettled.lasts() {
		t.Error("what lasts")
	}
}

// TestLimitTask checks that a task beyond its limits ends with the reason, whether its function returns or not.
func TestLimitTask(t *testing.T) {
	forever := func() taskResult { select {} }
	much := project.Proof{Timeout: time.Hour, MaxMemory: 1 << 50}
	little, short := much, much
	little.MaxMemory, short.Timeout = 1, -graceTime
	for _, test := range []struct {
		proof project.Proof
		want  found.Why
	}{{little, found.MemoryLimit}, {short, found.Timeout}} {
		o, err := limitTask(t.Context(), &test.proof, forever)
		if err != nil || o.Reason.Why != test.want || o.Report != nil || o.lasts() {
			t.Errorf("%+v, %v, want %v", o, err, test.want)
		}
	}
	o, err := limitTask(t.Context(), &much, func() taskResult { return taskResult{Engine: "this build"} })
	if err != nil || o.Engine != "this build" || o.Stats.MemoryMB == 0 {
		t.Errorf("%+v, %v", o, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := limitTask(ctx, &much, forever); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
