package language

import "strings"

// Errno is the variable of our models in which errno is kept. Only programs that use errno have it.
const Errno = "__unitproof_errno"

// ModelPrefix starts the name that a file of the C library's models has in debug information. Findings in such files
// are reported at the user's call.
const ModelPrefix = "<unitproof-models>/"

// IsModelFile reports whether a file name, joined with a folder or not, is that of a model of the C library.
func IsModelFile(path string) bool { return strings.Contains(path, ModelPrefix) }

// Numbers of errors, as Linux has them.
const (
	ENOMEM = 12
	EINVAL = 22
	EDOM   = 33
)

// MayChangeErrno tells whether a function that succeeds may leave any error number behind, as C allows all functions
// that say nothing of errno (C11 7.5p3). Of those that only compute, and of free, all C libraries in use leave it
// alone.
func (e Entry) MayChangeErrno() bool {
	switch e.Role {
	case Malloc, Lend, Calloc, Realloc, Reallocarray, AlignedAlloc, Valloc, PosixMemalign, Print:
		return true
	}
	return false
}

// DomainErrors are the mathematical functions, by the names that they have for double, that set errno to EDOM where
// their result is no number though their arguments are (C11 7.12.1p2).
var DomainErrors = map[string]bool{"sqrt": true, "fmod": true}
