//go:build !linux

package regular

// isOfKernel is for systems whose file systems hold files only.
func isOfKernel(string) bool { return false }
