package clang

import "syscall"

// endWithParent makes the kernel kill the program when this process ends, even if this process is killed.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
