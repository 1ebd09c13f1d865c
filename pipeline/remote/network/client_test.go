package network_test

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/network"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
)

const minute = time.Minute // for waits that end long before

// TestMain gives servers a minute to answer, in case the machine is busy.
func TestMain(m *testing.M) {
	if err := os.Setenv(remote.EnvTimeout, "1m"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// protocols runs a test with a server of each protocol.
func protocols(t *testing.T, test func(t *testing.T, server *remotetest.Server)) {
	t.Run("http", func(t *testing.T) { test(t, remotetest.Start(t)) })
	t.Run("grpc", func(t *testing.T) { test(t, remotetest.StartGRPC(t)) })
}

func dial(t testing.TB, c remote.Config) *network.Client {
	t.Helper()
	client, err := network.Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func key(n int) remote.Key { return remote.Key{byte(n), byte(n >> 8), 7} }

// content returns a content that is small, or too large for an ActionResult.
func content(n int) []byte {
	if n%2 == 0 {
		return fmt.Appendf(nil, "content %d", n)
	}
	out := make([]byte, 100_000)
	if n == 5 {
		out = make([]byte, 5_000_000) // exceeds a gRPC message
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

// TestThereAndBack checks that an entry of one client is read by another, under its kind and key only, and that a
// reader stores nothing.
func TestThereAndBack(t *testing.T) { protocols(t, thereAndBack) }

func thereAndBack(t *testing.T, server *remotetest.Server) {
	writer, reader := dial(t, remote.Config{URL: server.URL, Write: true}), dial(t, remote.Config{URL: server.URL + "/"})
	for n := range 6 {
		writer.Put("reports", key(n), content(n))
	}
	writer.Flush(minute)
	for n := range 6 {
		if got, ok := reader.Get("reports", key(n)); !ok || !bytes.Equal(got, content(n)) {
			t.Errorf("entry %d: %t, %d bytes", n, ok, len(got))
		}
		if _, ok := reader.Get("answers", key(n)); ok {
			t.Errorf("entry %d is there as another kind", n)
		}
	}
	before := len(server.Files())
	reader.Put("reports", key(9), content(9))
	reader.Flush(minute)
	if _, ok := reader.Get("reports", key(9)); ok || len(server.Files()) != before || reader.Writable() {
		t.Error("a reader has put something")
	}
	if writer.Err() != nil || reader.Err() != nil || reader.Ping() != nil {
		t.Error(writer.Err(), reader.Err(), reader.Ping())
	}
}

// TestCorrupted checks that 1,000 damaged, truncated, exchanged or forged entries are read as stored, or not at all.
func TestCorrupted(t *testing.T) { protocols(t, corrupted) }

func corrupted(t *testing.T, server *remotetest.Server) {
	writer := dial(t, remote.Config{URL: server.URL, Write: true})
	const entries = 40
	for n := range entries {
		writer.Put("reports", key(n), content(n))
	}
	writer.Flush(minute)
	good := server.Files()
	paths := slices.Sorted(maps.Keys(good))
	random := rand.New(rand.NewPCG(5, 6))
	kinds := []func(data, other []byte) []byte{
		func(data, _ []byte) []byte { data[random.IntN(len(data))] ^= 1 << random.IntN(8); return data },
		func(data, _ []byte) []byte { return data[:random.IntN(len(data))] },
		func(data, _ []byte) []byte { return append(data, byte(random.Uint32())) },
		func(_, other []byte) []byte { return other },
		func(data, other []byte) []byte { return append(data, other...) }, // the last of two fields counts
		func([]byte, []byte) []byte { return []byte{} },
		func(data, _ []byte) []byte {
			at := random.IntN(len(data))
			for i := at; i < min(at+30, len(data)); i++ {
				data[i] = byte(random.Uint32())
			}
			return data
		},
		func([]byte, []byte) []byte { return []byte("<html>please log in</html>") },
	}
	wrong, missed, right := 0, 0, 0
	for round := 0; round*entries < 1000; round++ {
		bad := map[string][]byte{}
		for _, p := range paths {
			other := good[paths[random.IntN(len(paths))]]
			bad[p] = kinds[random.IntN(len(kinds))](bytes.Clone(good[p]), bytes.Clone(other))
		}
		server.SetFiles(bad)
		reader := dial(t, remote.Config{URL: server.URL})
		for n := range entries {
			got, ok := reader.Get("reports", key(n))
			switch {
			case !ok:
				missed++
			case bytes.Equal(got, content(n)):
				right++ // the change has no meaning, as in an unknown field
			default:
				wrong++
			}
		}
		if reader.Err() != nil {
			t.Errorf("round %d: %v", round, reader.Err())
		}
	}
	if wrong > 0 || missed < 800 {
		t.Errorf("%d wrong, %d misses, %d right", wrong, missed, right)
	}
	t.Logf("%d misses, %d right all the same", missed, right)
}

// TestSignatures checks that with a public key only entries signed with its secret count.
func TestSignatures(t *testing.T) {
	server := remotetest.Start(t)
	secret, public, err := network.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	_, foreign, err := network.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	dial(t, remote.Config{URL: server.URL}) // reads the environment before it has the secret
	unsigned := dial(t, remote.Config{URL: server.URL, Write: true})
	unsigned.Put("units", key(1), content(1))
	unsigned.Flush(minute)
	t.Setenv(remote.EnvSecret, secret)
	signed := dial(t, remote.Config{URL: server.URL, Write: true})
	signed.Put("units", key(2), content(2))
	signed.Flush(minute)
	for _, test := range []struct {
		keys string
		n    int
		want bool
	}{{"", 1, true}, {"", 2, true}, {public, 1, false}, {public, 2, true}, {foreign, 2, false},
		{foreign + ", " + public, 2, true}} {
		reader := dial(t, remote.Config{URL: server.URL, Keys: test.keys})
		if _, ok := reader.Get("units", key(test.n)); ok != test.want {
			t.Errorf("entry %d with keys %q: %t", test.n, test.keys, ok)
		}
	}
}

// TestFaults checks that a faulty server costs little time, and that Err returns its error.
func TestFaults(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	for _, test := range []struct {
		name  string
		fault http.HandlerFunc
		want  string
	}{
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "it refuses the credentials"},
		{"expired", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, "it refuses the credentials"},
		{"broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "it answers 500"},
		{"moved", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusFound)
		}, "it answers 302"},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-stuck:
			case <-r.Context().Done():
			}
		}, "it does not answer in time"},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := remotetest.Start(t)
			server.Fail(test.fault)
			if test.name == "hangs" {
				t.Setenv(remote.EnvTimeout, "200ms")
			}
			client := dial(t, remote.Config{URL: server.URL, Write: true})
			for n := range 100 {
				if _, ok := client.Get("units", key(n)); ok {
					t.Fatal("something is there")
				}
			}
			if gets, _ := server.Requests(); gets > 2 { // net/http repeats a request on a broken connection
				t.Errorf("it was asked %d times", gets)
			}
			if err := client.Err(); err == nil || !strings.Contains(err.Error(), test.want) ||
				strings.Contains(err.Error(), "/ac/") {
				t.Errorf("%v, want %s", err, test.want)
			}
			if test.name == "hangs" {
				return // the writes would take as long
			}
			writer := dial(t, remote.Config{URL: server.URL, Write: true})
			for n := range 100 {
				writer.Put("units", key(n), content(n))
			}
			writer.Flush(minute)
			if _, puts := server.Requests(); puts > 20 {
				t.Errorf("it was told %d times", puts)
			}
			if writer.Writable() || writer.Err() == nil {
				t.Errorf("it is written to all the same: %v", writer.Err())
			}
		})
	}
	t.Run("full", func(t *testing.T) {
		server := remotetest.Start(t)
		first := dial(t, remote.Config{URL: server.URL, Write: true})
		first.Put("units", key(1), content(1))
		first.Flush(minute)
		files := server.Files()
		server.Fail(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				w.WriteHeader(http.StatusInsufficientStorage)
				return
			}
			_, _ = w.Write(files[r.URL.Path])
		})
		client := dial(t, remote.Config{URL: server.URL, Write: true})
		client.Put("units", key(2), content(2))
		client.Flush(minute)
		if _, ok := client.Get("units", key(1)); !ok {
			t.Error("what is there is not read any more")
		}
		if err := client.Err(); err == nil || !strings.Contains(err.Error(), "it takes no entries: it answers 507") {
			t.Error(err)
		}
	})
	t.Run("gone", func(t *testing.T) {
		client := dial(t, remote.Config{URL: "http://127.0.0.1:1"})
		if _, ok := client.Get("units", key(1)); ok || client.Err() == nil || client.Usable() {
			t.Error(ok, client.Err())
		}
	})
}

