package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/pipeline/project"
)

// section is the name of unitproof's section in the client's settings.
const section = "unitproof"

// settings are the client's settings. unitproof.toml overrides them; they override the defaults.
type settings struct {
	Check      project.Settings
	Jobs       int
	Solver     string
	CacheDir   string
	InlayHints bool
	ProveLens  bool // over functions without a proof
	// CompareLens: over functions that differ from git's HEAD.
	CompareLens bool
	Results     []string // files written by "check --results" elsewhere, as in the setting
	Trusted     *bool    // see trust.go

	given bool // the client sent settings
}

func defaultSettings() settings {
	return settings{InlayHints: true, ProveLens: true, CompareLens: true}
}

func (s settings) project() project.Settings { return s.Check }

// otherMeans reports whether workers, solver or cache differ.
func (s settings) otherMeans(old settings) bool {
	return s.Jobs != old.Jobs || s.Solver != old.Solver || s.CacheDir != old.CacheDir
}

// wireSettings are the settings as clients send them, except for keys of unitproof.toml.
type wireSettings struct {
	Jobs        int      `json:"jobs"`
	Solver      string   `json:"solver"`
	CacheDir    string   `json:"cacheDir"`
	Results     []string `json:"results"`
	InlayHints  *bool    `json:"inlayHints"`
	ProveLens   *bool    `json:"proveLens"`
	CompareLens *bool    `json:"compareLens"`
	Trusted     *bool    `json:"trusted"`
}

// readSettings returns the valid settings, and reports the rest to the user.
func (s *server) readSettings(data json.RawMessage) settings {
	out, problems := parseSettings(data)
	if len(problems) > 0 {
		s.message(protocol.MessageTypeWarning, "unitproof settings: "+strings.Join(problems, "; "))
	}
	return out
}

func parseSettings(data json.RawMessage) (settings, []string) {
	out := defaultSettings()
	if string(data) == "null" || len(data) == 0 {
		return out, nil
	}
	out.given = true
	// Clients that do not request by section send the section inside.
	var outer map[string]json.RawMessage
	if json.Unmarshal(data, &outer) == nil && outer[section] != nil {
		data = outer[section]
	}
	var w wireSettings
	var problems []string
	if err := json.Unmarshal(data, &w); err != nil {
		problems = append(problems, err.Error())
	}
	var keys map[string]any
	_ = json.Unmarshal(data, &keys) // errors were reported before
	check, wrong := project.ClientSettings(keys)
	for _, p := range wrong {
		problems = append(problems, p.Error())
	}
	out.Check = check
	if w.Jobs < 0 {
		problems = append(problems, fmt.Sprintf("jobs: %d is not a number of processes", w.Jobs))
	} else {
		out.Jobs = w.Jobs
	}
	out.Results = w.Results
	out.Solver, out.CacheDir, out.Trusted = w.Solver, w.CacheDir, w.Trusted
	if w.InlayHints != nil {
		out.InlayHints = *w.InlayHints
	}
	if w.ProveLens != nil {
		out.ProveLens = *w.ProveLens
	}
	if w.CompareLens != nil {
		out.CompareLens = *w.CompareLens
	}
	return out, problems
}

// pullTime is the time limit for the client's answer; without it work starts with the defaults.
const pullTime = 5 * time.Second

// pullSettings requests the client's settings and applies them.
func (s *server) pullSettings() {
	ctx, cancel := context.WithTimeout(s.ctx, pullTime)
	defer cancel()
	var answer []json.RawMessage
	err := s.conn.Call(ctx, "workspace/configuration", map[string]any{"items": []any{map[string]any{"section": section}}},
		&answer)
	if s.ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.settings
	switch {
	case err != nil:
		s.log.Warn("the client does not send its settings", "error", err)
	case len(answer) == 1 && string(answer[0]) != "null":
		next = s.readSettings(answer[0])
	}
	s.apply(next)
}

func (s *server) didChangeConfiguration(p *struct {
	Settings json.RawMessage `json:"settings"`
}) error {
	if s.caps.Workspace.Configuration {
		go s.pullSettings()
		return nil
	}
	s.apply(s.readSettings(p.Settings))
	return nil
}

// apply replaces the settings; s.mu is held.
func (s *server) apply(next settings) {
	if s.phase != initialized {
		return
	}
	old := s.settings
	s.settings = next
	if s.engine == nil {
		s.startEngine()
	} else {
		s.engine.workspace.Together(func() { s.configure(next, old) })
	}
	if next.InlayHints != old.InlayHints {
		s.refreshInlayHints()
	}
	s.wake()
}

// configure passes the differences of settings to the workspace; s.mu is held.
func (s *server) configure(next, old settings) {
	if next.otherMeans(old) {
		s.engine.workspace.SetMeans(next.Jobs, next.Solver, s.cacheDir())
	}
	if !slices.Equal(next.Results, old.Results) {
		s.engine.workspace.SetResults(s.results())
	}
	if !reflect.DeepEqual(next.project(), old.project()) {
		s.engine.workspace.SetClient(next.project())
	}
	if !reflect.DeepEqual(next.Trusted, old.Trusted) {
		s.applyTrust()
	}
}

// results returns the absolute paths of the setting's files; a relative one refers to each folder. s.mu is held.
func (s *server) results() []string {
	var files []string
	for _, name := range s.settings.Results {
		if filepath.IsAbs(name) {
			files = append(files, filepath.Clean(name))
			continue
		}
		for _, folder := range s.folders {
			files = append(files, filepath.Join(folder, name))
		}
	}
	return files
}
