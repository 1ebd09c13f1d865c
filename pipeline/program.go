package pipeline

import (
	"context"
	"errors"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/clangir"
)

// Program compiles and links a proof and returns the program and the files that clang read. The error is one line.
func (c *Checker) Program(ctx context.Context, p project.Proof, define Define) (*clangir.Module, []string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	b, err := c.build(ctx, &p, define, &Live{})
	if err != nil {
		failed := failedBuild(ctx, &p, c.meta(&p), err)
		if len(failed.Errors) > 0 {
			e := failed.Errors[0]
			return nil, nil, errors.New(e.Message)
		}
		return nil, nil, errors.New(failed.Reason)
	}
	m, err := b.read()
	if err != nil {
		return nil, nil, err
	}
	return m, b.module.Files, nil
}
