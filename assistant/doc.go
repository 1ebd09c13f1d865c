// Package assistant serves programs that write proofs, over the Model Context Protocol (MCP). Its tools check proofs,
// describe findings, and try edits that are not written: an edit is laid over the files of the project, the proofs are
// checked with it, and the answer is the difference to the last result.
//
// It writes no file of the project. A folder is as restricted as in editors: nothing is compiled or run before the user
// has allowed its requests (package trust).
//
// Reading order: server.go (the last results), space.go (a workspace that is asked and waited for), edits.go
// (overlays), answer.go (the parts of answers, and their size), tools.go (the tools), then a file for each group of
// tools; http.go is the transport on the loopback interface.
package assistant
