package assistant

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestHTTP(t *testing.T) {
	s := start(t, files{"clamp.c": clampFile}, Options{})
	for _, address := range []string{"0.0.0.0:0", "192.168.0.1:0", ":0", "example.org:80", "127.0.0.1", "localhost:0"} {
		if l, err := Listen(address); err == nil {
			l.Close()
			t.Errorf("%s is listened on", address)
		}
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	token := Token()
	go func() { done <- s.server.ServeHTTP(ctx, l, token) }()
	url := "http://" + l.Addr().String()
	for header, status := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer ": 401, token: 401} {
		r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
		r.Header.Set("Authorization", header)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != status {
			t.Errorf("with the token %q the status is %d, want %d", header, answer.StatusCode, status)
		}
	}
	r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Origin", "https://example.org")
	if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("a web page gets %v, %v", answer, err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	over := &session{t, s.dir, s.server, client}
	if c := call[CheckAnswer](over, "check", nil); c.Verdict != "failed" {
		t.Errorf("check: %+v", c)
	}
	client.Close()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
