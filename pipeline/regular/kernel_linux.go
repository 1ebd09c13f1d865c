package regular

import "syscall"

// ofKernel are the file systems, by the numbers of statfs(2), whose files look regular and are the kernel's: who reads
// one may wait for an event without an end (/proc/kmsg, trace_pipe), and take it from who it was for.
var ofKernel = map[int64]bool{
	0x9fa0: true, 0x62656572: true, 0x64626720: true, 0x74726163: true, // proc, sysfs, debugfs, tracefs
	0x73636673: true, 0x62656570: true, 0xcafe4a11: true, // securityfs, configfs, bpf
	0x27e0eb: true, 0x63677270: true, // cgroups
}

// isOfKernel tells whether a file lies in one of them; links are followed.
func isOfKernel(path string) bool {
	var fs syscall.Statfs_t
	return syscall.Statfs(path, &fs) == nil && ofKernel[int64(fs.Type)&0xffffffff]
}
