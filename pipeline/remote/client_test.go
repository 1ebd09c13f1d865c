package remote_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
)

const minute = time.Minute // for waits that end long before

func TestMain(m *testing.M) {
	done := remotetest.Program()
	// Servers have a minute to answer, in case the machine is busy.
	if err := os.Setenv(remote.EnvTimeout, "1m"); err != nil {
		panic(err)
	}
	status := m.Run()
	done()
	os.Exit(status)
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

func content(n int) []byte { return bytes.Repeat([]byte{byte(n), 0, 1, byte(n >> 8)}, 1+n*n*40) }

// TestPipes checks that entries stored by one program are read by another, many at a time. A reader stores nothing, and
// a nil client works.
func TestPipes(t *testing.T) {
	server := remotetest.Start(t)
	writer, reader := dial(t, remote.Config{URL: server.URL, Write: true}), dial(t, remote.Config{URL: server.URL})
	if !writer.Writable() || reader.Writable() || !reader.Usable() || reader.Ping() != nil {
		t.Error("who may write:", writer.Writable(), reader.Writable(), reader.Usable(), reader.Ping())
	}
	const entries = 50
	for n := range entries {
		writer.Put("reports", key(n), content(n))
	}
	writer.Flush(minute)
	var all sync.WaitGroup
	for n := range entries {
		all.Go(func() {
			if got, ok := reader.Get("reports", key(n)); !ok || !bytes.Equal(got, content(n)) {
				t.Errorf("entry %d: %t, %d bytes", n, ok, len(got))
			}
			if _, ok := reader.Get("answers", key(n)); ok {
				t.Errorf("entry %d is there as another kind", n)
			}
		})
	}
	all.Wait()
	before := len(server.Files())
	reader.Put("reports", key(entries), content(1))
	reader.Flush(minute)
	if len(server.Files()) != before || writer.Err() != nil || reader.Err() != nil {
		t.Error(len(server.Files())-before, writer.Err(), reader.Err())
	}
	if again := dial(t, remote.Config{URL: server.URL}); again != reader {
		t.Error("two processes for one server")
	}
	var none *remote.Client
	none.Put("reports", key(1), nil)
	none.Flush(minute)
	if _, ok := none.Get("reports", key(1)); ok || none.Err() != nil || none.Usable() {
		t.Error("no client is something")
	}
}

// program installs a script as unitproof-remote; "" installs none.
func program(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	if text == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, remote.Program), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestPrograms checks that there are no entries if the program fails, and that Err has the reason and the remedy.
func TestPrograms(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"missing", "", "is not beside"},
		{"ends", "#!/bin/sh\n", "broke down"},
		{"fails", "#!/bin/sh\necho some reason >&2; exit 3\n", "(exit status 3): some reason"},
		{"killed", "#!/bin/sh\nkill -9 $$\n", "signal: killed"},
		{"babbles", "#!/bin/sh\nyes\n", "signal: killed"},
		{"cut", `#!/bin/sh
printf '\000\000\000\033\000\000\000\000{"ID":1,"Error":"another vers"}'; cat >/dev/null
`, "broke down"},
		{"other", `#!/bin/sh
head -c 1 >/dev/null # a reply follows a request: what nobody has asked yet is dropped
printf '\000\000\000\036\000\000\000\000{"ID":1,"Error":"too old one"}'; exec cat >/dev/null
`, "too old one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			program(t, test.text)
			client := dial(t, remote.Config{URL: "http://127.0.0.1:1/" + test.name, Write: true})
			for n := range 3 {
				if _, ok := client.Get("units", key(n)); ok {
					t.Error("something is there")
				}
				client.Put("units", key(n), content(n))
			}
			client.Flush(minute)
			if err := client.Err(); err == nil || !strings.Contains(err.Error(), test.want) || client.Usable() {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

// TestEndsWithInput checks that the program ends with the process that has started it, and that a pending request does
// not wait.
func TestEndsWithInput(t *testing.T) {
	server := remotetest.Start(t)
	client := dial(t, remote.Config{URL: server.URL})
	if _, ok := client.Get("units", key(1)); ok {
		t.Fatal("something is there")
	}
	if err := remote.CloseInput(client); err != nil {
		t.Fatal(err)
	}
	if err := remote.Wait(client); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Error(err)
	}
	if _, ok := client.Get("units", key(1)); ok || client.Err() == nil {
		t.Error(ok, client.Err())
	}
}

// TestNoProgram checks that nothing is executed without the program, with an error.
func TestNoProgram(t *testing.T) {
	program(t, "")
	x, err := remote.DialCluster(remote.Cluster{URL: "grpc://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	before, _ := x.Failures() // of the same test in an earlier run
	for range 2 {
		_, err = x.Execute(t.Context(), []byte("task"), minute, false)
		if err == nil || !strings.Contains(err.Error(), "is not beside") {
			t.Error(err)
		}
		x.Note(err)
	}
	if n, err := x.Failures(); n != before+2 || err == nil || !strings.HasPrefix(err.Error(), "grpc://127.0.0.1:1: ") {
		t.Error(n, err)
	}
}
