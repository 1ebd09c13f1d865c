// Command unitproof-remote speaks to the servers that machines share (docs/shared-cache.md), for unitproof, which
// starts it when it needs one: requests come on standard input, answers go to standard output, and it ends with its
// input.
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