// TestHeaders checks that tokens and headers of the environment are sent.
func TestHeaders(t *testing.T) {
	server := remotetest.Start(t)
	t.Setenv(remote.EnvToken, "abc")
	t.Setenv(remote.EnvHeaders, "x-tenant: 7\nX-Other:  a b \n")
	var got http.Header
	server.Fail(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.WriteHeader(404)
	})
	dial(t, remote.Config{URL: server.URL}).Get("units", key(1))
	if got.Get("Authorization") != "Bearer abc" || got.Get("X-Tenant") != "7" || got.Get("X-Other") != "a b" {
		t.Error(got)
	}
}

// TestFaultsGRPC is TestFaults for gRPC.
func TestFaultsGRPC(t *testing.T) {
	for _, test := range []struct {
		name string
		code codes.Code
		want string
	}{
		{"refused", codes.Unauthenticated, "it refuses the credentials"},
		{"expired", codes.PermissionDenied, "it refuses the credentials"},
		{"broken", codes.Internal, "it answers Internal: for a test"},
		{"full", codes.ResourceExhausted, "it answers ResourceExhausted: for a test"},
		{"hangs", codes.OK, "it does not answer in time"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := remotetest.StartGRPC(t)
			stuck := make(chan struct{})
			if test.name == "hangs" {
				t.Setenv(remote.EnvTimeout, "200ms")
				server.FailGRPC(nil, stuck)
				defer close(stuck)
			} else {
				server.FailGRPC(status.Error(test.code, "for a test"), nil)
			}
			client := dial(t, remote.Config{URL: server.URL, Write: true})
			for n := range 100 {
				if _, ok := client.Get("units", key(n)); ok {
					t.Fatal("something is there")
				}
			}
			if gets, _ := server.Requests(); gets > 2 {
				t.Errorf("it was asked %d times", gets)
			}
			if err := client.Err(); err == nil || err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
			for n := range 100 {
				client.Put("units", key(n), content(n))
			}
			client.Flush(minute)
			if gets, puts := server.Requests(); gets+puts > 20 {
				t.Errorf("it was told %d times", gets+puts)
			}
			if client.Writable() {
				t.Error("it is written to all the same")
			}
		})
	}
	t.Run("gone", func(t *testing.T) {
		client := dial(t, remote.Config{URL: "grpc://127.0.0.1:1"})
		if _, ok := client.Get("units", key(1)); ok || client.Usable() {
			t.Error(ok, client.Err())
		}
		if err := client.Err(); err == nil || !strings.HasSuffix(err.Error(), "connection refused") {
			t.Error(err)
		}
	})
}

