package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"
)

// askTime is how long a question may stand there. The proofs wait, and nothing else.
const askTime = 24 * time.Hour

// notNow is the answer to each question that changes nothing.
const notNow = "Not now"

// question asks the user whether an action shall be taken. A client that shows no questions answers with an error, and
// its user gets the remedy as a message. The protocol has no capability that would tell such clients apart:
// window.showMessage is about details of a question, and Eglot, which does not declare it, shows questions.
func (s *server) question(level protocol.MessageType, text, action, remedy string) (chosen bool) {
	ctx, cancel := context.WithTimeout(s.ctx, askTime)
	defer cancel()
	var answer *struct {
		Title string `json:"title"`
	}
	err := s.conn.Call(ctx, "window/showMessageRequest", protocol.ShowMessageRequestParams{Type: level, Message: text,
		Actions: []protocol.MessageActionItem{{Title: action}, {Title: notNow}}}, &answer)
	if err != nil && ctx.Err() == nil {
		s.message(level, remedy)
	}
	return err == nil && answer != nil && answer.Title == action
}
