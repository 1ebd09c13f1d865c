package lsp

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
)

// worded is the answer of a command in words. A client that knows docs/protocol.md shows answers itself and says so
// (showsAnswers); any other has called the command by a lens or a code action and throws the answer away, so its user
// would see nothing happen: he gets the words as a message. They are short, since Helix shows one line.
type worded interface {
	told() string
}

// tell shows the answer of a command to the user of a client that does not.
func (s *server) tell(answer any) {
	s.mu.Lock()
	shows := s.showsAnswers
	s.mu.Unlock()
	t, ok := answer.(worded)
	if shows || !ok {
		return
	}
	if text := t.told(); text != "" {
		s.message(protocol.MessageTypeInfo, text)
	}
}

// most is how many parts of an answer are told.
const most = 5

func parts(list []string) string {
	if more := len(list) - most; more > 0 {
		list = append(list[:most:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}

func (l proofList) told() string {
	var list []string
	for i := range l.Proofs {
		list = append(list, l.Proofs[i].Name+": "+l.Proofs[i].Title)
	}
	return parts(list)
}

func (r replayResult) told() string { return r.Message }

func (r traceResult) told() string {
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

func (r strengthResults) told() string {
	var list []string
	for i := range r.Proofs {
		list = append(list, r.Proofs[i].Summary)
	}
	return parts(list)
}

func (c shellCommand) told() string { return string(c) }

func (r debugResult) told() string {
	return "Stepping is for a client of the debug adapter protocol that starts `unitproof dap` (docs/debugging.md); " +
		"`unitproof check` prints the steps"
}

func (r doctorResult) told() string {
	var list []string
	for _, p := range r.Parts {
		if !p.OK {
			list = append(list, p.Name+": "+p.Detail+" ("+p.Advice+")")
		}
	}
	if len(list) == 0 {
		return "unitproof finds all that it needs"
	}
	return parts(list)
}

func (r trustResult) told() string {
	var list []string
	for _, f := range r.Folders {
		list = append(list, f.Folder+" is allowed")
	}
	if len(list) == 0 {
		return "no folder waits for a permission"
	}
	return parts(list)
}
