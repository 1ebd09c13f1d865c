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
