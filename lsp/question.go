package lsp

import (
	"context"
	"time"

	"go.lsp.dev/protocol"
)

// askTime is the time limit of a question to the user. Only the proofs concerned wait for the answer.
const askTime = 24 * time.Hour

// notNow is the answer that changes nothing.
const notNow = "Not now"

// question asks the user to confirm an action, and reports whether the user chose it. A client that cannot ask
// returns an error, and its user gets the remedy as a message. No capability identifies such clients:
// window.showMessage is about details of a question, and Eglot does not declare it but shows questions.
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
