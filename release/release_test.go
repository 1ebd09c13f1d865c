package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
)

// stages makes the folders of two hosts with a program and its licences. Times and modes of files differ from call to
// call.
func stages(t *testing.T, umask os.FileMode) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"linux-amd64", "linux-arm64"} {
		for path, text := range map[string]string{"bin/unitproof": "program for " + name, "include/unitproof.h": "//\n",
			"share/doc/unitproof/copyright": "Apache\n"} {
			mode := 0o666 &^ umask
			if strings.HasPrefix(path, "bin/") {
				mode = 0o777 &^ umask
			}
			path = filepath.Join(dir, name, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o777&^umask); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

const notices = "==============================\nexample.com/m v1.2.0 (Go)\n==============================\n\nMIT\n" +
	"==============================\n@a/b 3.0.1 (npm)\n==============================\n\nMIT\n"

// release makes a release and returns its files by name.
func release(t *testing.T, umask os.FileMode, key string) (dir string, files map[string][]byte) {
	t.Helper()
	dir = t.TempDir()
	list := filepath.Join(t.TempDir(), "notices")
	if err := os.WriteFile(list, []byte(notices), 0o600); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(t.TempDir(), "bases")
	if err := os.MkdirAll(base, 0o700); err != nil {
		t.Fatal(err)
	}
	// An empty tar file is a root file system, too.
	if err := os.WriteFile(filepath.Join(base, "arm64.tar"), make([]byte, 1024), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "unitproof-1.2.3-rc1-source.tar.gz"), []byte("source"), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--version", "1.2.3-rc1", "--time", "1700000000", "--commit", "abc", "--url",
		"https://example.com/v1", "--stages", stages(t, umask), "--out", dir}
	for _, call := range [][]string{append([]string{"image", "--bases", base}, arguments...),
		append([]string{"pack", "--notices", list, "--key", key}, arguments...)} {
		if err := run(call); err != nil {
			t.Fatal(err)
		}
	}
	files = map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return dir, files
}

// TestRelease checks the artefacts of a small release, and that they depend on no time and no umask.
func TestRelease(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := run([]string{"key", key}); err != nil {
		t.Fatal(err)
	}
	dir, files := release(t, 0o022, key)
	time.Sleep(1100 * time.Millisecond) // times of files have seconds
	_, again := release(t, 0o077, key)
	if len(files) != 20 || len(again) != len(files) {
		t.Errorf("%d files, then %d, want 20", len(files), len(again))
	}
	for name, text := range files {
		if !bytes.Equal(again[name], text) {
			t.Errorf("%s differs in a second release", name)
		}
		if !strings.HasPrefix(name, sumsName) && !strings.Contains(string(files[sumsName]), "  "+name+"\n") {
			t.Errorf("%s has no line for %s", sumsName, name)
		}
	}
	for _, name := range []string{"unitproof_1.2.3~rc1_amd64.deb", "unitproof_1.2.3~rc1_arm64.deb",
		"unitproof-1.2.3-rc1-linux-arm64.tar.gz", "unitproof-1.2.3-rc1-image.tar", sumsName + ".minisig"} {
		if len(files[name]) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
	sum, err := checksum(filepath.Join(dir, "unitproof-1.2.3-rc1-linux-amd64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"unitproof.rb", "unitproof.nix"} {
		if text := string(files[name]); !strings.Contains(text, sum) ||
			!strings.Contains(text, `"https://example.com/v1/unitproof-1.2.3-rc1-linux-amd64.tar.gz"`) {
			t.Errorf("%s lacks an archive or its checksum:\n%s", name, text)
		}
	}
	doc, err := spdxjson.Read(bytes.NewReader(files["unitproof-1.2.3-rc1.spdx.json"]))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Packages); n != 3 || doc.Packages[2].PackageExternalReferences[0].Locator != "pkg:npm/%40a/b@3.0.1" {
		t.Errorf("the bill of materials has %d packages: %+v", n, doc.Packages)
	}

	root := filepath.Join(t.TempDir(), "root")
	if err := run([]string{"unpack", filepath.Join(dir, "unitproof-1.2.3-rc1-image.tar"), "arm64", root}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "usr/bin/unitproof")); string(text) != "program for linux-arm64" {
		t.Errorf("the image has the program %q, %v", text, err)
	}
	sums := filepath.Join(dir, sumsName)
	if err := run([]string{"verify", sums, sums + ".minisig", key + ".pub"}); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(sums, append(files[sumsName], '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"verify", sums, sums + ".minisig", key + ".pub"}); err == nil {
		t.Error("a signature of other checksums is accepted")
	}
}

// TestNormalizeZip checks that a zip file is the same whatever order and times it was written with.
func TestNormalizeZip(t *testing.T) {
	var texts [][]byte
	for i, names := range [][]string{{"a", "b"}, {"b", "a"}} {
		path := filepath.Join(t.TempDir(), "x.zip")
		var text bytes.Buffer
		out := zip.NewWriter(&text)
		for _, name := range names {
			w, err := out.CreateHeader(&zip.FileHeader{Name: name, Modified: time.Unix(int64(1e9*(i+1)), 0)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run([]string{"zip", "--time", "1700000000", path}); err != nil {
			t.Fatal(err)
		}
		normal, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, normal)
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("the files differ")
	}
}
