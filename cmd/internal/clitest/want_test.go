package clitest

import "fmt"

// String prints a marker without machines like a struct of three fields.
func (w Want) String() string {
	if w.On == "" {
		return fmt.Sprintf("{%d %s %s}", w.Line, w.Verdict, w.Kind)
	}
	return fmt.Sprintf("{%d %s %s on %s}", w.Line, w.Verdict, w.Kind, w.On)
}
