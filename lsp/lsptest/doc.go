// Package lsptest is a fake editor for tests of the language server. It speaks JSON-RPC over pipes, to a server in
// the same process or in another one. It
//
//   - keeps documents with UTF-16 columns, as VS Code does,
//   - stores the diagnostics, messages and marks that the server sends,
//   - applies edits that the server offers, and
//   - checks every message of the server: ranges lie in the documents, no set of diagnostics is sent twice, versions
//     exist.
//
// With [Editor.Truth] each [Editor.Sync] also asserts that no stale result looks fresh: each diagnostic without the
// stale mark must be one that a check of the current contents reports.
//
// The package does not depend on the server's code.
package lsptest
