package ondisk

import "syscall"

// statTimes returns the times of the last modification and of the last change of the inode, in nanoseconds.
func statTimes(st *syscall.Stat_t) (modified, changed int64) {
	return st.Mtimespec.Nano(), st.Ctimespec.Nano()
}
