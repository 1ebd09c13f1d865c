package smt

import "io"

func (c *Context) WriteSMTLIB(w io.Writer, asserts []Term) error { return nil }
