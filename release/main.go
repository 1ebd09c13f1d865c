// Command release packs what users install: archives, packages of Linux distributions, an image, a formula for
// Homebrew, an expression for nix, a bill of materials and checksums. "make release" builds the programs and calls it.
//
//	release pack  --version V --time SECONDS --commit C --url BASE --stages DIR --notices FILE --out DIR
//	              [--root DIR] [--key FILE]
//	release image --version V --time SECONDS --stages DIR --bases DIR --out DIR
//	release zip --time SECONDS FILE
//	release unpack IMAGE ARCH DIR
//	release key FILE
//	release verify FILE SIGNATURE PUBLICKEY
//
// All output depends only on the arguments and on the files read: times are the given one, entries are sorted, owners
// are root. The tool is a module of its own, so that the program depends on none of its libraries.
//
// Reading order: main.go, stage.go, packages.go; then recipes.go, bill.go, image.go, sign.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// options are the arguments that all artefacts depend on.
type options struct {
	version string // as "1.2.3" or "0.1.0-dev"
	commit  string
	url     string    // the folder from which users download the artefacts
	stages  string    // a folder for each host, as "linux-amd64", with the files below a prefix
	root    string    // a folder with further files for the root of each archive; "" for none
	bases   string    // a root file system for each architecture, as "amd64.tar"
	notices string    // the licences of all that is linked in or bundled
	out     string    // the folder of the artefacts
	key     string    // the file of a private key of minisign; "" for no signature
	time    time.Time // that of the commit
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("a subcommand is missing: pack, image, zip, unpack, key or verify")
	}
	var o options
	seconds := int64(0)
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&o.version, "version", "", "the version of the release")
	flags.StringVar(&o.commit, "commit", "", "the commit that is released")
	flags.StringVar(&o.url, "url", "", "the folder from which users download the artefacts")
	flags.StringVar(&o.stages, "stages", "", "the folder with a folder of files for each host")
	flags.StringVar(&o.root, "root", "", "a folder with further files for the root of each archive")
	flags.StringVar(&o.bases, "bases", "", "the folder with a root file system for each architecture")
	flags.StringVar(&o.notices, "notices", "", "the licences of all that is linked in or bundled")
	flags.StringVar(&o.out, "out", "", "the folder of the artefacts")
	flags.StringVar(&o.key, "key", "", "the private key of minisign that signs the checksums")
	flags.Int64Var(&seconds, "time", 0, "the time of the commit, in seconds since 1970")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	o.time = time.Unix(seconds, 0).UTC()
	rest := flags.Args()
	switch {
	case args[0] == "pack" && len(rest) == 0:
		return pack(&o)
	case args[0] == "image" && len(rest) == 0:
		return image(&o)
	case args[0] == "zip" && len(rest) == 1:
		return normalizeZip(rest[0], o.time)
	case args[0] == "unpack" && len(rest) == 3:
		return unpackImage(rest[0], rest[1], rest[2])
	case args[0] == "key" && len(rest) == 1:
		return makeKey(rest[0])
	case args[0] == "verify" && len(rest) == 3:
		return verify(rest[0], rest[1], rest[2])
	}
	return fmt.Errorf("%q: unknown subcommand, or a wrong number of arguments", args[0])
}

// pack makes every artefact but the image. Checksums and the signature are of all files of the folder, so an image is
// made first.
func pack(o *options) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	hosts, err := readStages(o.stages)
	if err != nil {
		return err
	}
	for _, h := range hosts {
		if err := writeArchive(o, h); err != nil {
			return err
		}
		if err := writePackages(o, h); err != nil {
			return fmt.Errorf("%s: %w", h.name(), err)
		}
	}
	if err := writeBill(o); err != nil {
		return err
	}
	if err := writeRecipes(o, hosts); err != nil {
		return err
	}
	if err := writeSums(o); err != nil {
		return err
	}
	if o.key == "" {
		return nil
	}
	return sign(filepath.Join(o.out, sumsName), o.key, o.version)
}
