package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/unitproof/unitproof/pipeline/clang"
)

// TestBuildSystems runs testdata/buildsystems/*.txtar: the example project of docs/buildsystems.md with CMake, Meson
// and make, and with the files that a package installs.
func TestBuildSystems(t *testing.T) {
	for _, needed := range []string{"cmake", "meson", "ninja", "make"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Fatalf("no %s: apt-get install cmake meson ninja-build make", needed)
		}
	}
	const folder = "../../buildsystems"
	cache := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/buildsystems",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", cache)
			if err := os.CopyFS(filepath.Join(e.WorkDir, "ring"), os.DirFS(folder+"/example")); err != nil {
				return err
			}
			prefix := filepath.Join(e.WorkDir, "prefix")
			if err := os.CopyFS(filepath.Join(prefix, "share/cmake/unitproof"), os.DirFS(folder+"/cmake")); err != nil {
				return err
			}
			if err := os.Mkdir(filepath.Join(prefix, "include"), 0o700); err != nil {
				return err
			}
			subproject, err := os.ReadFile(folder + "/meson/meson.build")
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(prefix, "meson.build"), subproject, 0o600); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(prefix, "include", "unitproof.h"), clang.Header(), 0o600)
		},
	})
}
