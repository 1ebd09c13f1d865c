// Package lsptest is a fake editor for tests of the language server. It speaks JSON-RPC over pipes, to a
// server in the same process or in another one; keeps documents with UTF-16 columns as VS Code does; keeps
// what the server shows; applies edits that the server offers; and checks every message of the server: that
// ranges lie in the documents, that no set of diagnostics is sent twice, that versions exist.
//
// With [Editor.Truth] it also asserts, whenever everything said is applied ([Editor.Sync]), that nothing
// stale looks fresh: each message without the stale mark has to be one that a check of the present contents
// gives.
//
// It knows nothing of the server's own code.
package lsptest
