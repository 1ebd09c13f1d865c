package main

import (
	"bytes"
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// The recipes of package managers that download archives, as templates.
var (
	//go:embed formula.rb.tmpl
	formula string
	//go:embed package.nix.tmpl
	expression string
)

// sourceName is the archive of the sources, for systems without a built program.
func sourceName(o *options) string { return "unitproof-" + o.version + "-source.tar.gz" }

// download is a file that a recipe names.
type download struct{ URL, SHA256 string }

// writeRecipes writes the formula and the expression, with the checksums of the archives.
func writeRecipes(o *options, hosts []*host) error {
	data := struct {
		Version, License, Summary string
		Source                    download
		Linux                     map[string]download // by architecture
	}{Version: o.version, License: "Apache-2.0", Summary: strings.ToUpper(summary[:1]) + summary[1:],
		Linux: map[string]download{}}
	of := func(name string) (download, error) {
		sum, err := checksum(filepath.Join(o.out, name))
		return download{strings.TrimSuffix(o.url, "/") + "/" + name, sum}, err
	}
	for _, h := range hosts {
		d, err := of(h.archiveName(o) + ".tar.gz")
		if err != nil {
			return err
		}
		if h.os == "linux" {
			data.Linux[h.arch] = d
		}
	}
	var err error
	if data.Source, err = of(sourceName(o)); errors.Is(err, os.ErrNotExist) || len(data.Linux) < 2 {
		return nil // packages of one machine: a recipe is for all
	} else if err != nil {
		return err
	}
	for name, text := range map[string]string{"unitproof.rb": formula, "unitproof.nix": expression} {
		t, err := template.New(name).Parse(text)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, data); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(o.out, name), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
