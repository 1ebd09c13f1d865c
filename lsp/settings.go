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

// section is the name of our settings in the client's.
const section = "unitproof"

// settings are the client's. They are weaker than unitproof.toml and stronger than the defaults.
type settings struct {
	Check      project.Settings
	Jobs       int
	Solver     string
	CacheDir   string
	InlayHints bool
	ProveLens  bool     // over functions without a proof
	Results    []string // files that "check --results" wrote elsewhere, as they are named
	Trusted    *bool    // see trust.go

	given bool // the client said something
}

func defaultSettings() settings { return settings{InlayHints: true, ProveLens: true} }

func (s settings) project() project.Settings { return s.Check }

// otherMeans tells whether proofs are checked by others, or kept elsewhere.
func (s settings) otherMeans(old settings) bool {
	return s.Jobs != old.Jobs || s.Solver != old.Solver || s.CacheDir != old.CacheDir
}

// wireSettings are the settings as clients write them, but for those that are keys of unitproof.toml.
type wireSettings struct {
	Jobs       int      `json:"jobs"`
	Solver     string   `json:"solver"`
	CacheDir   string   `json:"cacheDir"`
	Results    []string `json:"results"`
	InlayHints *bool    `json:"inlayHints"`
	ProveLens  *bool    `json:"proveLens"`
	Trusted    *bool    `json:"trusted"`
}

// readSettings takes over what can be understood, and tells the user of the rest.
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
	// Clients that do not ask by section send the section inside.
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
	_ = json.Unmarshal(data, &keys) // what is wrong was said
	check, wrong := project.ClientSettings(keys)
	for _, p := range wrong {
		problems = append(problems, p.Error())
	}
	out.Check = check
	if w.Jobs < 0 {
		problems = append(problems, fmt.Sprintf("jobs: %d is no number of processes", w.Jobs))
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
	return out, problems
}

// pullTime is how long the client may take to tell its settings before work starts without them.
const pullTime = 5 * time.Second

// pullSettings asks the client for its settings and applies them.
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
		s.log.Warn("the client does not tell its settings", "error", err)
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

// apply makes settings those that count; s.mu is held.
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

// configure tells the workspace in what settings differ; s.mu is held.
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

// results are the files of the setting, absolute: a relative one is meant in each folder. s.mu is held.
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
