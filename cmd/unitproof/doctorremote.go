package main

import (
	"os"
	"strings"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
)

// remoteParts describes the other machines that checks of a folder use, whether they respond, and the data sent to
// them.
func remoteParts(w *project.Workspace) []pipeline.Part {
	leaves := pipeline.Part{Name: "data sent", OK: true}
	far, err := cli.FarOf(w, cli.Far{})
	parts, out := cacheParts(far, err)
	if err == nil && far.Cluster.URL != "" {
		more, also := clusterParts(far.Cluster)
		parts, out = append(parts, more...), append(out, also...)
	}
	if len(out) == 0 {
		out = []string{"nothing"}
	} else {
		var variables []string
		for _, name := range []string{remote.EnvToken, remote.EnvHeaders} {
			if os.Getenv(name) != "" {
				variables = append(variables, name)
			}
		}
		if len(variables) > 0 {
			out = append(out, "to all of them: the content of "+strings.Join(variables, " and "))
		}
	}
	leaves.Detail = strings.Join(out, "; ")
	return append(parts, leaves)
}

// cacheParts describes the shared cache; out is the data sent to it.
func cacheParts(far cli.Far, err error) (parts []pipeline.Part, out []string) {
	server := pipeline.Part{Name: "shared cache"}
	c := far.Cache
	switch {
	case err != nil:
		server.Detail, server.Advice = err.Error(), "it is not used"
		return []pipeline.Part{server}, nil
	case far.Note != "":
		server.Detail = far.Note
		return []pipeline.Part{server}, nil
	case c.URL == "":
		server.OK, server.Detail = true, "none"
		return []pipeline.Part{server}, nil
	}
	server.Detail = c.Server() + whence(remote.EnvURL)
	if client, err := remote.Dial(c); err != nil {
		server.Detail += ": " + err.Error()
	} else if err := client.Ping(); err != nil {
		server.Detail += ": " + err.Error()
		server.Advice = "checks run without it"
	} else {
		server.OK = true
	}
	signed := pipeline.Part{Name: "signatures", OK: c.Keys != "", Detail: "entries must be signed with " + c.Keys}
	if c.Keys == "" {
		signed.Detail, signed.Advice = "not required: everyone who can write to the server can forge results",
			"\"unitproof cache key\" makes keys (docs/shared-cache.md)"
	}
	out = []string{"to " + c.Server() + ": SHA-256 hashes of sources, flags and settings"}
	if c.Write {
		out = append(out, "results of this machine, readable by everyone who can read there: LLVM assembly of the files and "+
			"programs, findings with excerpts of their source, names and hashes of files, flags, questions and answers of the "+
			"solver")
		if os.Getenv(remote.EnvSecret) != "" {
			out = append(out, "signatures made with "+remote.EnvSecret+", which itself stays here")
		}
	} else {
		out = append(out, "no results: neither --remote-write nor "+remote.EnvWrite+" is given")
	}
	return []pipeline.Part{server, signed}, out
}

// clusterParts describes the cluster that executes checks.
func clusterParts(c remote.Cluster) (parts []pipeline.Part, out []string) {
	server := pipeline.Part{Name: "cluster", Detail: c.Server() + whence(remote.EnvCluster)}
	to := c.Server()
	if storage := c.StorageServer(); storage != to {
		server.Detail += ", storage " + storage
		to += " and " + storage
	}
	if c.Platform != "" {
		server.Detail += ", workers with " + strings.ReplaceAll(c.Platform, "\n", ", ")
	}
	if x, err := remote.DialCluster(c); err != nil {
		server.Detail += ": " + err.Error()
	} else if err := x.Ping(); err != nil {
		server.Detail += ": " + err.Error()
		server.Advice = "checks run on this machine"
	} else {
		server.OK = true
	}
	return []pipeline.Part{server}, []string{"to " + to + ", readable by everyone who can read there: this program; of " +
		"each proof the linked program as LLVM assembly, with the paths and names of files, functions and variables " +
		"in it, and the options of the engine; the verdicts come back"}
}

func whence(variable string) string {
	if os.Getenv(variable) == "" {
		return ", from " + project.ConfigName
	}
	return ", from the environment"
}
