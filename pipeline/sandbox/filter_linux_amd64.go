package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// ofFilesHere are the older calls, which only some architectures have.
var ofFilesHere = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES,
	unix.SYS_FUTIMESAT}
