package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func imageName(o *options) string { return "unitproof-" + o.version + "-image.tar" }

// image writes an image for each architecture with a root file system, in one OCI archive: a layer with the system
// and clang, one with the program.
func image(o *options) error {
	hosts, err := readStages(o.stages)
	if err != nil {
		return err
	}
	var index v1.ImageIndex = empty.Index
	index = mutate.IndexMediaType(index, types.OCIImageIndex)
	made := 0
	for _, h := range hosts {
		base := filepath.Join(o.bases, h.arch+".tar")
		if _, err := os.Stat(base); errors.Is(err, os.ErrNotExist) {
			continue
		}
		img, err := imageOf(o, h, base)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: h.os, Architecture: h.arch}}})
		made++
	}
	if made == 0 {
		return fmt.Errorf("%s has no root file system for any host", o.bases)
	}
	dir, err := os.MkdirTemp(o.out, ".image-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := layout.Write(dir, index); err != nil {
		return err
	}
	files, err := readFiles(dir)
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(o.out, imageName(o)))
	if err != nil {
		return err
	}
	// The layout is the root of the archive.
	err = writeTar(out, &host{stage: dir, files: files}, ".", o.time)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

// imageOf returns the image of a host.
func imageOf(o *options, h *host, base string) (v1.Image, error) {
	system, err := layerOf(func() (io.ReadCloser, error) { return os.Open(base) })
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := writeTar(&text, h, "usr", o.time); err != nil {
		return nil, err
	}
	program, err := layerOf(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil })
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: o.time}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.Append(img,
		mutate.Addendum{Layer: system, History: v1.History{Created: created, CreatedBy: "Debian with clang"}},
		mutate.Addendum{Layer: program, History: v1.History{Created: created, CreatedBy: "unitproof " + o.version}})
	if err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = h.os, h.arch, created
	config.Config.Entrypoint = []string{"/usr/bin/unitproof"}
	config.Config.Cmd = []string{"check"}
	config.Config.WorkingDir = "/src"
	config.Config.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	config.Config.Labels = map[string]string{
		"org.opencontainers.image.title":    "unitproof",
		"org.opencontainers.image.version":  o.version,
		"org.opencontainers.image.revision": o.commit,
		"org.opencontainers.image.licenses": "Apache-2.0",
	}
	return mutate.ConfigFile(img, config)
}

// layerOf returns a compressed layer of a tar file.
func layerOf(open func() (io.ReadCloser, error)) (v1.Layer, error) {
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.BestSpeed))
}

// unpackImage writes the file system of an architecture's image below a folder, for tests without a container engine.
func unpackImage(path, arch, dir string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	temporary, err := os.MkdirTemp("", "image-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := untar(in, temporary); err != nil {
		return err
	}
	index, err := layout.ImageIndexFromPath(temporary)
	if err != nil {
		return err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, d := range manifest.Manifests {
		if d.Platform == nil || d.Platform.Architecture != arch {
			continue
		}
		img, err := index.Image(d.Digest)
		if err != nil {
			return err
		}
		flat := mutate.Extract(img)
		defer flat.Close()
		return untar(flat, dir)
	}
	return fmt.Errorf("%s has no image for %s", path, arch)
}

// untar unpacks files, folders and links, with their modes; devices are left out. Owners are those of the caller.
func untar(r io.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // names that lead out of it are errors
	if err != nil {
		return err
	}
	defer root.Close()
	in := tar.NewReader(r)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Clean(strings.TrimPrefix(h.Name, "/"))
		if name == "." {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		case tar.TypeLink:
			err = root.Link(filepath.Clean(strings.TrimPrefix(h.Linkname, "/")), name)
		case tar.TypeReg:
			var out *os.File
			out, err = root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, os.FileMode(h.Mode)&0o777)
			if err == nil {
				_, err = io.Copy(out, in)
				if closed := out.Close(); err == nil {
					err = closed
				}
			}
		}
		if err != nil {
			return err
		}
	}
}
