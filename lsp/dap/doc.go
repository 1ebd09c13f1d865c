// Package dap is `unitproof dap`: a Debug Adapter Protocol server that shows the recorded
// execution of a counterexample. Nothing runs while it is looked at. The interpreter's Recording
// goes to any of its moments, so steps back are as good as steps forward, and a data breakpoint
// is a way to the last write.
//
// Reading order: server.go (connections, framing, order of requests), session.go (the life of a
// session, dispatch), launch.go (from a configuration to a recording), motion.go (where steps
// lead), breakpoints.go and search.go (where continuing stops), stack.go, variables.go, memory.go
// (what is shown), repl.go (commands of the console).
//
// It knows nothing of the Language Server Protocol, and of the engine only record.Recording.
package dap
