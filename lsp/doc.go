// Package lsp is the language server: it shows in an editor what editing.Workspace knows about the
// unit proofs of the opened folders.
//
// It is the only place with LSP types, URIs and UTF-16 columns, and knows nothing of compilers and
// solvers. Reading order: [Serve] and server.go (life of a connection), package rpc
// (messages), view.go (what a request sees), then a file for each feature.
//
// Locks and order. One goroutine reads messages and applies notifications in the order of arrival,
// under server.mu. A request sees the [view] of its arrival, which is immutable. Another goroutine
// publishes: it takes the newest view, works out what every document should show and sends what
// differs from what was sent (publish.go).
//
// Freshness. A verdict is shown as fresh only if the workspace says that it is and every open document
// that it rests on has, at this moment, the content that the verdict was made from (view.fresh). The
// second half closes the gap between an edit's arrival and the workspace's answer to it.
package lsp
