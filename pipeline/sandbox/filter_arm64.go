package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// ofFilesHere are the older calls, which this machine does not have.
var ofFilesHere []uint32
