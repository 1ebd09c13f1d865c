package clang

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// folderState tells whether names were added to a folder or removed from it since another look: the time of the last
// change of the inode, which no program can set, unlike the time of modification. "" when that cannot be told, because
// the last change is so recent that another may follow within one tick of the clock.
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

// inodeState is which file it is and when it was changed last. A copy that keeps the time of modification, of a text of
// the same length, shows in nothing else.
func inodeState(info os.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", st.Dev, st.Ino, st.Ctim.Sec, st.Ctim.Nsec)
}
