package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// host is a system that programs were built for.
type host struct {
	os, arch string // as Go has them
	stage    string // the folder with its files below a prefix: bin, include, share
	files    []file // sorted by path
}

// file is a regular file of a stage. Folders are implied by paths; the stages have no links.
type file struct {
	path string // relative, with slashes
	from string // the file to read
	mode os.FileMode
}

func (h *host) name() string { return h.os + "-" + h.arch }

// archiveName returns the name of the host's archive and of the folder in it, without the suffix.
func (h *host) archiveName(o *options) string { return "unitproof-" + o.version + "-" + h.name() }

// readStages returns the hosts of a folder, sorted by name.
func readStages(dir string) ([]*host, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var hosts []*host
	for _, e := range entries {
		system, arch, ok := strings.Cut(e.Name(), "-")
		if !ok || !e.IsDir() {
			return nil, fmt.Errorf("%s is no folder of a host, as linux-amd64", filepath.Join(dir, e.Name()))
		}
		h := &host{os: system, arch: arch, stage: filepath.Join(dir, e.Name())}
		if h.files, err = readFiles(h.stage); err != nil {
			return nil, err
		}
		hosts = append(hosts, h)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%s has no folder of a host", dir)
	}
	return hosts, nil
}

// readFiles lists the regular files below a folder. Modes are 0755 or 0644, whatever the umask was.
func readFiles(dir string) (files []file, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file", path)
		}
		mode := os.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		inside, err := filepath.Rel(dir, path)
		files = append(files, file{path: filepath.ToSlash(inside), from: path, mode: mode})
		return err
	})
	sort.Slice(files, func(i, j int) bool { return files[i].path < files[j].path })
	return files, err
}

// writeTar writes the files of a host below a folder of the archive, with their folders.
func writeTar(w io.Writer, h *host, below string, when time.Time) error {
	out := tar.NewWriter(w)
	made := map[string]bool{}
	var folder func(path string) error
	folder = func(path string) error {
		if path == "." || path == "" || made[path] {
			return nil
		}
		made[path] = true
		if err := folder(filepath.Dir(path)); err != nil {
			return err
		}
		return out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: path + "/", Mode: 0o755, ModTime: when})
	}
	for _, f := range h.files {
		name := below + "/" + f.path
		if err := folder(filepath.Dir(name)); err != nil {
			return err
		}
		data, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(f.mode), Size: int64(len(data)), ModTime: when}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := out.Write(data); err != nil {
			return err
		}
	}
	return out.Close()
}

// writeArchive writes the archive of a host. In its root are also the files of o.root, which make it a subproject of
// Meson and a module of Bazel.
func writeArchive(o *options, h *host) error {
	name := h.archiveName(o)
	archived := *h
	if o.root != "" {
		more, err := readFiles(o.root)
		if err != nil {
			return err
		}
		archived.files = append(slices.Clone(h.files), more...)
		sort.Slice(archived.files, func(i, j int) bool { return archived.files[i].path < archived.files[j].path })
	}
	var text bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(compressed, &archived, name, o.time); err != nil {
		return err
	}
	if err := compressed.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, name+".tar.gz"), text.Bytes(), 0o644)
}

// normalizeZip rewrites a zip file with sorted entries and one time, as vsce writes the time of its run.
func normalizeZip(path string, when time.Time) error {
	in, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer in.Close()
	sort.Slice(in.File, func(i, j int) bool { return in.File[i].Name < in.File[j].Name })
	var text bytes.Buffer
	out := zip.NewWriter(&text)
	for _, f := range in.File {
		header := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: when}
		mode := os.FileMode(0o644)
		if f.Mode()&0o100 != 0 {
			mode = 0o755
		}
		header.SetMode(mode)
		w, err := out.CreateHeader(header)
		if err != nil {
			return err
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		_, err = io.Copy(w, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}
