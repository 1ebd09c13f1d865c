package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The program as clients start it, with its workers.
func TestMCP(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"unitproof.toml": "",
		"p.c": "#include <unitproof.h>\nint main(void) { sassert(nd_int() != 7); }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(buildProgram(t), "mcp", "--no-cache", dir)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(client.InitializeResult().Instructions, "# unitproof for assistants") {
		t.Error("the client does not get the manual")
	}
	r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "check"})
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, `"verdict":"failed"`) {
		t.Errorf("check answers %+v, %v", r, err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}
