package clang

import "syscall"

// endWithParent has a program end when this process does, killed or not.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
