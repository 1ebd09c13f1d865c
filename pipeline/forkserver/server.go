package forkserver

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrUnavailable means that the program was not run, or did not come to an end for a reason of the server's: start it
// in the ordinary way.
var ErrUnavailable = errors.New("no fork server")

// ExitError is a run that ended with a status other than 0 or by a signal, in the words of os/exec.
type ExitError struct{ Status syscall.WaitStatus }

func (e *ExitError) Error() string {
	if e.Status.Signaled() {
		return "signal: " + e.Status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", e.Status.ExitStatus())
}
