package clang

import "context"

func (t *Toolchain) linkModels(ctx context.Context, r Request, p *program, triple string, roots []string) error {
	return nil
}
