// Package editing keeps the results of proofs up to date while files are edited. A [Workspace] finds the proofs below
// some folders, tracks the dependencies of each result, and verifies proofs again when these change.
//
// A dependency (also called input, or basis) is the content of a file that a run has read, the absence of a file that
// the compiler searched for, a setting, or the set of files that define missing names. A result is fresh if all its
// dependencies have their current values. For example, with
//
//	int main(void) { sassert(nd_int() != LIMIT); } // a_harness.c; limit.h defines LIMIT
//
// an edit of limit.h makes the result stale, and a run starts when the file is saved; undoing the edit makes the
// old result fresh again without a run. Time stamps and document versions play no role.
//
// The package handles documents and files, freshness, and the order and place of runs; package pipeline does the runs
// ([pipeline.Pool]). It does not depend on LSP and prints nothing.
//
// Reading order: workspace.go (inputs), snapshot.go (outputs), state.go (the loop between them), view.go (documents
// over the disk), listing.go, freshness.go, schedule.go, places.go, post.go. kept.go and imported.go reuse results of
// earlier sessions and of other machines; move.go moves positions through edits.
package editing
