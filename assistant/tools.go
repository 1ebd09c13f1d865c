package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/docs"
)

// MCP returns the server of the protocol, with all tools and resources.
func (s *Server) MCP() *mcp.Server {
	m := mcp.NewServer(
		&mcp.Implementation{Name: "unitproof", Title: "unitproof: unit proofs of C", Version: s.opts.Version},
		&mcp.ServerOptions{Instructions: docs.Instructions(), Logger: s.opts.Log, Capabilities: &mcp.ServerCapabilities{}})
	m.AddReceivingMiddleware(s.guard)
	add(s, m, "proofs",
		"List the proofs of the project with their last verdicts, without checking anything.", s.proofs)
	add(s, m, "check",
		"Check proofs, as the files are on disk. Answers the worst verdict, the most useful finding, and "+
			"ids for the rest.", s.checkTool)
	add(s, m, "try",
		"Check proofs with edits that are not written to disk. Answers the differences from the last result: "+
			"findings that appeared or vanished, added assumptions. Give all edits in each call: none is stored.", s.try)
	add(s, m, "finding",
		"Describe one finding: sentence, inputs, steps of its execution, call path, memory.", s.finding)
	add(s, m, "why",
		"List the assumptions that a proof needs and those that it does not, assertions that depend on no input, "+
			"and branches that no execution takes. Checks the proof once more.", s.why)
	add(s, m, "strength",
		"Change the code under a proved proof in small ways, and list the changes that the proof does not "+
			"notice. A proof that notices little specifies little.", s.strength)
	add(s, m, "cost",
		"List the times of a proof by finding, loop and function, with advice.", s.cost)
	add(s, m, "replay",
		"Run a failed finding's execution natively, under sanitizers; or give it as a C file, or as the input "+
			"of a fuzz target.", s.replay)
	add(s, m, "suggest",
		"Suggest preconditions that exclude a failure, invariants that were found for loops, files that define missing "+
			"functions, and assumptions that can go.", s.suggest)
	add(s, m, "new",
		"Write a first proof of a function from its types and its code, and check it. Nothing is written to "+
			"disk: the answer has the text.", s.new)
	add(s, m, "audit",
		"Review the proofs on disk: assertions that check nothing, unproved contracts, disabled checks, cut loops, "+
			"replaced functions, functions that no proof reaches.", s.audit)
	add(s, m, "explain",
		"Explain a word of an answer: a kind of finding, a verdict, a code of not_done.", s.explain)
	add(s, m, "selftest",
		"Check three small programs whose verdicts are known, to see that the tool works.", s.selftest)
	s.addResources(m)
	return m
}

// add registers a tool that reads, and writes nothing of the project.
func add[In, Out any](s *Server, m *mcp.Server, name, description string,
	handle func(ctx context.Context, call *mcp.CallToolRequest, in In) (Out, error)) {
	no := false
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // a type of ours that is no JSON
	}
	plain(schema)
	mcp.AddTool(m, &mcp.Tool{Name: name, Description: description, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no,
			OpenWorldHint: &no}},
		func(ctx context.Context, call *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			out, err := handle(ctx, call, in)
			if err != nil {
				var none Out
				return nil, none, errors.New(clip(err.Error(), maxAnswer-100))
			}
			text, err := encode(out)
			if err != nil {
				var none Out
				return nil, none, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, out,
				nil
		})
}

// encode returns an answer as JSON in one line, for clients that show it as text.
func encode(answer any) (string, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(answer)
	return strings.TrimSpace(text.String()), err
}

// Tools returns the tools as a client gets them.
func (s *Server) Tools(ctx context.Context) ([]*mcp.Tool, error) {
	client, err := s.client(ctx)
	if err != nil {
		return nil, err
	}
	list, err := client.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	return list.Tools, nil
}

// Call calls a tool for an editor, as a client of the protocol does, and returns its answer as text. An error of the
// tool is an error.
func (s *Server) Call(ctx context.Context, tool string, arguments json.RawMessage) (string, error) {
	client, err := s.client(ctx)
	if err != nil {
		return "", err
	}
	params := &mcp.CallToolParams{Name: tool}
	if len(arguments) > 0 {
		params.Arguments = arguments
	}
	result, err := client.CallTool(ctx, params)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, c := range result.Content {
		if t, is := c.(*mcp.TextContent); is {
			text.WriteString(t.Text)
		}
	}
	if result.IsError {
		return "", errors.New(text.String())
	}
	return text.String(), nil
}

// client returns the session of the editor in this process, which ends with the server.
func (s *Server) client(ctx context.Context) (*mcp.ClientSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.editor != nil {
		return s.editor, nil
	}
	here, there := mcp.NewInMemoryTransports()
	ctx = context.WithoutCancel(ctx) // the session outlives the call that needs it first
	if _, err := s.MCP().Connect(ctx, there, nil); err != nil {
		return nil, err
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "unitproof lsp", Version: s.opts.Version}, nil).
		Connect(ctx, here, nil)
	s.editor = session
	return session, err
}

// plain has lists be arrays: the inference has them be null as well, which some clients do not understand.
func plain(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		plain(p)
	}
	plain(s.Items)
}

// guard turns a panic of a handler into an error of its request: the server goes on.
func (s *Server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if r := recover(); r != nil {
				s.opts.Log.Error("internal error", "method", method, "panic", r, "stack", string(debug.Stack()))
				result, err = nil, fmt.Errorf("internal error of unitproof: %v", r)
			}
		}()
		return next(ctx, method, req)
	}
}

// progress returns a function that reports the progress of a call to the client; nil if it did not request that.
func progress(ctx context.Context, call *mcp.CallToolRequest) func(done, total int) {
	if call == nil || call.Params == nil || call.Params.GetProgressToken() == nil {
		return nil
	}
	token := call.Params.GetProgressToken()
	return func(done, total int) {
		// A client that is gone shows elsewhere.
		_ = call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token,
			Progress: float64(done), Total: float64(total), Message: fmt.Sprintf("%d of %d proofs", done, total)})
	}
}
