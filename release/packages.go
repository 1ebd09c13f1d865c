package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // the formats register themselves
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// clangs are the versions that the program works with, in the order in which it looks for them. They equal the list of
// pipeline/clang, which this module cannot import (TestPackageClangs of that package compares them).
var clangs = []int{23, 22, 21, 20, 19, 18, 17, 16, 15, 14}

const (
	summary  = "checks unit proofs of C code"
	homepage = "https://github.com/unitproof/unitproof"
)

const description = summary + `
A unit proof is a C function like a unit test, except that its inputs are
arbitrary. unitproof proves its assertions and the safety of every memory
access on the way, or shows an execution that violates one.

Clang 14 is used together with llvm-link, newer ones alone. The sanitizers of
clang are needed for running counterexamples natively.`

// anyOf returns Debian's form of a dependency on one of several packages.
func anyOf(name func(version int) string, more ...string) string {
	var list []string
	for _, v := range clangs {
		list = append(list, name(v))
	}
	return strings.Join(append(list, more...), " | ")
}

// format is a kind of package, with what differs between the distributions.
type format struct {
	name                          string
	depends, recommends, suggests []string
}

// formats returns the packages of a host. The program itself needs no library.
func formats() []format {
	newest := fmt.Sprintf("clang (>= 1:%d)", clangs[0])
	oldest := clangs[len(clangs)-1]
	return []format{
		{name: "deb",
			depends: []string{
				anyOf(func(v int) string { return fmt.Sprintf("clang-%d", v) }, newest),
				// The newer ones need no linker.
				anyOf(func(v int) string {
					if v == oldest {
						return fmt.Sprintf("llvm-%d", v)
					}
					return fmt.Sprintf("clang-%d", v)
				}, newest),
				"libc6-dev | libc-dev",
				// The sanitizers, for native runs. They are no recommendation, so that users can decline those of clang, which
				// double the download. Ubuntu 22.04 has them in a package of clang.
				anyOf(func(v int) string { return fmt.Sprintf("libclang-rt-%d-dev", v) },
					"libclang-common-14-dev (<< 1:14.0.6)"),
			},
			suggests: []string{"bash-completion"}},
		{name: "rpm",
			depends:    []string{fmt.Sprintf("clang >= %d", oldest+1), "glibc-devel"},
			recommends: []string{"compiler-rt"}},
		{name: "apk", depends: []string{"clang", "musl-dev", "compiler-rt"}},
	}
}

// writePackages writes the packages of a host.
func writePackages(o *options, h *host) error {
	for _, f := range formats() {
		var contents files.Contents
		for _, staged := range h.files {
			contents = append(contents, &files.Content{
				Source: staged.from, Destination: "/usr/" + staged.path,
				FileInfo: &files.ContentFileInfo{Mode: staged.mode, MTime: o.time, Owner: "root", Group: "root"},
			})
		}
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "unitproof", Arch: h.arch, Platform: h.os, Version: o.version, Section: "devel", Priority: "optional",
			Maintainer: "unitproof maintainers <maintainers@unitproof.invalid>", Description: description,
			Homepage: homepage, License: "Apache-2.0", DisableGlobbing: true, MTime: o.time,
			Overridables: nfpm.Overridables{Contents: contents, Depends: f.depends, Recommends: f.recommends,
				Suggests: f.suggests, Deb: nfpm.Deb{Compression: "gzip"},
				RPM: nfpm.RPM{Summary: summary, Compression: "gzip", BuildHost: "localhost"}},
		})
		if f.name != "deb" {
			info.Release = "1"
		}
		if f.name == "apk" { // its control file has a line for the description
			info.Description = summary
		}
		if err := nfpm.PrepareForPackager(info, f.name); err != nil {
			return err
		}
		packager, err := nfpm.Get(f.name)
		if err != nil {
			return err
		}
		out, err := os.Create(filepath.Join(o.out, packager.ConventionalFileName(info)))
		if err != nil {
			return err
		}
		err = packager.Package(info, out)
		if closed := out.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}
