package cache

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func key(i int) Key { return NewHash("test").String(fmt.Sprint(i)).Key() }

// contents lists the files of a folder with their sizes and times.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "cache")
	s := Open(dir, Options{})
	if _, ok := s.Get(Units, key(1)); ok {
		t.Error("something is in a store that is not there")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("looking makes the folder")
	}
	s.Put(Units, key(1), []byte("one"))
	s.Put(Reports, key(1), []byte("another"))
	s.Put(Reports, key(2), nil)
	for range 2 {
		if data, ok := s.Get(Units, key(1)); !ok || string(data) != "one" {
			t.Errorf("units: %q, %v", data, ok)
		}
		if data, ok := s.Get(Reports, key(1)); !ok || string(data) != "another" {
			t.Errorf("reports: %q, %v", data, ok)
		}
		if data, ok := s.Get(Reports, key(2)); !ok || len(data) != 0 {
			t.Errorf("an empty entry: %q, %v", data, ok)
		}
		if _, ok := s.Get(Answers, key(1)); ok {
			t.Error("kinds are mixed up")
		}
		s = Open(dir, Options{}) // as another process does
	}
	s.Put(Units, key(1), []byte("new"))
	if data, _ := s.Get(Units, key(1)); string(data) != "new" {
		t.Errorf("after a second Put: %q", data)
	}
	usages, err := Usages(dir)
	if err != nil || usages[0].Entries != 1 || usages[2].Entries != 2 || usages[0].Bytes == 0 {
		t.Errorf("%+v, %v", usages, err)
	}
	if keys, err := Keys(dir, Units); err != nil || len(keys) != 1 || keys[0] != key(1) {
		t.Errorf("%v, %v", keys, err)
	}
	other := filepath.Join(dir, "units", "note.txt")
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Clean(dir); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get(Units, key(1)); ok {
		t.Error("an entry after Clean")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("Clean removed what is not the store's")
	}
}

// TestHash checks that different sequences of additions have different keys.
func TestHash(t *testing.T) {
	keys := map[Key]string{}
	for name, h := range map[string]*Hash{
		"ab": NewHash("p").String("ab"), "a b": NewHash("p").String("a").String("b"), "none": NewHash("p"),
		"empty": NewHash("p").String(""),
		"list":  NewHash("p").Strings([]string{"a", "b"}), "list of one": NewHash("p").Strings([]string{"ab"}),
		"other": NewHash("q").String("ab"),
	} {
		k := h.Key()
		if old, dup := keys[k]; dup {
			t.Errorf("%s and %s have one key", name, old)
		}
		keys[k] = name
	}
}

// TestBroken checks that an entry is either as it was put or missing, whatever happens to its file.
func TestBroken(t *testing.T) {
	want := bytes.Repeat([]byte("something "), 100)
	for name, damage := range map[string]func(path string, data []byte) error{
		"removed":   func(path string, _ []byte) error { return os.Remove(path) },
		"empty":     func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o644) },
		"truncated": func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)-3], 0o644) },
		"longer":    func(path string, data []byte) error { return os.WriteFile(path, append(data, ' '), 0o644) },
		"flipped": func(path string, data []byte) error {
			data[len(data)/2] ^= 4
			return os.WriteFile(path, data, 0o644)
		},
		"another checksum": func(path string, data []byte) error {
			data[0] ^= 4
			return os.WriteFile(path, data, 0o644)
		},
		"another's": func(path string, _ []byte) error {
			other := filepath.Join(t.TempDir(), "other")
			if err := writeEntry(other, key(8), want); err != nil {
				return err
			}
			return os.Rename(other, path)
		},
	} {
		dir := t.TempDir()
		s := Open(dir, Options{})
		s.Put(Answers, key(7), want)
		done := 0
		err := walk(dir, func(_ Kind, path string, _ fs.FileInfo) error {
			data, err := os.ReadFile(path)
			if err == nil {
				done++
				err = damage(path, data)
			}
			return err
		})
		if err != nil || done != 1 {
			t.Fatal(done, err)
		}
		if data, ok := Open(dir, Options{}).Get(Answers, key(7)); ok {
			t.Errorf("%s: still there, with the content %q", name, data)
		}
		s.Put(Answers, key(7), want)
		if data, ok := s.Get(Answers, key(7)); !ok || !bytes.Equal(data, want) {
			t.Errorf("%s: it cannot be put again", name)
		}
	}
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	Open(dir, Options{}).Put(Units, key(1), []byte("one"))
	before := contents(t, dir)
	s := Open(dir, Options{ReadOnly: true})
	s.Put(Units, key(2), []byte("two"))
	s.Put(Reports, key(2), []byte("two"))
	s.Trim()
	if data, ok := s.Get(Units, key(1)); !ok || string(data) != "one" {
		t.Error("what is there is not used")
	}
	if _, ok := s.Get(Reports, key(2)); ok {
		t.Error("something was kept")
	}
	if s.Writable() {
		t.Error("writable")
	}
	if after := contents(t, dir); after != before {
		t.Errorf("the folder changed from\n%sto\n%s", before, after)
	}
}

