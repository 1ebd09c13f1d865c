package scratch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestMain, with an argument, is a process that creates a temporary folder and waits to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hold" {
		dir, err := Mkdir("held-*")
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(dir)
		bufio.NewReader(os.Stdin).ReadString('\n')
		Remove()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// holder starts such a process and returns its folder.
func holder(t *testing.T) (cmd *exec.Cmd, dir string) {
	t.Helper()
	cmd = exec.Command(os.Args[0], "hold")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(line, err)
	}
	return cmd, strings.TrimSpace(line)
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestSweep checks that files of a killed process are removed when the next process needs temporary files, and those of
// a living one stay.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	living, liveFolder := holder(t)
	killed, deadFolder := holder(t)
	if err := os.WriteFile(filepath.Join(deadFolder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	if !there(deadFolder) {
		t.Fatal("it was not left")
	}
	mine, err := Mkdir("mine-*")
	if err != nil {
		t.Fatal(err)
	}
	if there(filepath.Dir(deadFolder)) {
		t.Error("what a killed process left is still there")
	}
	if !there(liveFolder) || !there(mine) {
		t.Error("what a living process has is gone")
	}
	Remove()
	if there(mine) || !there(liveFolder) {
		t.Error("Remove takes what is its own")
	}
	if err := living.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = living.Wait() // it was killed
	if _, err := Mkdir("again-*"); err != nil {
		t.Fatal(err)
	}
	Remove()
	if entries, err := os.ReadDir(temp); err != nil || len(entries) > 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// TestTogether checks that processes that begin and end at the same time do not remove each other's folders.
func TestTogether(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 5 {
				cmd := exec.Command(os.Args[0], "hold")
				cmd.Stdin = strings.NewReader("\n")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			}
		}()
	}
	wait.Wait()
	if entries, err := os.ReadDir(temp); err != nil || len(entries) > 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// TestNotPrivate checks that a folder that is not the user's own, or is accessible to others, is not used.
func TestNotPrivate(t *testing.T) {
	for name, make := range map[string]func(string) error{
		"others can read it": func(dir string) error { return os.Mkdir(dir, 0o755) },
		"a link":             func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"a file":             func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			all := filepath.Join(temp, fmt.Sprintf("unitproof-%d", os.Geteuid()))
			if err := make(all); err != nil {
				t.Fatal(err)
			}
			dir, err := Mkdir("mine-*")
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Dir(filepath.Dir(dir)) != temp || filepath.Dir(dir) == all {
				t.Errorf("the folder is %s", dir)
			}
			if info, err := os.Stat(filepath.Dir(dir)); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%v, %v", info, err)
			}
			Remove()
			if there(dir) || there(filepath.Dir(dir)) {
				t.Error("it is left")
			}
		})
	}
}

// TestCleanedAway checks that the folder may be deleted while a server runs.
func TestCleanedAway(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	first, err := Create("file-*")
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(first.Name()))); err != nil {
		t.Fatal(err)
	}
	if _, err := Mkdir("mine-*"); err != nil {
		t.Error(err)
	}
	Remove()
}

// TestWorker checks that a worker uses the folder that its parent created.
func TestWorker(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir, err := Mkdir("worker-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Setenv(Variable, dir)
	mine, err := Mkdir("clang-*")
	if err != nil || filepath.Dir(mine) != dir || System() != temp {
		t.Errorf("%s, %v, in %s", mine, err, System())
	}
	Remove()
	if there(dir) || !there(filepath.Dir(dir)) {
		t.Error("a worker removes its own folder")
	}
}
