package pipeline

import (
	"context"
	"errors"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Program compiles and links a proof and returns the program and the files that clang read. The error is one line.
func (c *Checker) Program(ctx context.Context, p project.Proof, define Define) (*clangir.Module, []string, error) {
	return c.program(ctx, p, define, &Live{})
}

func (c *Checker) program(ctx context.Context, p project.Proof, define Define, live *Live) (*clangir.Module, []string,
	error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	b, err := c.build(ctx, &p, define, live)
	if err != nil {
		failed := failedBuild(ctx, &p, c.meta(&p), err)
		if len(failed.Errors) > 0 {
			return nil, nil, &UnbuiltError{failed.Errors}
		}
		return nil, nil, errors.New(failed.Reason)
	}
	m, err := b.read()
	if err != nil {
		return nil, nil, err
	}
	return m, b.module.Files, nil
}

// siblings compiles the file of a proof's entry, and links the named functions, too. No other files are searched.
func (c *Checker) siblings(ctx context.Context, p project.Proof, names []string,
	text map[string][]byte) (*clangir.Module, error) {
	m, _, err := c.program(ctx, p, nil, &Live{keep: names, Virtual: text})
	return m, err
}

// UnbuiltError is the error for a program that does not compile or link.
type UnbuiltError struct{ Errors []diagnostics.Error } // not empty

func (e *UnbuiltError) Error() string { return e.Errors[0].Message }

// lacksHeader returns the header that was not found, or "".
func (e *UnbuiltError) lacksHeader() string {
	for i := range e.Errors {
		if lacks := e.Errors[i].Lacks; lacks.What == found.LacksHeader {
			return lacks.Name
		}
	}
	return ""
}
