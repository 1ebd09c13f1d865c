package main

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// The recipes that download archives, as templates.
var (
	//go:embed formula.rb.tmpl
	formula string
	//go:embed package.nix.tmpl
	expression string
	//go:embed unitproof.cmake.tmpl
	cmake string
	//go:embed unitproof.wrap.tmpl
	mesonWrap string
	//go:embed module.bazel.tmpl
	bazelModule string
)

// sourceName is the archive of the sources, for systems without a built program.
func sourceName(o *options) string { return "unitproof-" + o.version + "-source.tar.gz" }

// download is a file that a recipe names.
type download struct{ URL, SHA256 string }

// Integrity returns the checksum as browsers and Bazel have it.
func (d download) Integrity() string {
	sum, err := hex.DecodeString(d.SHA256)
	if err != nil {
		panic(err) // checksum wrote it
	}
	return "sha256-" + base64.StdEncoding.EncodeToString(sum)
}

// recipe is the data of the templates.
type recipe struct {
	Version, License, Summary, Homepage string
	Source                              download
	Linux                               map[string]download // by architecture

	// Of a recipe for one machine:
	Arch, Folder string // the folder is that in its archive
	Archive      download
}

// writeRecipes writes the recipes with the checksums of the archives. Packages of one machine have none.
func writeRecipes(o *options, hosts []*host) error {
	data := recipe{Version: o.version, License: "Apache-2.0", Summary: strings.ToUpper(summary[:1]) + summary[1:],
		Homepage: homepage, Linux: map[string]download{}}
	of := func(name string) (download, error) {
		sum, err := checksum(filepath.Join(o.out, name))
		return download{strings.TrimSuffix(o.url, "/") + "/" + name, sum}, err
	}
	var single []recipe
	for _, h := range hosts {
		d, err := of(h.archiveName(o) + ".tar.gz")
		if err != nil {
			return err
		}
		if h.os == "linux" {
			data.Linux[h.arch] = d
			single = append(single, recipe{Version: o.version, Arch: h.arch, Folder: h.archiveName(o), Archive: d})
		}
	}
	var err error
	if data.Source, err = of(sourceName(o)); errors.Is(err, os.ErrNotExist) || len(data.Linux) < 2 {
		return nil // packages of one machine: a recipe is for all
	} else if err != nil {
		return err
	}
	for name, text := range map[string]string{"unitproof.rb": formula, "unitproof.nix": expression,
		"unitproof.cmake": cmake} {
		if err := writeRecipe(o, name, text, &data); err != nil {
			return err
		}
	}
	for i := range single {
		for name, text := range map[string]string{"wrap": mesonWrap, "MODULE.bazel": bazelModule} {
			if err := writeRecipe(o, "unitproof-"+single[i].Arch+"."+name, text, &single[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeRecipe writes a template with its data to a file of the release.
func writeRecipe(o *options, name, text string, data *recipe) error {
	t, err := template.New(name).Parse(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, name), out.Bytes(), 0o644)
}
