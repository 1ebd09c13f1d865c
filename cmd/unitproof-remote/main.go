// Command unitproof-remote talks to shared caches and clusters (docs/shared-cache.md) for unitproof, which starts it
// on demand. It reads requests from standard input, writes answers to standard output, and ends with its input.
//
// It is a program of its own because the network libraries (HTTP, TLS, gRPC) are as large as a tenth of unitproof,
// and most calls of unitproof do not need them; package pipeline/remote/network has its code, pipeline/remote the
// client side.
package main

import (
	"fmt"
	"os"

	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/network"
)

func main() {
	if err := network.Run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", remote.Program, err)
		os.Exit(1)
	}
}
