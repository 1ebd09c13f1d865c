package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
)

// message shows a message to the user; s.mu may be held.
func (s *server) message(level protocol.MessageType, text string) {
	s.conn.Notify("window/showMessage", protocol.ShowMessageParams{Type: level, Message: text})
}

// reportMissing tells the user once which tools are missing, with the command that installs them.
func (s *server) reportMissing() {
	s.mu.Lock()
	// In an untrusted workspace no program is run, not even to find its version. Trust may be granted during startup.
	due := !s.denied() && !s.looked
	s.looked = s.looked || due
	s.mu.Unlock()
	if !due {
		return
	}
	var missing []string
	var failing []pipeline.Part
	for _, part := range pipeline.Doctor(s.ctx, "") {
		if part.OK || !part.Required {
			continue
		}
		if part.Name == pipeline.CompilePart && len(missing) > 0 {
			continue // its failure follows from the missing parts
		}
		if part.Name == pipeline.CompilePart {
			// This part is a trial run, and not a tool.
			missing = append(missing, part.Name+" fails: "+firstLine(part.Detail))
		} else {
			missing = append(missing, part.Name+" missing")
		}
		failing = append(failing, part)
	}
	if len(missing) == 0 || s.ctx.Err() != nil {
		return
	}
	s.message(protocol.MessageTypeError, missingText(missing, failing))
}

// missingText describes the missing tools, with the command that installs them if it is known.
func missingText(missing []string, failing []pipeline.Part) string {
	text := "unitproof cannot check proofs: " + strings.Join(missing, ", ")
	var packages, advice []string
	for _, p := range failing {
		switch {
		case p.Package != "":
			packages = append(packages, p.Package)
		case p.Advice != "":
			advice = append(advice, p.Advice)
		}
	}
	if len(packages) > 0 {
		text += ". On Debian and Ubuntu: sudo apt install " + strings.Join(unique(packages), " ")
	}
	if len(advice) > 0 || len(packages) == 0 {
		text += ". " + strings.Join(append(unique(advice), "`unitproof doctor` has details"), "; ")
	}
	return text
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

type doctorResult struct {
	Parts []pipeline.Part `json:"parts"`
}

func (v *view) doctor(ctx context.Context, _ *struct{}) (doctorResult, error) {
	if v.denied {
		return doctorResult{},
			rpc.Failure(rpc.RequestFailed, "the workspace is not trusted: nothing is run, not even to check the installation")
	}
	return doctorResult{pipeline.Doctor(ctx, "")}, nil
}
