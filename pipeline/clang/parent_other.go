//go:build !linux

package clang

import "syscall"

// endWithParent does nothing on systems without this feature of the kernel: started programs end by themselves.
func endWithParent(*syscall.SysProcAttr) {}
