//go:build !linux

package clang

import "syscall"

// endWithParent does nothing where the kernel has no such thing: what was started ends by itself.
func endWithParent(*syscall.SysProcAttr) {}
