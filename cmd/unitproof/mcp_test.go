package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/lsp/lsptest"
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

// An assistant joins the workspace of a language server: it sees an unsaved buffer.
func TestAttach(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "p.c")
	for name, text := range map[string]string{"unitproof.toml": "[check]\non = \"manual\"\n",
		"p.c": "#include <unitproof.h>\nint main(void) { sassert(nd_int() != 7); }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", run)
	program := buildProgram(t)
	alone := exec.Command(program, "mcp", "--attach", dir)
	if out, err := alone.CombinedOutput(); err == nil || !strings.Contains(string(out), "no language server") {
		t.Errorf("without a server: %v, %s", err, out)
	}
	auto := exec.Command(program, "mcp", "--attach=auto", dir)
	if out, err := auto.CombinedOutput(); err != nil { // its input is empty: it ends at once
		t.Errorf("auto without a server: %v, %s", err, out)
	}
	server := exec.Command(program, "lsp")
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	e := lsptest.Connect(t, answers, in, lsptest.Options{Folders: []string{dir}})
	e.Initialize()
	e.Settle()
	doc := e.Open(path)
	e.Must("workspace/executeCommand", map[string]any{"command": "unitproof.server.verify", "arguments": []any{
		map[string]any{"uri": lsptest.URI(path)}}}, nil)
	e.Settle()
	var data struct {
		Proofs  []string
		Finding string
	}
	for _, d := range e.Diagnostics(path) {
		raw, err := json.Marshal(d.Data)
		if err != nil || json.Unmarshal(raw, &data) != nil {
			t.Fatal(err)
		}
	}
	if data.Finding == "" {
		t.Fatal("no finding is shown")
	}
	var described struct{ Text string }
	e.Must("unitproof/tool", map[string]any{"tool": "finding", "arguments": map[string]any{
		"proof": data.Proofs[0], "id": data.Finding}}, &described)
	cmd := exec.Command(program, "mcp", "--attach", dir)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "finding",
		Arguments: map[string]any{"id": data.Finding, "proof": data.Proofs[0]}})
	if err != nil || r.Content[0].(*mcp.TextContent).Text != described.Text {
		t.Errorf("the editor is told %s, the tool answers %+v, %v", described.Text, r, err)
	}
	e.Replace(doc, "nd_int() != 7", "nd_int() < 7 || 1")
	e.Settle()
	r, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "check"})
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, `"verdict":"proved"`) {
		t.Errorf("check answers %+v, %v", r, err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	e.Leave()
	if err := server.Wait(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
	left, err := filepath.Glob(filepath.Join(run, "*", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
