//go:build !linux

package clang

import "os"

// folderState returns "": no suitable system call is known for this system.
func folderState(string) string { return "" }

// inodeState returns "", like folderState.
func inodeState(os.FileInfo) string { return "" }
