package language

import "strings"

// Errno is the variable that stores errno in our models. Only programs that use errno have it.
const Errno = "__unitproof_errno"

// ModelPrefix begins the name, in debug information, of files of the C library's models.
//
// Findings in such files are reported at the user's call.
const ModelPrefix = "<unitproof-models>/"

// IsModelFile reports whether a file name, with or without a folder, is that of a model of the C library.
func IsModelFile(path string) bool { return strings.Contains(path, ModelPrefix) }

// Error numbers of Linux.
const (
	ENOMEM = 12
	EINVAL = 22
	EDOM   = 33
)

// MayChangeErrno reports whether a successful call may set errno to any error number.
//
// C allows this for all functions whose description does not mention errno (C11 7.5p3). Functions that only compute,
// and free, preserve errno in all common C libraries.
func (e Entry) MayChangeErrno() bool {
	switch e.Role {
	case Malloc, Lend, Calloc, Realloc, Reallocarray, AlignedAlloc, Valloc, PosixMemalign, Print:
		return true
	}
	return false
}

// DomainErrors has the mathematical functions that set errno to EDOM on a domain error (C11 7.12.1p2).
//
// The names are those for double. A domain error is a NaN result for arguments that are not NaN.
var DomainErrors = map[string]bool{"sqrt": true, "fmod": true}
