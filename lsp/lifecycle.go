package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/unitproof/unitproof/lsp/rpc"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// protocolVersion is the version of the protocol in docs/protocol.md.
const protocolVersion = 1

// initOptions are the initializationOptions.
type initOptions struct {
	Trusted  *bool           `json:"trusted"`
	Settings json.RawMessage `json:"settings"`
	// ShowsAnswers reports that the client shows the results of commands.
	ShowsAnswers bool `json:"showsAnswers"`
	// CommandLinks reports that the client executes links of the form command:NAME?ARGUMENTS in hovers.
	CommandLinks bool `json:"commandLinks"`
	// Without are features that the server must not offer: pullDiagnostics, callHierarchy, semanticTokens.
	Without []string `json:"without"`
}

// initialize handles the first request. It runs before any later message is read.
func (s *server) initialize(params json.RawMessage) (*initializeResult, error) {
	var p initializeParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, rpc.Failure(jsonrpc2.InvalidParams, "%v", err)
	}
	var options initOptions
	if len(p.InitializationOptions) > 0 {
		if err := json.Unmarshal(p.InitializationOptions, &options); err != nil {
			s.log.Warn("initializationOptions", "error", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(p.Capabilities) > 0 {
		// Malformed capabilities of a client are ignored rather than rejected.
		if err := json.Unmarshal(p.Capabilities, &s.caps); err != nil {
			s.log.Warn("capabilities", "error", err)
		}
	}
	// A client that only pulls diagnostics states there what it can show.
	push, pull := &s.caps.TextDocument.PublishDiagnostics, s.caps.TextDocument.Diagnostic
	push.RelatedInformation = push.RelatedInformation || pull.RelatedInformation
	push.CodeDescriptionSupport = push.CodeDescriptionSupport || pull.CodeDescriptionSupport
	var pulls *diagnosticOptions
	if s.caps.pulls() && !slices.Contains(options.Without, withoutPull) {
		pulls = &diagnosticOptions{Identifier: "unitproof", InterFileDependencies: true, WorkspaceDiagnostics: true}
		s.published.pullsAll = !push.supported
	}
	if slices.Contains(s.caps.General.PositionEncodings, utf8Columns) {
		s.encoding = utf8Columns
	}
	s.trusted, s.showsAnswers, s.commandLinks = options.Trusted, options.ShowsAnswers, options.CommandLinks
	if len(options.Settings) > 0 {
		s.settings = s.readSettings(options.Settings)
	}
	s.folders = foldersOf(&p)
	s.phase = initialized
	if p.ProcessID != nil {
		go s.watchClient(*p.ProcessID)
	}
	go s.publishing()

	actions := &protocol.CodeActionOptions{
		CodeActionKinds: []protocol.CodeActionKind{protocol.QuickFix, protocol.RefactorRewrite, verbKind},
		ResolveProvider: s.caps.TextDocument.CodeAction.ResolveSupport.has("edit")}
	offers := func(feature string, has present) bool { return bool(has) && !slices.Contains(options.Without, feature) }
	var tokens, hierarchy any
	var hints any = true
	if len(s.caps.TextDocument.InlayHint.ResolveSupport.Properties) > 0 {
		hints = map[string]any{"resolveProvider": true}
	}
	if offers(withoutTokens, s.caps.TextDocument.SemanticTokens) {
		tokens = tokenOptions
	}
	if offers(withoutHierarchy, s.caps.TextDocument.CallHierarchy) {
		hierarchy = true
	}
	files := protocol.ServerCapabilitiesWorkspaceFileOperations{WillRename: renamedFiles, WillDelete: renamedFiles,
		DidRename: renamedFiles, DidDelete: renamedFiles, DidCreate: renamedFiles}
	return &initializeResult{
		Capabilities: serverCapabilities{
			ServerCapabilities: protocol.ServerCapabilities{
				TextDocumentSync: &protocol.TextDocumentSyncOptions{
					OpenClose: true, Change: protocol.TextDocumentSyncKindIncremental, Save: &protocol.SaveOptions{},
				},
				HoverProvider:           true,
				CodeActionProvider:      actions,
				CodeLensProvider:        &protocol.CodeLensOptions{ResolveProvider: true},
				WorkspaceSymbolProvider: true,
				DocumentSymbolProvider:  true,
				DocumentLinkProvider:    &protocol.DocumentLinkOptions{},
				CompletionProvider:      &protocol.CompletionOptions{},
				CallHierarchyProvider:   hierarchy,
				SemanticTokensProvider:  tokens,
				Workspace: &protocol.ServerCapabilitiesWorkspace{
					WorkspaceFolders: &protocol.ServerCapabilitiesWorkspaceFolders{Supported: true, ChangeNotifications: true},
					FileOperations:   &files,
				},
				Experimental: map[string]any{"unitproof": map[string]any{"protocol": protocolVersion}},
			},
			ExecuteCommand:    executeOptions{commandNames(), true},
			PositionEncoding:  s.encoding,
			InlayHintProvider: hints,
			Diagnostics:       pulls,
		},
		ServerInfo: &protocol.ServerInfo{Name: "unitproof", Version: s.opts.Version},
	}, nil
}

// foldersOf returns the folders of a workspace, from the newest of the protocol's fields that the client sets.
func foldersOf(p *initializeParams) []string {
	var list []string
	for _, f := range p.WorkspaceFolders {
		if path, ok := pathOf(protocol.DocumentURI(f.URI)); ok {
			list = append(list, path)
		}
	}
	if len(list) > 0 || p.WorkspaceFolders != nil {
		return list
	}
	if path, ok := pathOf(p.RootURI); ok {
		return []string{path}
	}
	if filepath.IsAbs(p.RootPath) {
		return []string{filepath.Clean(p.RootPath)}
	}
	return nil
}

// initialized requests the settings and the registration for file events, and then starts the engine.
func (s *server) initialized(json.RawMessage) error {
	if s.engine != nil {
		return nil
	}
	if s.caps.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		go s.register()
	}
	if !s.caps.Workspace.Configuration {
		s.startEngine()
	} else if s.settings.given {
		// The client sent its settings along, so work starts at once. If its answer to the request differs, that is
		// applied later.
		s.startEngine()
		go s.pullSettings()
	} else {
		go s.pullSettings()
	}
	s.looking.Go(s.reportMissing)
	s.looking.Go(s.offerImports)
	return nil
}

// renamedFiles are the files and folders whose names unitproof.toml can have.
var renamedFiles = &protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{
	{Scheme: "file", Pattern: protocol.FileOperationPattern{Glob: "**/*.{c,h,rs,ll,json}"}},
	{Scheme: "file", Pattern: protocol.FileOperationPattern{Glob: "**", Matches: protocol.FileOperationPatternKindFolder}},
}}

