package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// ofFilesHere are the older calls, which this architecture does not have.
var ofFilesHere []uint32

// others are the calls of further architectures whose programs the machine executes.
var others []calls
