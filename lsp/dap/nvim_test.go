package dap

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestNvimDap runs a session with Neovim's nvim-dap. The plugin is not part of the project: UNITPROOF_NVIM_DAP names
// its folder (0.6.0 and 0.10.0 work with Neovim 0.7.2).
func TestNvimDap(t *testing.T) {
	plugin := os.Getenv("UNITPROOF_NVIM_DAP")
	if plugin == "" {
		t.Skip("nvim-dap is not part of the project: make test-nvim-dap NVIM_DAP=FOLDER runs this")
	}
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "t.c")
	if err := os.WriteFile(file, []byte("#include <unitproof.h>\n"+loop), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() { _ = Listen(ctx, l, testOptions()) }()
	log := filepath.Join(dir, "log")
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "--noplugin", "-S", "testdata/nvim.lua")
	cmd.Env = append(os.Environ(), "NVIM_DAP="+plugin, "PROGRAM="+file, "LOG="+log, "ADAPTER="+l.Addr().String(),
		"XDG_CACHE_HOME="+dir)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nvim: %v\n%s", err, out)
	}
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	const want = `stopped exception
at main:10
stopped step
at main:9
i 4
stopped breakpoint
at main:10
i 2
:last sum sum is written at t.c:9
stopped data breakpoint
at main:9
stopped breakpoint
at main:10
`
	if string(got) != want {
		t.Errorf("nvim-dap saw\n%s\ninstead of\n%s", got, want)
	}
}
