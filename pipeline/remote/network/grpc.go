package network

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// Connections per server, and the time after which an idle one is closed.
const (
	maxConnections = 16
	idleTime       = time.Minute
)

// maxMessage is the size of data in one gRPC message, in bytes: gRPC's default limit without overhead. Chunks of a
// stream are smaller, so that they interleave.
const (
	maxMessage = 4<<20 - 1<<16
	chunkSize  = 256 << 10
)

// grpcServer is a server with version 2 of the Remote Execution API.
type grpcServer struct {
	instance string
	headers  []string // names and values, alternating
	timeout  time.Duration

	connections []*grpc.ClientConn // at least one

	results reapi.ActionCacheClient
	store   reapi.ContentAddressableStorageClient
	stream  bytestream.ByteStreamClient
	about   reapi.CapabilitiesClient

	capabilities func() (*reapi.ServerCapabilities, error)
}

// dialGRPC prepares a server with so many connections.
func dialGRPC(base *url.URL, trusted *tls.Config, secrets remote.Secrets, connections int) (*grpcServer, error) {
	s := &grpcServer{instance: strings.TrimPrefix(base.Path, "/"), timeout: secrets.Timeout}
	for _, h := range secrets.Headers {
		s.headers = append(s.headers, strings.ToLower(h[0]), h[1])
	}
	if user := base.User; user != nil {
		password, _ := user.Password()
		s.headers = append(s.headers, "authorization",
			"Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	host, security := base.Host, insecure.NewCredentials()
	if base.Scheme == "grpcs" {
		security = credentials.NewTLS(trusted)
	}
	if base.Port() == "" {
		host += map[string]string{"grpc": ":80", "grpcs": ":443"}[base.Scheme]
	}
	for range connections {
		conn, err := grpc.NewClient(host, grpc.WithTransportCredentials(security), grpc.WithIdleTimeout(idleTime),
			grpc.WithUserAgent("unitproof"),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(2*maxMessage)))
		if err != nil {
			return nil, grpcError(err)
		}
		s.connections = append(s.connections, conn)
	}
	conn := s.connections[0]
	s.results, s.store = reapi.NewActionCacheClient(conn), reapi.NewContentAddressableStorageClient(conn)
	s.stream, s.about = bytestream.NewByteStreamClient(conn), reapi.NewCapabilitiesClient(conn)
	var mu sync.Mutex
	var known *reapi.ServerCapabilities
	s.capabilities = func() (*reapi.ServerCapabilities, error) {
		mu.Lock()
		defer mu.Unlock()
		if known != nil {
			return known, nil
		}
		c, err := s.ask()
		known = c
		return known, err
	}
	return s, nil
}

// ask requests the server's capabilities.
func (s *grpcServer) ask() (*reapi.ServerCapabilities, error) {
	ctx, cancel := s.soon(context.Background())
	defer cancel()
	c, err := s.about.GetCapabilities(ctx, &reapi.GetCapabilitiesRequest{InstanceName: s.instance})
	if err != nil {
		return nil, grpcError(err)
	}
	return c, nil
}

func (s *grpcServer) with(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, s.headers...)
}

// soon bounds a call with a small answer.
func (s *grpcServer) soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(s.with(ctx), s.timeout)
}

// grpcError translates the error of a call.
func grpcError(err error) error {
	if err == nil {
		return nil
	}
	st, ok := status.FromError(err)
	if !ok {
		return err
	}
	return codeError(st.Code(), st.Message())
}

func codeError(code codes.Code, message string) error {
	switch code {
	case codes.OK:
		return nil
	case codes.NotFound:
		return errMissing
	case codes.Unauthenticated, codes.PermissionDenied:
		return errRefused
	case codes.DeadlineExceeded:
		return errNotInTime
	}
	// The messages of gRPC have details of its own state before the cause.
	if at := strings.LastIndex(message, "dial tcp "); at >= 0 {
		message = strings.Trim(message[at:], `"`)
	}
	return &codedError{code, message}
}

// codedError is an error with an unexpected code.
type codedError struct {
	code    codes.Code
	message string
}

func (e *codedError) Error() string { return fmt.Sprintf("it answers %s: %s", e.code, e.message) }

// missesContents reports whether an action was not executed because of missing contents.
func missesContents(s *status.Status) bool {
	for _, detail := range s.Details() {
		if f, ok := detail.(*errdetails.PreconditionFailure); ok {
			for _, v := range f.GetViolations() {
				if v.GetType() == "MISSING" {
					return true
				}
			}
		}
	}
	return false
}

func (s *grpcServer) ping(ctx context.Context, writes bool) error {
	c, err := s.capabilities()
	if err != nil {
		return err
	}
	sha := false
	for _, f := range c.GetCacheCapabilities().GetDigestFunctions() {
		sha = sha || f == reapi.DigestFunction_SHA256
	}
	switch {
	case c.GetCacheCapabilities() == nil:
		return errors.New("it has no cache (Capabilities)")
	case !sha:
		return errors.New("it does not know SHA-256 (Capabilities)")
	case writes && !c.CacheCapabilities.GetActionCacheUpdateCapabilities().GetUpdateEnabled():
		return errors.New("it takes no results of actions from us (Capabilities)")
	}
	_, err = s.result(ctx, action("ping", remote.Key{}))
	return err
}

