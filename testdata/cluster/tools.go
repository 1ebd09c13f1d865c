//go:build tools

// Package cluster names the programs that "make cluster" builds, with their exact versions in go.mod: storage of a
// build cluster, and a proxy that makes its network bad.
package cluster

import (
	_ "github.com/Shopify/toxiproxy/v2/cmd/server"
	_ "github.com/buchgr/bazel-remote/v2"
)
