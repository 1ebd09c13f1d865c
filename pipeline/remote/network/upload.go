package network

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
)

// program is the file that workers run.
type program struct {
	path string

	mu    sync.Mutex // one upload at a time
	known digest     // zero: not read yet
}

// uploadTimes bounds the time of an upload of the program, as a multiple of the timeout.
const uploadTimes = 30

// digest returns the program's digest; the first call reads the file.
func (p *program) digest() (digest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known.hash == "" {
		data, err := os.ReadFile(p.path)
		if err != nil {
			return digest{}, fmt.Errorf("the program for its workers: %w", err)
		}
		p.known = digestOf(data)
	}
	return p.known, nil
}

// upload uploads the program, unless the store has it already.
func (p *program) upload(ctx context.Context, s *grpcServer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	missing, err := s.missing(ctx, []digest{p.known})
	if err != nil || len(missing) == 0 {
		return err
	}
	data, err := os.ReadFile(p.path)
	if err != nil {
		return fmt.Errorf("the program for its workers: %w", err)
	}
	if digestOf(data) != p.known {
		return errors.New("the program was replaced while it ran")
	}
	ctx, cancel := context.WithTimeout(s.with(ctx), uploadTimes*s.timeout)
	defer cancel()
	return s.upload(ctx, p.known, data)
}

// missing returns the digests of the contents that a store lacks.
func (s *grpcServer) missing(ctx context.Context, list []digest) (map[digest]bool, error) {
	ctx, cancel := s.soon(ctx)
	defer cancel()
	r := &reapi.FindMissingBlobsRequest{InstanceName: s.instance}
	for _, d := range list {
		r.BlobDigests = append(r.BlobDigests, d.message())
	}
	answer, err := s.store.FindMissingBlobs(ctx, r)
	if err != nil {
		return nil, grpcError(err)
	}
	out := map[digest]bool{}
	for _, d := range answer.GetMissingBlobDigests() {
		out[digest{d.GetHash(), d.GetSizeBytes()}] = true
	}
	return out, nil
}

// putJob uploads the contents of a job that the store lacks, with few messages.
func (s *grpcServer) putJob(ctx context.Context, j *job, p *program) error {
	list := []digest{p.known}
	for _, b := range j.blobs {
		list = append(list, b.digest)
	}
	missing, err := s.missing(ctx, list)
	if err != nil {
		return err
	}
	if missing[p.known] {
		if err := p.upload(ctx, s); err != nil {
			return err
		}
	}
	most, err := s.batch()
	if err != nil {
		return err
	}
	var batch []*reapi.BatchUpdateBlobsRequest_Request
	size := int64(0)
	send := func() error {
		if len(batch) == 0 {
			return nil
		}
		ctx, cancel := context.WithTimeout(s.with(ctx), 2*s.timeout)
		defer cancel()
		r, err := s.store.BatchUpdateBlobs(ctx, &reapi.BatchUpdateBlobsRequest{InstanceName: s.instance, Requests: batch})
		if err != nil {
			return grpcError(err)
		}
		for _, b := range r.GetResponses() {
			if err := codeError(codes.Code(b.GetStatus().GetCode()), b.GetStatus().GetMessage()); err != nil {
				return err
			}
		}
		batch, size = nil, 0
		return nil
	}
	for _, b := range j.blobs {
		switch {
		case !missing[b.digest]:
			continue
		case b.size > most/2:
			ctx, cancel := context.WithTimeout(s.with(ctx), uploadTimes*s.timeout)
			err := s.upload(ctx, b.digest, b.data)
			cancel()
			if err != nil {
				return err
			}
			continue
		case size+b.size > most:
			if err := send(); err != nil {
				return err
			}
		}
		delete(missing, b.digest) // two may be equal
		batch = append(batch, &reapi.BatchUpdateBlobsRequest_Request{Digest: b.message(), Data: b.data})
		size += b.size
	}
	return send()
}

// fetch reads the content with a digest, and verifies it.
func (s *grpcServer) fetch(ctx context.Context, at digest) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(2)*s.timeout)
	defer cancel()
	data, err := s.content(ctx, at)
	if err == nil && digestOf(data) != at {
		err = errForeign
	}
	return data, err
}
