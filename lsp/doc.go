// Package lsp is the language server. It shows the results of editing.Workspace about the unit proofs in the opened
// folders: diagnostics, lenses, hovers, code actions, inlay hints, progress, and commands with their results
// (docs/protocol.md).
//
// For example, after a save the workspace delivers a new snapshot in which a proof fails; the publisher sends a
// diagnostic:
//
//	void limit_harness(void) {      <- lens "✗ 1 failed · 0.20 s"
//		int x = nd_int();
//		assume(x <= 100);
//		sassert(x < 100);           <- error: `x < 100` is false: x = 100
//	}
//
// Only this package has LSP types, URIs and UTF-16 columns. It does not depend on compilers and solvers. Reading
// order: [Serve] and server.go (life of a connection), package rpc (messages), view.go (the state that a request
// reads), then a file for each feature.
//
// Locks and order. One goroutine reads messages and applies notifications in the order of arrival, under server.mu. A
// request reads the [view] that was current when it arrived; a view is immutable. Another goroutine publishes: it
// takes the newest view, computes the diagnostics of each document, and sends the differences from its last
// publication (publish.go).
//
// Unsaved text. The open documents with their versions are in documents.go. Workspace.SetBuffer copies each text to the
// workspace (editing/view.go), from which runs read it.
//
// Freshness. A verdict is shown as fresh only if the workspace reports it as fresh and each open document that it
// depends on has the content from which it was computed (view.fresh). The second condition covers the time between
// the arrival of an edit and the workspace's next snapshot.
package lsp
