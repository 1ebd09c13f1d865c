//go:build tools

// Package buildbarn names the programs of a build cluster that executes, with their exact versions in go.mod, whose
// requirements are those of that module. The storage is another one (../tools.go): Buildbarn's own of that day does not
// compile with its requirements.
package buildbarn

import (
	_ "github.com/buildbarn/bb-remote-execution/cmd/bb_runner"
	_ "github.com/buildbarn/bb-remote-execution/cmd/bb_scheduler"
	_ "github.com/buildbarn/bb-remote-execution/cmd/bb_worker"
)
