package network

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"

	"github.com/unitproof/unitproof/pipeline/remote"
)

// httpServer is a server with bazel-remote's HTTP protocol.
type httpServer struct {
	base    *url.URL
	headers http.Header
	client  *http.Client
}

func dialHTTP(base *url.URL, trusted *tls.Config, secrets remote.Secrets) server {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: maxConnections,
		MaxConnsPerHost: maxConnections, IdleConnTimeout: idleTime, TLSClientConfig: trusted,
		DialContext:         (&net.Dialer{Timeout: secrets.Timeout}).DialContext,
		TLSHandshakeTimeout: secrets.Timeout, ResponseHeaderTimeout: secrets.Timeout, DisableCompression: true}
	s := &httpServer{base: base, headers: http.Header{}, client: &http.Client{Transport: transport,
		// No redirects: headers of the environment are for this server only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	for _, h := range secrets.Headers {
		s.headers.Add(textproto.CanonicalMIMEHeaderKey(h[0]), h[1])
	}
	return s
}

func (s *httpServer) result(ctx context.Context, action digest) ([]byte, error) {
	return s.fetch(ctx, "ac", action.hash, maxResult)
}

func (s *httpServer) content(ctx context.Context, of digest) ([]byte, error) {
	return s.fetch(ctx, "cas", of.hash, of.size)
}

func (s *httpServer) putResult(ctx context.Context, action digest, result []byte) error {
	return s.store(ctx, "ac", action.hash, result)
}

func (s *httpServer) putContent(ctx context.Context, of digest, data []byte) error {
	return s.store(ctx, "cas", of.hash, data)
}

func (s *httpServer) ping(ctx context.Context, _ bool) error {
	_, err := s.result(ctx, action("ping", remote.Key{}))
	return err
}

func (s *httpServer) request(ctx context.Context, method, space, name string, body []byte) (*http.Response, error) {
	u := *s.base
	u.Path += "/" + space + "/" + name
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), reader)
	if err != nil {
		return nil, err
	}
	for name, values := range s.headers {
		req.Header[name] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	resp, err := s.client.Do(req)
	return resp, httpError(err)
}

// httpError removes the address, and translates timeouts.
func httpError(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return errNotInTime
	}
	var wrapped *url.Error // contains the whole address
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func statusError(status int) error {
	switch status {
	case http.StatusNotFound:
		return errMissing
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return errRefused
	}
	return fmt.Errorf("it answers %d %s", status, http.StatusText(status))
}

// fetch reads a file of the server with at most that many bytes.
func (s *httpServer) fetch(ctx context.Context, space, name string, most int64) ([]byte, error) {
	resp, err := s.request(ctx, http.MethodGet, space, name, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<14)) // for the reuse of the connection
		return nil, statusError(resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || err == nil && int64(len(data)) > most:
		return nil, errForeign
	case err != nil:
		return nil, httpError(err)
	}
	return data, nil
}

func (s *httpServer) store(ctx context.Context, space, name string, data []byte) error {
	resp, err := s.request(ctx, http.MethodPut, space, name, data)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<14)) // for the reuse of the connection
	if resp.StatusCode/100 != 2 {
		return statusError(resp.StatusCode)
	}
	return nil
}
