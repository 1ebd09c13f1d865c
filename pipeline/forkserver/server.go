package forkserver

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrUnavailable is returned if the program was not run, or did not end because of the server. The caller should start
// it in the ordinary way.
var ErrUnavailable = errors.New("no fork server")

// ExitError is a run that ended with a status other than 0 or by a signal, formatted as in os/exec.
type ExitError struct{ Status syscall.WaitStatus }

func (e *ExitError) Error() string {
	if e.Status.Signaled() {
		return "signal: " + e.Status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", e.Status.ExitStatus())
}
