// Package editing keeps the results of proofs up to date while files are edited: a [Workspace] finds the proofs below
// some folders, tracks what each result rests on, and has proofs verified again when that changes.
//
// It is about documents and files, freshness, and which proof is done next and where; how a proof is done is package
// pipeline's ([pipeline.Pool]). It knows nothing of LSP and prints nothing.
//
// Reading order: workspace.go (what goes in), snapshot.go (what comes out), state.go (the loop between them), view.go
// (documents over the disk), listing.go, freshness.go, schedule.go, places.go, post.go; kept.go and imported.go take
// over what earlier runs and others have found out, move.go follows places through edits.
package editing
