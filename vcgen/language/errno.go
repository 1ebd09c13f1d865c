package language

// Errno is the variable of our models in which errno is kept. Only programs that use errno have it.
const Errno = "__unitproof_errno"

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
	case Malloc, Calloc, Realloc, Reallocarray, AlignedAlloc, Valloc, PosixMemalign, Print:
		return true
	}
	return false
}

// DomainErrors are the mathematical functions, by the names that they have for double, that set errno to EDOM where
// their result is no number though their arguments are (C11 7.12.1p2).
var DomainErrors = map[string]bool{"sqrt": true, "fmod": true}
