package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/cmd/internal/cli"
)

// TestOneCommand checks that a subcommand that is created alone has the same help as among the others, and its name.
func TestOneCommand(t *testing.T) {
	help := func(args ...string) string {
		var out bytes.Buffer
		if status := run(context.Background(), args, cli.Streams{In: strings.NewReader(""), Out: &out,
			Err: &out}); status != 0 {
			t.Errorf("%q: status %d", args, status)
		}
		return out.String()
	}
	for name, command := range commands {
		if made := command(cli.Streams{}).Name(); made != name {
			t.Errorf("%s makes the command %s", name, made)
		}
		if root := rootCommand(cli.Streams{}, []string{name}); len(root.Commands()) != 1 {
			t.Errorf("%s: %d commands are made", name, len(root.Commands()))
		}
		if alone, among := help(name, "--help"), help("help", name); alone != among ||
			!strings.Contains(alone, "unitproof "+name) {
			t.Errorf("%s --help says\n%s\nhelp %s says\n%s", name, alone, name, among)
		}
	}
	for _, args := range [][]string{{}, {"--help"}, {"help"}, {"chekc"}} {
		if root := rootCommand(cli.Streams{}, args); len(root.Commands()) != len(commands)+1 { // including man
			t.Errorf("%q: %d commands, want all %d", args, len(root.Commands()), len(commands)+1)
		}
	}
}
