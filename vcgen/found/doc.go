// Package found holds what is known of a program after it was examined, as plain data: where something is (Pos), what
// must hold there (Kind and its table), what came of it (Verdict) and why (Reason).
//
// It is a leaf: everybody from the symbolic execution to the editors speaks in these types, and none has words or
// positions of its own. Sentences for people are written from this data in package diagnostics.
package found
