package main

import (
	"os"
	"strings"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
)

// remoteParts says which shared cache checks of a folder use, whether it answers, and what leaves the machine.
func remoteParts(w *project.Workspace) []pipeline.Part {
	server := pipeline.Part{Name: "shared cache"}
	leaves := pipeline.Part{Name: "what leaves", OK: true, Detail: "nothing"}
	c, note, err := cli.RemoteOf(w, remote.Config{})
	switch {
	case err != nil:
		server.Detail, server.Advice = err.Error(), "nothing is asked or sent"
		return []pipeline.Part{server, leaves}
	case note != "":
		server.Detail = note
		return []pipeline.Part{server, leaves}
	case c.URL == "":
		server.OK, server.Detail = true, "none"
		return []pipeline.Part{server, leaves}
	}
	from := "the environment"
	if os.Getenv(remote.EnvURL) == "" {
		from = project.ConfigName
	}
	server.Detail = c.Server() + ", from " + from
	if client, err := remote.Dial(c); err != nil {
		server.Detail += ": " + err.Error()
	} else if err := client.Ping(); err != nil {
		server.Detail += ": " + err.Error()
		server.Advice = "checks go on without it"
	} else {
		server.OK = true
	}
	signed := pipeline.Part{Name: "signatures", OK: c.Keys != "", Detail: "what counts was signed for " + c.Keys}
	if c.Keys == "" {
		signed.Detail, signed.Advice = "whoever can write to the server decides what is taken from it",
			"\"unitproof cache key\" makes keys, and docs/shared-cache.md says what for"
	}
	out := []string{"to " + c.Server() + ": SHA-256 hashes that name what is looked for (of sources, flags and settings)"}
	var variables []string
	for _, name := range []string{remote.EnvToken, remote.EnvHeaders} {
		if os.Getenv(name) != "" {
			variables = append(variables, name)
		}
	}
	if len(variables) > 0 {
		out = append(out, "what stands in "+strings.Join(variables, " and "))
	}
	if c.Write {
		out = append(out, "what is found out here, to be read by whoever can read there: LLVM assembly of the files and "+
			"programs, findings with excerpts of their source, names and hashes of files, flags, questions and answers of the "+
			"solver")
		if os.Getenv(remote.EnvSecret) != "" {
			out = append(out, "signatures made with "+remote.EnvSecret+", which itself stays here")
		}
	} else {
		out = append(out, "nothing is put there: neither --remote-write nor "+remote.EnvWrite+" is given")
	}
	leaves.Detail = strings.Join(out, "; ")
	return []pipeline.Part{server, signed, leaves}
}
