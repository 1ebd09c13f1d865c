// Package project knows what a user's workspace holds: its configuration (unitproof.toml), its
// unit proofs, the compiler flags of its files (compile_commands.json), and the settings each
// proof ends up with.
//
// [Open] finds the root and reads its configuration; [Workspace.Proofs] lists the unit proofs,
// each as a [Proof] in which every question of precedence is settled. [Load] reads one
// configuration by itself.
//
// Reading order: workspace.go, proofs.go with names.go and units.go, keys.go with settings.go, config.go with
// tomlvalues.go and configfiles.go (locate.go finds the positions of keys), discover.go (with functions.go, walk.go),
// compiledb.go, definitions.go, elsewhere.go, view.go.
//
// The package runs no compiler and no solver; C is read with tree-sitter only. A Workspace is
// a view of the disk at the time of its questions: to see a changed configuration or new
// files, open another one, which costs little with the same Memory (view.go).
package project
