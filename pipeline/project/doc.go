// Package project reads a user's workspace: its configuration (unitproof.toml), its unit proofs, the compiler flags of
// its files (compile_commands.json), and the settings of each proof.
//
// For example, with a unitproof.toml of
//
//	[check]
//	unwind = 3
//
// and a file a_harness.c that calls sassert, [Workspace.Proofs] returns one [Proof] with the name a, its file and
// flags, and the bound 3. Its other settings come from the flags of the command line, the client's settings and the
// defaults.
//
// [Open] finds the root and reads its configuration; [Workspace.Proofs] lists the unit proofs, each as a [Proof] for
// which every question of precedence is settled. [Load] reads a single configuration.
//
// Reading order: workspace.go, proofs.go, listing.go with names.go and units.go, keys.go with settings.go, config.go
// with tomlvalues.go and configfiles.go (locate.go finds the positions of keys), discover.go (with functions_of.go,
// walk.go), compiledb.go, definitions.go, elsewhere.go, view.go.
//
// The package runs no compiler and no solver; C is parsed with tree-sitter only. A Workspace is a view of the disk at
// the time of each query: to see a changed configuration or new files, open another one, which is cheap with the same
// Memory (view.go).
package project
