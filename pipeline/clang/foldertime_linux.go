package clang

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// folderState returns a string that changes whenever a name is added to a folder or removed from it. It is the change
// time of the inode, which, unlike the modification time, no program can set. The result is "" if the last change is so
// recent that another may follow within one tick of the clock.
func folderState(path string) string {
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return "none"
	}
	if err != nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() {
		return ""
	}
	changed := time.Unix(st.Ctim.Unix())
	if time.Since(changed) < settled {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", st.Dev, st.Ino, changed.UnixNano())
}

// inodeState returns the identity and the change time of an inode. They are the only difference when a file is replaced
// by a text of equal length with the same modification time.
func inodeState(info os.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", st.Dev, st.Ino, st.Ctim.Sec, st.Ctim.Nsec)
}