// TestHeadersGRPC checks that tokens, headers and the user in the address are sent.
func TestHeadersGRPC(t *testing.T) {
	server := remotetest.StartGRPC(t)
	t.Setenv(remote.EnvHeaders, "X-Tenant: 7")
	address := strings.Replace(server.URL, "grpc://", "grpc://user:sesame@", 1) + "/instance"
	if err := dial(t, remote.Config{URL: address}).Ping(); err != nil {
		t.Fatal(err)
	}
	got := server.Metadata()
	if strings.Join(got.Get("x-tenant"), " ") != "7" ||
		strings.Join(got.Get("authorization"), " ") != "Basic dXNlcjpzZXNhbWU=" {
		t.Error(got)
	}
}

// TestTLS checks that grpcs requires the configured certificate, and the error for another one.
func TestTLS(t *testing.T) {
	h := httptest.NewUnstartedServer(nil)
	h.StartTLS() // for its certificate, which is for 127.0.0.1
	defer h.Close()
	server := remotetest.StartGRPC(t, grpc.Creds(credentials.NewServerTLSFromCert(&h.TLS.Certificates[0])))
	address := strings.Replace(server.URL, "grpc://", "grpcs://", 1)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dial(t, remote.Config{URL: address, CA: ca}).Ping(); err != nil {
		t.Error(err)
	}
	if err := dial(t, remote.Config{URL: address}).Ping(); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}
