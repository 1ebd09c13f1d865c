package lsp

import "context"

// What of replay and the debug adapter this version can do; the verbs are offered accordingly.
const (
	canReplay = false
	canDebug  = true
)

func (v *view) replay(_ context.Context, args *proofArgs) (any, error) {
	return nil, notYet("replaying a counterexample")
}

func (v *view) reproducer(_ context.Context, args *proofArgs) (any, error) {
	return nil, notYet("saving a reproducer")
}

func (v *view) nativeDebug(_ context.Context, args *proofArgs) (any, error) {
	return nil, notYet("a native program to debug")
}
