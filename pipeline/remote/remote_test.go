package remote_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
)

const minute = time.Minute // for waits that end long before

// TestMain gives servers a minute, on machines that have other things to do.
func TestMain(m *testing.M) {
	if err := os.Setenv(remote.EnvTimeout, "1m"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func dial(t testing.TB, c remote.Config) *remote.Client {
	t.Helper()
	client, err := remote.Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func key(n int) remote.Key { return remote.Key{byte(n), byte(n >> 8), 7} }

// content is small or too large for an ActionResult.
func content(n int) []byte {
	if n%2 == 0 {
		return fmt.Appendf(nil, "content %d", n)
	}
	out := make([]byte, 100_000)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

// TestThereAndBack: what one client puts another gets, under its kind and key only; a reader puts nothing.
func TestThereAndBack(t *testing.T) {
	server := remotetest.Start(t)
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
	var none *remote.Client
	none.Put("reports", key(1), nil)
	none.Flush(minute)
	if _, ok := none.Get("reports", key(1)); ok || none.Err() != nil || none.Usable() {
		t.Error("no client is something")
	}
}

// TestCorrupted: 1,000 entries that were damaged, cut, exchanged or made up are what was put or nothing at all.
func TestCorrupted(t *testing.T) {
	server := remotetest.Start(t)
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
				right++ // what was changed does not matter, like an unknown field
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

// TestSignatures: with a public key only what was signed with its secret counts.
func TestSignatures(t *testing.T) {
	server := remotetest.Start(t)
	secret, public, err := remote.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	_, foreign, err := remote.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	dial(t, remote.Config{URL: server.URL}) // reads the environment before the secret is there
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

// TestFaults: a server that misbehaves costs little time, and Err says why it was left alone.
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
			if gets, _ := server.Requests(); gets > 2 { // a connection that breaks is tried again by net/http
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

// TestHeaders: tokens and headers of the environment are sent.
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

// TestWrongConfigurations: each is an error, which does not repeat passwords.
func TestWrongConfigurations(t *testing.T) {
	for _, test := range []struct {
		config   remote.Config
		variable string
		value    string
	}{
		{config: remote.Config{URL: "grpc://host:1"}},
		{config: remote.Config{URL: "http://"}},
		{config: remote.Config{URL: "host:80"}},
		{config: remote.Config{URL: "http://u:sesame@host/?q"}},
		{config: remote.Config{URL: "http://u:sesame@ho st"}},
		{config: remote.Config{URL: "http://h", CA: "/nowhere.pem"}},
		{config: remote.Config{URL: "http://h", Keys: "ed25519:abc"}},
		{remote.Config{URL: "http://h"}, remote.EnvHeaders, "sesame"},
		{remote.Config{URL: "http://h"}, remote.EnvToken, "sesame\nx"},
		{remote.Config{URL: "http://h"}, remote.EnvSecret, "sesame"},
		{remote.Config{URL: "http://h"}, remote.EnvTimeout, "sesame"},
	} {
		t.Run("", func(t *testing.T) {
			if test.variable != "" {
				t.Setenv(test.variable, test.value)
			}
			if _, err := remote.Dial(test.config); err == nil || strings.Contains(err.Error(), "sesame") {
				t.Errorf("%+v: %v", test, err)
			}
		})
	}
}

// TestResolve: flags win over the environment, and that over files; writing is never decided by a file.
func TestResolve(t *testing.T) {
	env := map[string]string{remote.EnvURL: "http://env", remote.EnvWrite: "1"}
	get := func(name string) string { return env[name] }
	none := func(string) string { return "" }
	file := remote.Config{URL: "http://file", Keys: "k", CA: "c"}
	for _, test := range []struct{ got, want remote.Config }{
		{remote.Resolve(remote.Config{URL: "http://flag"}, file, get),
			remote.Config{URL: "http://flag", Write: true, Keys: "k", CA: "c"}},
		{remote.Resolve(remote.Config{}, file, get), remote.Config{URL: "http://env", Write: true, Keys: "k", CA: "c"}},
		{remote.Resolve(remote.Config{}, file, none), file},
		{remote.Resolve(remote.Config{Write: true}, remote.Config{}, none), remote.Config{}},
	} {
		if test.got != test.want {
			t.Errorf("%+v, want %+v", test.got, test.want)
		}
	}
}
