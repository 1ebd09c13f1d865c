// Package zap stands in the place of go.uber.org/zap (go.mod), of which go.lsp.dev/protocol wants a logger for
// connections of its own. The server here uses the types of that module and not its connections, so nothing is ever
// logged; the real one would link net/http and all of TLS, a megabyte, into a program that speaks to no network.
package zap

// Logger logs nothing.
type Logger struct{}

// Field is part of a line that nobody writes.
type Field struct{}

// NewNop returns a Logger.
func NewNop() *Logger { return &Logger{} }

// Debug does nothing.
func (*Logger) Debug(string, ...Field) {}

// Error names an error in a line.
func Error(error) Field { return Field{} }

// Named gives the same.
func (l *Logger) Named(string) *Logger { return l }
