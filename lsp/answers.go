package lsp

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
)

// worded is the result of a command that has a text for users. Clients that implement docs/protocol.md show results
// themselves (showsAnswers). Other clients run commands from lenses and code actions and discard the results, so the
// server shows the text as a message. It is short, since Helix shows one line.
type worded interface {
	summary() string
}

// tell shows the result of a command to the user, unless the client does.
func (s *server) tell(answer any) {
	s.mu.Lock()
	shows := s.showsAnswers
	s.mu.Unlock()
	t, ok := answer.(worded)
	if shows || !ok {
		return
	}
	if text := t.summary(); text != "" {
		s.message(protocol.MessageTypeInfo, text)
	}
}

// most is the largest number of parts of a result in a message.
const most = 5

func parts(list []string) string {
	if more := len(list) - most; more > 0 {
		list = append(list[:most:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}

func (l proofList) summary() string {
	var list []string
	for i := range l.Proofs {
		list = append(list, l.Proofs[i].Name+": "+l.Proofs[i].Title)
	}
	return parts(list)
}

func (r replayResult) summary() string { return r.Message }

func (r traceResult) summary() string {
	var list []string
	for i := range r.Inputs {
		name := r.Inputs[i].Variable
		if name == "" {
			name = r.Inputs[i].Function + "()"
		}
		list = append(list, name+" = "+r.Inputs[i].Value)
	}
	inputs := ""
	if len(list) > 0 {
		inputs = " Inputs: " + parts(list) + "."
	}
	return fmt.Sprintf("%s.%s `unitproof check` prints the %d steps.", r.Title, inputs, len(r.Steps))
}

func (r strengthResults) summary() string {
	var list []string
	for i := range r.Proofs {
		list = append(list, r.Proofs[i].Summary)
	}
	return parts(list)
}

func (c shellCommand) summary() string { return string(c) }

func (r debugResult) summary() string {
	return "Stepping is for a client of the debug adapter protocol that starts `unitproof dap` (docs/debugging.md); " +
		"`unitproof check` prints the steps"
}

func (r doctorResult) summary() string {
	var list []string
	for _, p := range r.Parts {
		if !p.OK {
			list = append(list, p.Name+": "+p.Detail+" ("+p.Advice+")")
		}
	}
	if len(list) == 0 {
		return "the installation of unitproof is complete"
	}
	return parts(list)
}

func (r trustResult) summary() string {
	var list []string
	for _, f := range r.Folders {
		list = append(list, f.Folder+" is allowed")
	}
	if len(list) == 0 {
		return "no folder needs permission"
	}
	return parts(list)
}