func (s *grpcServer) result(ctx context.Context, action digest) ([]byte, error) {
	ctx, cancel := s.soon(ctx)
	defer cancel()
	r, err := s.results.GetActionResult(ctx, &reapi.GetActionResultRequest{InstanceName: s.instance,
		ActionDigest: action.message(), InlineStdout: true})
	if err != nil {
		return nil, grpcError(err)
	}
	return proto.Marshal(r)
}

func (s *grpcServer) putResult(ctx context.Context, action digest, result []byte) error {
	var r reapi.ActionResult
	if err := proto.Unmarshal(result, &r); err != nil {
		return err
	}
	ctx, cancel := s.soon(ctx)
	defer cancel()
	_, err := s.results.UpdateActionResult(ctx, &reapi.UpdateActionResultRequest{InstanceName: s.instance,
		ActionDigest: action.message(), ActionResult: &r})
	return grpcError(err)
}

// batch returns the number of bytes of contents per message.
func (s *grpcServer) batch() (int64, error) {
	c, err := s.capabilities()
	if err != nil {
		return 0, err
	}
	most := int64(maxMessage)
	if n := c.GetCacheCapabilities().GetMaxBatchTotalSizeBytes(); n > 0 {
		most = min(most, n)
	}
	return most, nil
}

func (s *grpcServer) content(ctx context.Context, of digest) ([]byte, error) {
	most, err := s.batch()
	if err != nil {
		return nil, err
	}
	ctx = s.with(ctx)
	if of.size <= most {
		r, err := s.store.BatchReadBlobs(ctx, &reapi.BatchReadBlobsRequest{InstanceName: s.instance,
			Digests: []*reapi.Digest{of.message()}})
		if err != nil {
			return nil, grpcError(err)
		}
		for _, blob := range r.Responses {
			if blob.GetDigest().GetHash() != of.hash {
				continue
			}
			if err := codeError(codes.Code(blob.GetStatus().GetCode()), blob.GetStatus().GetMessage()); err != nil {
				return nil, err
			}
			return blob.Data, nil
		}
		return nil, errMissing
	}
	in, err := s.stream.Read(ctx, &bytestream.ReadRequest{
		ResourceName: s.resource(fmt.Sprintf("blobs/%s/%d", of.hash, of.size))})
	if err != nil {
		return nil, grpcError(err)
	}
	var data bytes.Buffer
	for {
		r, err := in.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return data.Bytes(), nil
		case err != nil:
			return nil, grpcError(err)
		case int64(data.Len()+len(r.Data)) > of.size:
			return nil, errForeign
		}
		data.Write(r.Data)
	}
}

func (s *grpcServer) resource(name string) string {
	if s.instance == "" {
		return name
	}
	return s.instance + "/" + name
}

func (s *grpcServer) putContent(ctx context.Context, of digest, data []byte) error {
	most, err := s.batch()
	if err != nil {
		return err
	}
	ctx = s.with(ctx)
	missing, err := s.store.FindMissingBlobs(ctx, &reapi.FindMissingBlobsRequest{InstanceName: s.instance,
		BlobDigests: []*reapi.Digest{of.message()}})
	if err != nil {
		return grpcError(err)
	}
	if len(missing.MissingBlobDigests) == 0 {
		return nil
	}
	if of.size <= most {
		r, err := s.store.BatchUpdateBlobs(ctx, &reapi.BatchUpdateBlobsRequest{InstanceName: s.instance,
			Requests: []*reapi.BatchUpdateBlobsRequest_Request{{Digest: of.message(), Data: data}}})
		if err != nil {
			return grpcError(err)
		}
		for _, blob := range r.Responses {
			if err := codeError(codes.Code(blob.GetStatus().GetCode()), blob.GetStatus().GetMessage()); err != nil {
				return err
			}
		}
		return nil
	}
	return s.upload(ctx, of, data)
}

// upload writes contents as a stream.
func (s *grpcServer) upload(ctx context.Context, of digest, data []byte) error {
	out, err := s.stream.Write(ctx)
	if err != nil {
		return grpcError(err)
	}
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return err
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a UUID of version 4
	name := s.resource(fmt.Sprintf("uploads/%x-%x-%x-%x-%x/blobs/%s/%d", id[:4], id[4:6], id[6:8], id[8:10], id[10:],
		of.hash, of.size))
	for at := 0; at < len(data) || at == 0; at += chunkSize {
		end := min(at+chunkSize, len(data))
		err := out.Send(&bytestream.WriteRequest{ResourceName: name, WriteOffset: int64(at), Data: data[at:end],
			FinishWrite: end == len(data)})
		name = "" // in the first message only
		if errors.Is(err, io.EOF) {
			break // the reply has the reason, such as a concurrent upload
		}
		if err != nil {
			return grpcError(err)
		}
	}
	r, err := out.CloseAndRecv()
	switch {
	case err != nil:
		return grpcError(err)
	case r.CommittedSize != of.size && r.CommittedSize != -1: // -1: the content existed already
		return fmt.Errorf("it took %d of %d bytes", r.CommittedSize, of.size)
	}
	return nil
}