// TestUnusable checks that a missing or impossible folder only costs the entries.
func TestUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{nil, Open("", Options{}), Open(file, Options{}),
		Open(filepath.Join(file, "below"), Options{}), Open("/dev/full/cache", Options{})} {
		s.Put(Units, key(1), []byte("one"))
		if _, ok := s.Get(Units, key(1)); ok {
			t.Error("an entry")
		}
		s.Trim()
		if s.Writable() {
			t.Error("still writable after a failure")
		}
		if err := s.Err(); s != nil && (err == nil || !strings.Contains(err.Error(), s.dir)) {
			t.Errorf("the reason is %v", err)
		}
	}
}

// TestEviction checks that the least recently used entries are evicted until the size is well below the limit.
func TestEviction(t *testing.T) {
	dir := t.TempDir()
	const n, size = 40, 10_000
	s := Open(dir, Options{})
	now := time.Now()
	for i := range n {
		s.Put(Units, key(i), bytes.Repeat([]byte{byte(i)}, size))
		// The entries are older the smaller their number.
		err := walk(dir, func(_ Kind, path string, info fs.FileInfo) error {
			if now.Sub(info.ModTime()) < time.Hour {
				when := now.Add(-time.Duration(1000-i) * 24 * time.Hour)
				return os.Chtimes(path, when, when)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Get(Units, key(n/2)) // recently used
	small := Open(dir, Options{Limit: n * size / 2})
	small.Trim()
	usages, err := Usages(dir)
	if err != nil || usages[0].Bytes > n*size/2 || usages[0].Bytes < n*size/4 {
		t.Errorf("%d bytes are left of at most %d, %v", usages[0].Bytes, n*size/2, err)
	}
	for i, want := range map[int]bool{0: false, n / 4: false, n / 2: true, n - 1: true} {
		if _, ok := s.Get(Units, key(i)); ok != want {
			t.Errorf("entry %d: %v, want %v", i, ok, want)
		}
	}
}

// TestLeftovers checks that files of a killed process are not entries, and are evicted and cleaned.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, Options{})
	s.Put(Units, key(1), []byte("one"))
	leftover := s.path(Units, key(1)) + "-123456"
	if err := os.WriteFile(leftover, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if keys, err := Keys(dir, Units); err != nil || len(keys) != 1 {
		t.Errorf("%v, %v", keys, err)
	}
	if usages, err := Usages(dir); err != nil || usages[0].Entries != 1 || usages[0].Bytes < 1000 {
		t.Errorf("%+v, %v", usages, err)
	}
	if err := Clean(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(leftover); !os.IsNotExist(err) {
		t.Errorf("after Clean: %v", err)
	}
}

// TestConcurrent checks that processes that put and get the same entries see complete entries or none.
func TestConcurrent(t *testing.T) {
	if dir := os.Getenv("CACHE_TEST_DIR"); dir != "" {
		hammer(t, dir)
		return
	}
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestConcurrent$")
			cmd.Env = append(os.Environ(), "CACHE_TEST_DIR="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	hammer(t, dir)
	wait.Wait()
	for i := range 20 {
		if data, ok := Open(dir, Options{}).Get(Reports, key(i)); !ok || !bytes.Equal(data, value(i)) {
			t.Errorf("entry %d is gone", i)
		}
	}
}

func value(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 100+1000*i) }

func hammer(t *testing.T, dir string) {
	s := Open(dir, Options{})
	for round := range 15 {
		for i := range 20 {
			if data, ok := s.Get(Reports, key(i)); ok && !bytes.Equal(data, value(i)) {
				t.Errorf("round %d: entry %d is wrong", round, i)
			}
			s.Put(Reports, key(i), value(i))
		}
	}
	if !s.Writable() {
		t.Error("writing failed")
	}
}

// TestEngine checks how programs are identified.
func TestEngine(t *testing.T) {
	id, err := Engine()
	if err != nil || len(id) < 20 {
		t.Fatalf("%q, %v", id, err)
	}
	if !strings.HasPrefix(id, "build ") {
		t.Errorf("%q: a program of the go command has a build ID", id)
	}
	dir := t.TempDir()
	seen := map[string]string{id: "this"}
	for name, text := range map[string]string{"a": "x", "b": "y"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		id, err := engineOf(path)
		if err != nil || seen[id] != "" {
			t.Errorf("%s: %q, %v", name, id, err)
		}
		seen[id] = name
	}
	if _, err := engineOf(filepath.Join(dir, "none")); err == nil {
		t.Error("a program that is not there")
	}
}

// TestEngineOfBuilds checks that another source yields another program, and the same source the same.
func TestEngineOfBuilds(t *testing.T) {
	dir := t.TempDir()
	build := func(out, text string) string {
		src := filepath.Join(dir, "main.go")
		if err := os.WriteFile(src, []byte("package main\n\nfunc main() { println("+text+") }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, out)
		if out, err := exec.Command("go", "build", "-o", path, src).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		id, err := engineOf(path)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	one, again, other := build("one", "1"), build("again", "1"), build("other", "2")
	if one != again || one == other {
		t.Errorf("%q, %q and %q", one, again, other)
	}
}
