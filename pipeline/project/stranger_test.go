package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStrangersConfiguration checks that a configuration that another user left in a world-writable folder is not used
// below it.
func TestStrangersConfiguration(t *testing.T) {
	const me, other, third = 1000, 1001, 1002
	for _, c := range []struct {
		file, folder uint32
		mode         uint32
		strangers    bool
	}{
		{me, 0, 0o1777, false}, {0, 0, 0o1777, false}, {other, 0, 0o1777, true}, {other, other, 0o1777, false},
		{other, me, 0o755, false}, {other, third, 0o775, false}, {other, third, 0o777, true},
	} {
		if got := isStrangers(&syscall.Stat_t{Uid: c.file}, &syscall.Stat_t{Uid: c.folder, Mode: c.mode}, me); got !=
			c.strangers {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if os.Geteuid() != 0 {
		return // changing the owner is not permitted
	}
	for _, at := range []string{"all", "all/mine"} { // above the folder and in it
		dir := t.TempDir()
		all := filepath.Join(dir, "all")
		mine := filepath.Join(all, "mine")
		if err := os.MkdirAll(mine, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, at, ConfigName)
		if err := os.WriteFile(path, []byte("[compile]\nclang = \"./evil\"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, open := range []string{all, mine} {
			if err := os.Chmod(open, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if w, err := Open(mine, Flags{}); err != nil || w.Config.Clang == "" {
			t.Errorf("%s, one's own: %v", at, err)
		}
		if err := os.Lchown(path, other, other); err != nil {
			t.Fatal(err)
		}
		w, err := Open(mine, Flags{})
		var problem Problem
		if !errors.As(err, &problem) || problem.File != path || !strings.Contains(problem.Message, "user 1001") ||
			w.Config.Clang != "" {
			t.Errorf("%s: %v", at, err)
		}
		// A folder in the middle of a workspace.
		if at == "all/mine" {
			if w, err = Open(dir, Flags{}); err != nil || w.configIn(mine).err == nil || w.configIn(mine).config.Clang != "" {
				t.Errorf("%s, nested: %v", at, err)
			}
		}
		if w, err := Open(mine, Flags{ConfigFile: path}); err != nil || w.Config.Clang == "" {
			t.Errorf("%s, named: %v", at, err)
		}
	}
}
