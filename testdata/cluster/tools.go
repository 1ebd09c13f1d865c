//go:build tools

// Package cluster names the programs of a build cluster that "make cluster" starts, with their exact versions in
// go.mod.
package cluster

import _ "github.com/buchgr/bazel-remote/v2"
