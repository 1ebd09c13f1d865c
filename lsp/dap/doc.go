// Package dap implements `unitproof dap`: a Debug Adapter Protocol server for the recorded execution of a
// counterexample.
//
// The program is not running while the user debugs it. The interpreter's Recording can restore each moment (the state
// before an executed instruction), so steps back are as exact as steps forward, and a data breakpoint finds the last
// write:
//
//	a[i] = x;          // 2. "Reverse" with a data breakpoint on a[3] stops here
//	...
//	sassert(a[3] > 0); // 1. the session starts at the violation
//
// Reading order: server.go (connections, framing, order of requests), session.go (the life of a session, dispatch),
// launch.go (from a configuration to a recording), motion.go (targets of steps), breakpoints.go and search.go (stops
// of Continue), stack.go, variables.go, memory.go (views), repl.go (commands of the console).
//
// The package does not depend on the Language Server Protocol. Of the engine it uses package recording, and the
// packages inspect and llvmir for the values that a Recording returns.
package dap
