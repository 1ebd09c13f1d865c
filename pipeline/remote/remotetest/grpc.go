package remotetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// grpcServer is a Server with the Remote Execution API.
type grpcServer struct {
	reapi.UnimplementedActionCacheServer
	reapi.UnimplementedContentAddressableStorageServer
	reapi.UnimplementedCapabilitiesServer
	bytestream.UnimplementedByteStreamServer
	*Server
	executes bool
}

// StartGRPC is Start for the Remote Execution API.
func StartGRPC(t testing.TB, options ...grpc.ServerOption) *Server {
	t.Helper()
	g := grpc.NewServer(options...)
	h, listener, err := newGRPC(g, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(listener) }()
	t.Cleanup(func() {
		g.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return h.Server
}

// newGRPC returns a storage server that does not serve yet.
func newGRPC(g *grpc.Server, address string) (*grpcServer, net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	h := &grpcServer{Server: &Server{files: map[string][]byte{}, URL: "grpc://" + listener.Addr().String()}}
	reapi.RegisterActionCacheServer(g, h)
	reapi.RegisterContentAddressableStorageServer(g, h)
	reapi.RegisterCapabilitiesServer(g, h)
	bytestream.RegisterByteStreamServer(g, h)
	return h, listener, nil
}

// FailGRPC sets the error of all calls; nil: none. Each call waits for wait first.
func (s *Server) FailGRPC(err error, wait <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken, s.wait = err, wait
}

// Metadata returns the metadata of the last call.
func (s *Server) Metadata() metadata.MD {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.metadata
}

// call counts a call, and returns its error.
func (s *Server) call(ctx context.Context, puts bool) error {
	s.mu.Lock()
	if puts {
		s.puts++
	} else {
		s.gets++
	}
	s.metadata, _ = metadata.FromIncomingContext(ctx)
	wait, err := s.wait, s.broken
	s.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done(): // the client's deadline, which may fire here first: no answer
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	return err
}

func (s *Server) file(path string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.files[path]
	return data, ok
}

func (s *Server) keep(path string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = data
}

func (s *grpcServer) GetCapabilities(ctx context.Context,
	_ *reapi.GetCapabilitiesRequest,
) (*reapi.ServerCapabilities, error) {
	return s.execution(&reapi.ServerCapabilities{CacheCapabilities: &reapi.CacheCapabilities{
		DigestFunctions:               []reapi.DigestFunction_Value{reapi.DigestFunction_SHA256},
		ActionCacheUpdateCapabilities: &reapi.ActionCacheUpdateCapabilities{UpdateEnabled: true},
	}}), s.call(ctx, false)
}

func (s *grpcServer) GetActionResult(ctx context.Context,
	r *reapi.GetActionResultRequest,
) (*reapi.ActionResult, error) {
	if err := s.call(ctx, false); err != nil {
		return nil, err
	}
	data, ok := s.file("/ac/" + r.ActionDigest.Hash)
	var result reapi.ActionResult
	if !ok || proto.Unmarshal(data, &result) != nil {
		return nil, status.Error(codes.NotFound, "not found")
	}
	return &result, nil
}

func (s *grpcServer) UpdateActionResult(ctx context.Context,
	r *reapi.UpdateActionResultRequest,
) (*reapi.ActionResult, error) {
	if err := s.call(ctx, true); err != nil {
		return nil, err
	}
	data, err := proto.Marshal(r.ActionResult)
	if err != nil {
		return nil, err
	}
	s.keep("/ac/"+r.ActionDigest.Hash, data)
	return r.ActionResult, nil
}

func (s *grpcServer) FindMissingBlobs(ctx context.Context,
	r *reapi.FindMissingBlobsRequest,
) (*reapi.FindMissingBlobsResponse, error) {
	if err := s.call(ctx, true); err != nil {
		return nil, err
	}
	missing := &reapi.FindMissingBlobsResponse{}
	for _, d := range r.BlobDigests {
		if _, ok := s.file("/cas/" + d.Hash); !ok {
			missing.MissingBlobDigests = append(missing.MissingBlobDigests, d)
		}
	}
	return missing, nil
}

func (s *grpcServer) BatchUpdateBlobs(ctx context.Context,
	r *reapi.BatchUpdateBlobsRequest,
) (*reapi.BatchUpdateBlobsResponse, error) {
	if err := s.call(ctx, true); err != nil {
		return nil, err
	}
	out := &reapi.BatchUpdateBlobsResponse{}
	for _, blob := range r.Requests {
		st := status.New(codes.OK, "")
		if hashOf(blob.Data) != blob.Digest.Hash {
			st = status.New(codes.InvalidArgument, "another hash")
		} else {
			s.keep("/cas/"+blob.Digest.Hash, blob.Data)
		}
		out.Responses = append(out.Responses,
			&reapi.BatchUpdateBlobsResponse_Response{Digest: blob.Digest, Status: st.Proto()})
	}
	return out, nil
}

func (s *grpcServer) BatchReadBlobs(ctx context.Context,
	r *reapi.BatchReadBlobsRequest,
) (*reapi.BatchReadBlobsResponse, error) {
	if err := s.call(ctx, false); err != nil {
		return nil, err
	}
	out := &reapi.BatchReadBlobsResponse{}
	for _, d := range r.Digests {
		data, ok := s.file("/cas/" + d.Hash)
		st := status.New(codes.OK, "")
		if !ok {
			st = status.New(codes.NotFound, "not found")
		}
		out.Responses = append(out.Responses,
			&reapi.BatchReadBlobsResponse_Response{Digest: d, Data: data, Status: st.Proto()})
	}
	return out, nil
}

func (s *grpcServer) Read(r *bytestream.ReadRequest, out bytestream.ByteStream_ReadServer) error {
	if err := s.call(out.Context(), false); err != nil {
		return err
	}
	parts := strings.Split(r.ResourceName, "/")
	data, ok := s.file("/cas/" + parts[max(len(parts)-2, 0)])
	if !ok {
		return status.Error(codes.NotFound, "not found")
	}
	for len(data) > 0 {
		n := min(len(data), 100_000)
		if err := out.Send(&bytestream.ReadResponse{Data: data[:n]}); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

func (s *grpcServer) Write(in bytestream.ByteStream_WriteServer) error {
	if err := s.call(in.Context(), true); err != nil {
		return err
	}
	var data []byte
	name := ""
	for {
		r, err := in.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if name == "" {
			name = r.ResourceName
		}
		if r.WriteOffset != int64(len(data)) {
			return status.Error(codes.InvalidArgument, "another offset")
		}
		data = append(data, r.Data...)
	}
	parts := strings.Split(name, "/")
	if hash := parts[max(len(parts)-2, 0)]; hash != hashOf(data) {
		return status.Error(codes.InvalidArgument, "another hash")
	}
	s.keep("/cas/"+hashOf(data), data)
	return in.SendAndClose(&bytestream.WriteResponse{CommittedSize: int64(len(data))})
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
