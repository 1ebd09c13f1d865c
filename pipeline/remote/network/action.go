package network

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// For a cluster a task is an action: the command
//
//	./unitproof worker task result
//
// in a folder with only the program and the task. It has no environment variables, and its output is one file. So a
// worker needs neither compiler nor headers, and equal tasks are equal actions.

// Names in that folder, in the order that the protocol requires.
const (
	taskName    = "task"
	programName = "unitproof"
	resultName  = "result"
)

// blob is content to be uploaded.
type blob struct {
	digest
	data []byte
}

// job is a task in the cluster's terms.
type job struct {
	action digest
	blobs  []blob // all contents but the program
}

// newJob returns the action of a task. platform is a remote.Cluster's.
func newJob(program digest, task []byte, most time.Duration, platform string) (*job, error) {
	var j job
	add := func(data []byte) *reapi.Digest {
		b := blob{digestOf(data), data}
		j.blobs = append(j.blobs, b)
		return b.message()
	}
	var failed error
	message := func(m proto.Message) *reapi.Digest {
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		failed = cmp.Or(failed, err)
		return add(data)
	}
	properties := &reapi.Platform{}
	for _, p := range strings.Split(platform, "\n") {
		if name, value, ok := strings.Cut(p, "="); ok {
			properties.Properties = append(properties.Properties, &reapi.Platform_Property{Name: name, Value: value})
		}
	}
	// OutputPaths need version 2.1 of the protocol, of 2020; the fields before it are deprecated.
	command := &reapi.Command{Arguments: []string{"./" + programName, "worker", taskName, resultName},
		OutputPaths: []string{resultName}, Platform: properties}
	folder := &reapi.Directory{Files: []*reapi.FileNode{{Name: taskName, Digest: add(task)},
		{Name: programName, Digest: program.message(), IsExecutable: true}}}
	message(&reapi.Action{CommandDigest: message(command), InputRootDigest: message(folder),
		Timeout: durationpb.New(most), Platform: properties})
	j.action = j.blobs[len(j.blobs)-1].digest
	return &j, failed
}

// resultOf returns the file that an action has written: its content, or else its digest.
func resultOf(r *reapi.ActionResult) (data []byte, at digest, err error) {
	for _, f := range r.GetOutputFiles() {
		if f.GetPath() != resultName {
			continue
		}
		at = digest{f.GetDigest().GetHash(), f.GetDigest().GetSizeBytes()}
		sum, err := hex.DecodeString(at.hash)
		if err != nil || len(sum) != sha256.Size || at.size < 0 || at.size > maxEntry {
			return nil, digest{}, errForeign
		}
		return f.GetContents(), at, nil
	}
	words, _, _ := strings.Cut(strings.TrimSpace(string(r.GetStderrRaw())), "\n")
	return nil, digest{}, fmt.Errorf("the worker ended with status %d and without a result: %s", r.GetExitCode(),
		cmp.Or(words, "it said nothing"))
}