// watchedFiles are the files on which verdicts can depend.
var watchedFiles = []string{"**/*.{c,h,inc,def,rs,ll}", "**/unitproof.toml", "**/compile_commands.json",
	"**/compile_flags.txt", "**/*.rsp"}

// register asks the client to watch files and settings.
func (s *server) register() {
	var watchers []protocol.FileSystemWatcher
	for _, glob := range watchedFiles {
		watchers = append(watchers, protocol.FileSystemWatcher{GlobPattern: glob})
	}
	list := []protocol.Registration{{ID: "unitproof-files", Method: "workspace/didChangeWatchedFiles",
		RegisterOptions: protocol.DidChangeWatchedFilesRegistrationOptions{Watchers: watchers}}}
	if s.caps.Workspace.DidChangeConfiguration.DynamicRegistration {
		list = append(list, protocol.Registration{ID: "unitproof-settings", Method: "workspace/didChangeConfiguration",
			RegisterOptions: map[string]any{"section": "unitproof"}})
	}
	if err := s.conn.Call(s.ctx, "client/registerCapability", protocol.RegistrationParams{Registrations: list},
		nil); err != nil {
		s.log.Warn("the client watches no files", "error", err)
	}
}

func (s *server) didChangeWorkspaceFolders(p *protocol.DidChangeWorkspaceFoldersParams) error {
	folders := slices.Clone(s.folders)
	for _, f := range p.Event.Removed {
		if path, ok := pathOf(protocol.DocumentURI(f.URI)); ok {
			folders = slices.DeleteFunc(folders, func(old string) bool { return old == path })
		}
	}
	for _, f := range p.Event.Added {
		if path, ok := pathOf(protocol.DocumentURI(f.URI)); ok && !slices.Contains(folders, path) {
			folders = append(folders, path)
		}
	}
	s.folders, s.loose = folders, nil
	if s.engine != nil {
		s.engine.workspace.SetFolders(folders)
	}
	s.looseFolders()
	return nil
}

// clientInterval is the interval of checks for the client's process. Tests shorten it.
var clientInterval = 2 * time.Second

// watchClient ends the server when the client's process has ended, as other processes may hold its pipe open. A
// process that does not exist at the start is on another machine or in another container, and is ignored.
func (s *server) watchClient(pid int) {
	if pid <= 1 || !alive(pid) {
		return
	}
	tick := time.NewTicker(clientInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			if !alive(pid) {
				s.log.Error("the client's process is gone", "pid", pid)
				s.exit()
				return
			}
		}
	}
}

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && err != syscall.EPERM {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true // no /proc here
	}
	// pid (name) state …; the name may contain anything.
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	state := strings.TrimSpace(string(rest[:min(len(rest), 3)]))
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// ask calls the client on a new goroutine and discards the answer.
func (s *server) ask(method string) {
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, 30*time.Second)
		defer cancel()
		if err := s.conn.Call(ctx, method, nil, nil); err != nil && s.ctx.Err() == nil {
			s.log.Debug("request to the client", "method", method, "error", err)
		}
	}()
}
