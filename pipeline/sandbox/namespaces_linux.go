package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The files of the system that a native program needs: libraries, the dynamic linker and its configuration.
var (
	systemFolders = []string{"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/nix/store", "/gnu/store"}
	systemFiles   = []string{"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"}
	devices       = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
)

// freshFolder is the program's working folder, and the only one that it may write to.
const freshFolder = "/tmp"

// Sizes of the fresh folder, which is in memory.
const (
	freshBytes = 64 << 20
	freshFiles = 4096
)

// enterRoot makes the order's folder the root: a file system with the system's files and those that the order names.
// Everything but the fresh folder is read-only.
func enterRoot(o *order) error {
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	root := o.Root
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m"); err != nil {
		return fmt.Errorf("mount tmpfs: %w", err)
	}
	if err := os.Mkdir(root+freshFolder, 0o700); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", root+freshFolder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV,
		fmt.Sprintf("mode=700,size=%d,nr_inodes=%d", freshBytes, freshFiles)); err != nil {
		return fmt.Errorf("mount tmpfs: %w", err)
	}
	for _, path := range systemFolders {
		if err := show(root, path); err != nil {
			return err
		}
	}
	for _, path := range append(append(append([]string{o.Path}, o.Reads...), systemFiles...), devices...) {
		if inside(path, systemFolders) {
			continue // mounted already
		}
		if err := show(root, path); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1",
		"stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(target, filepath.Join(root, "dev", name)); err != nil {
			return err
		}
	}
	if err := os.Mkdir(root+"/proc", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("proc", root+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount proc: %w", err)
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	// The old root is mounted over the new one, and unmounted.
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("umount: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV,
		""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	return os.Chdir(freshFolder)
}

// inside reports whether a path is in one of the folders.
func inside(path string, folders []string) bool {
	for _, f := range folders {
		if strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}

// show mounts a file or folder of the old root in the new one, read-only, under the same path. A missing one is
// ignored.
func show(root, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	target := root + path
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 && inside(path+"/", systemFolders) { // /lib is usr/lib
		link, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return os.Symlink(link, target)
	}
	if info, err = os.Stat(path); err != nil {
		return nil
	}
	if info.IsDir() {
		err = os.MkdirAll(target, 0o755)
	} else {
		var f *os.File
		if f, err = os.OpenFile(target, os.O_CREATE|os.O_RDONLY, 0o600); err == nil {
			f.Close()
		}
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(path, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount %s: %w", path, err)
	}
	return readOnly(target)
}

// readOnly makes the mount at a path read-only, and the mounts below it.
func readOnly(path string) error {
	err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY |
		unix.MOUNT_ATTR_NOSUID})
	if err != unix.ENOSYS {
		if err != nil {
			return fmt.Errorf("mount %s read-only: %w", path, err)
		}
		return nil
	}
	// Before Linux 5.12: each mount separately. Flags of the old mount must be kept.
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for _, line := range strings.Split(string(mounts), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		at := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		if at != path && !strings.HasPrefix(at, path+"/") {
			continue
		}
		flags := uintptr(unix.MS_REMOUNT | unix.MS_BIND | unix.MS_RDONLY | unix.MS_NOSUID)
		for _, option := range strings.Split(fields[5], ",") {
			flags |= map[string]uintptr{"nodev": unix.MS_NODEV, "noexec": unix.MS_NOEXEC, "noatime": unix.MS_NOATIME,
				"nodiratime": unix.MS_NODIRATIME, "relatime": unix.MS_RELATIME}[option]
		}
		if err := unix.Mount("", at, "", flags, ""); err != nil {
			return fmt.Errorf("mount %s read-only: %w", at, err)
		}
	}
	return nil
}
